import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Expectation } from '../../../server/src/domains/dns/expectation.ts';
import { ACCOUNT, expectationOf, host, TARGET } from './support/model-dns.ts';
import {
  APEX,
  type Cases,
  caa,
  chain,
  cname,
  DOCS,
  judged,
  type Name,
  named,
  right,
  verdictsInWords,
} from './support/views.ts';

// What is said of CAA records where several authorities are configured, and of a wildcard, to the letter. To look at the
// letters after a change of them: node --test --test-update-snapshots apps/dashboard/test/domains/dns/judge-caa.test.ts

const VERDICTS = join(import.meta.dirname, 'fixtures/caa-verdicts.txt');

const WILDCARD = `*.${DOCS}`;

const PRIVATE = {
  ...{ name: 'Private', directoryUrl: 'https://private.test/directory' },
  identities: ['private.test'],
  accountUri: undefined,
  methods: ['dns-01'],
} as const;

const [LETS_ENCRYPT] = expectationOf(DOCS).authorities;
const two = (hostname: string): Expectation => ({
  ...expectationOf(hostname),
  authorities: [LETS_ENCRYPT, PRIVATE],
});

const at =
  (name: string) =>
  (...values: string[]) => ({ ...right, ...caa(name, ...values) });
const has = at(APEX);

const SEVERAL: Cases = {
  'no record': right,
  'records for nothing': has('0 iodef "mailto:a@example.com"'),
  'records for both': has('0 issue "private.test"', '0 issue "letsencrypt.org"'),
  'records for the first': has('0 issue "letsencrypt.org"'),
  'records for the first by its other name': has('0 issue "other-name.test"'),
  'records for the second': has('0 issue "private.test"'),
  'records for others': has('0 issue "other.test"'),
  'records for another account of the first': has(
    '0 issue "letsencrypt.org; accounturi=https://ca.test/acct/2"',
  ),
  'records for the account of the first': has(`0 issue "letsencrypt.org; accounturi=${ACCOUNT}"`),
  'records for other methods of the second': has(
    '0 issue "private.test; validationmethods=http-01"',
  ),
  'records for the methods of both': has(
    '0 issue "letsencrypt.org; validationmethods=tls-alpn-01"',
    '0 issue "private.test; validationmethods=DNS-01 "',
  ),
  'a critical record': has('0 issue "letsencrypt.org"', '128 tbs "x"'),
  'no answer': { ...right, caa: { name: APEX, failure: 'timeout' } },
  'no answer at the target': { ...right, caa: { name: TARGET, failure: 'servfail' } },
  'records for others at the target': at(TARGET)('0 issue "other.test"'),
  'a critical record at the target': at(TARGET)('128 tbs "x"'),
};

const ofWildcard = (name: string, ...values: string[]) => ({
  ...chain('target', cname(TARGET, WILDCARD)),
  ...caa(name, ...values),
});

const OF_WILDCARD: Cases = {
  'records for the first': ofWildcard(APEX, '0 issue "letsencrypt.org"'),
  'records for nobody': ofWildcard(APEX, '0 issue ";"'),
  'records for the first, and none for wildcards': ofWildcard(
    ...[APEX, '0 issue "letsencrypt.org"', '0 issuewild ";"'],
  ),
  'records for others, and wildcards for the first': ofWildcard(
    ...[APEX, '0 issue "other.test"', '0 issuewild "letsencrypt.org"'],
  ),
  'wildcards for the second': ofWildcard(APEX, '0 issuewild "private.test"'),
  'wildcards for another account': ofWildcard(
    ...[APEX, '0 issuewild "letsencrypt.org; accounturi=https://ca.test/acct/2"'],
  ),
  'wildcards for other methods of both': ofWildcard(
    ...[APEX, '0 issuewild "letsencrypt.org; validationmethods=dns-01"'],
    '0 issuewild "private.test; validationmethods=http-01"',
  ),
  'records of its own': ofWildcard(DOCS, '0 issue "other.test"'),
  'a critical record of its own': ofWildcard(DOCS, '128 tbs "x"'),
  'a critical record where the name is an alias': ofWildcard('a.example.com', '128 tbs "x"'),
};

const NAMES: readonly Name[] = [
  ['docs.example.com, for two authorities', SEVERAL, two(DOCS)],
  [
    'docs.example.com, for one',
    { 'records for it': has('0 issue "letsencrypt.org"') },
    expectationOf(DOCS),
  ],
  ['*.docs.example.com, for two authorities', OF_WILDCARD, two(WILDCARD)],
];

test('of CAA records it is said whom they keep from issuing, by which name, and which record lets the first one issue', (t) => {
  t.assert.fileSnapshot(verdictsInWords(NAMES), VERDICTS, { serializers: [String] });
});

test('which authorities may issue is told of a name that is right alone, and of two or more', () => {
  const of = (expectation: Expectation, changes: Parameters<typeof named>[1]) =>
    judged([], expectation, [named('r1', changes)]).verdict.authorities;
  const allowed = has('0 issue "private.test"');
  assert.deepEqual(of(two(DOCS), allowed), [
    {
      ...{ name: "Let's Encrypt", directoryUrl: 'https://authority.test/directory' },
      ...{ identity: 'letsencrypt.org', isAllowed: false },
    },
    {
      ...{ name: 'Private', directoryUrl: 'https://private.test/directory' },
      ...{ identity: 'private.test', isAllowed: true },
    },
  ]);
  assert.equal(of(two(DOCS), { ...allowed, ...chain('here') }), undefined);
  assert.equal(of(expectationOf(DOCS), right), undefined);
  const three: Expectation = { ...two(DOCS), target: host(TARGET) };
  assert.equal(of(three, right)?.length, 2);
});
