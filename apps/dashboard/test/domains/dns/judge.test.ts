import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { View } from '../../../server/src/domains/dns/observation.ts';
import type { Failure, ResourceRecord } from '../../../server/src/domains/dns/outcome.ts';
import { VERDICT_CODES } from '../../../server/src/domains/verdict.ts';
import { ACCOUNT, expectationOf, PLATFORM, PROOF, TARGET } from './support/model-dns.ts';
import {
  APEX,
  apexRight,
  type Cases,
  caa,
  chain,
  cname,
  DOCS,
  found,
  judged,
  type Name,
  named,
  own,
  platform,
  proven,
  record,
  right,
  verdictsInWords,
  view,
} from './support/views.ts';

// Without a network: what is said of each thing that can be wrong, to the letter. To look at the letters after a
// change of them: node --test --test-update-snapshots apps/dashboard/test/domains/dns/judge.test.ts

const VERDICTS = join(import.meta.dirname, 'fixtures/verdicts.txt');

const PROOF_NAME = '_docs-challenge.docs.example.com';
const FAILURES: readonly Failure[] = ['servfail', 'refused', 'timeout', 'malformed'];

const foreign = record('A', '198.51.100.7', DOCS, 120);
const elsewhere = (...records: ResourceRecord[]) => ({ elsewhere: records });

const each = (cases: (failure: Failure) => Cases): Cases =>
  Object.assign({}, ...FAILURES.map(cases));

const SUBDOMAIN: Cases = {
  right,
  'right, by way of another name': chain(
    'target',
    cname('www.example.com'),
    cname(TARGET, 'www.example.com'),
  ),
  nothing: {},
  'nothing, and resolvers remember that': { negativeTtl: 900 },
  "nothing but a wildcard's": {
    ...own({ A: found(foreign) }),
    wildcard: [foreign, record('TXT', 'x', '*.example.com')],
  },
  'an address that a wildcard has beside others': {
    ...own({ A: found(foreign), AAAA: found(record('AAAA', '2001:db8::7')) }),
    wildcard: [foreign, record('A', '2001:db8::7')],
  },
  'an address beside that of a wildcard': {
    ...own({ A: found(record('A', '198.51.100.8')) }),
    wildcard: [foreign],
  },
  'the CNAME of a wildcard': {
    ...chain('addresses', cname('pages.example.org')),
    wildcard: [cname('pages.example.org')],
  },
  'the CNAME of a wildcard, and resolvers remember its own': {
    ...chain('addresses', cname('pages.example.org')),
    ...{ wildcard: [cname('pages.example.org')], negativeTtl: 120 },
  },
  'a CNAME beside that of a wildcard': {
    ...chain('addresses', cname('pages.example.org')),
    wildcard: [cname('other.example.org'), record('TXT', 'pages.example.org')],
  },
  'the CNAME of a wildcard that leads here': { ...right, wildcard: [cname()] },
  'a CNAME and the address of a wildcard': {
    ...right,
    ...own({ A: found(foreign) }),
    wildcard: [foreign],
  },
  ...each((failure) => ({
    [`no answer for the name: ${failure}`]: chain(failure),
    [`no answer for its A record: ${failure}`]: own({ A: { kind: failure } }),
    [`no answer for its AAAA record: ${failure}`]: own({ AAAA: { kind: failure } }),
    [`right, and no answer for its A record: ${failure}`]: {
      ...right,
      ...own({ A: { kind: failure } }),
    },
  })),
  'an address': own({ A: found(foreign) }),
  "the platform's address": own({ A: found(record('A', '192.0.2.10')) }),
  'addresses of both versions': own({
    A: found(foreign),
    AAAA: found(record('AAAA', '2001:db8::7', DOCS, 240)),
  }),
  'mail and text': own({
    TXT: found(record('TXT', 'v=spf1 -all')),
    MX: found(record('MX', '10 mx.example.com')),
  }),
  'right, and an address beside it': { ...right, ...own({ A: found(foreign) }) },
  'wrong, and an address beside it': {
    ...chain('addresses', cname('pages.example.org')),
    ...own({ A: found(foreign) }),
  },
  'two CNAMEs': { ...right, otherCnames: [cname('pages.example.org')] },
  'the zone at the end of the value': chain('nothing', cname(`${TARGET}.example.com`)),
  'a typing error': chain('nothing', cname(TARGET.replace('k7', 'k1'))),
  "the platform's own name": chain('addresses', cname(PLATFORM)),
  'the host of another claim': chain('addresses', cname(`abcdefghij.${PLATFORM}`)),
  'a typing error in the second of two': chain(
    'nothing',
    cname('www.example.com'),
    cname(TARGET.slice(1), 'www.example.com'),
  ),
  'another target': chain('addresses', cname('pages.example.org')),
  'another target that is not there': chain('nothing', cname('pages.example.org')),
  'another target without an answer': chain('timeout', cname('pages.example.org')),
  'a chain to nothing': chain(
    'nothing',
    cname('a.example.org'),
    cname('b.example.org', 'a.example.org'),
  ),
  'a chain to addresses': chain(
    'addresses',
    cname('a.example.org'),
    cname('b.example.org', 'a.example.org'),
  ),
  'a chain without an answer': chain(
    'servfail',
    cname('a.example.org'),
    cname('b.example.org', 'a.example.org'),
  ),
  'a loop': chain('loop', cname('a.example.org'), cname(DOCS, 'a.example.org')),
  'the record at a name with the zone twice': {
    ...elsewhere(cname(TARGET, `${DOCS}.example.com`)),
    negativeTtl: 30,
  },
  'the record at another name': elsewhere(
    record('A', TARGET, APEX),
    cname(TARGET, 'www.example.com'),
  ),
  'the record at another name, with the zone at its end': elsewhere(
    cname(`${TARGET}.example.com`, `${DOCS}.example.com`),
  ),
  'right, and the record at another name as well': {
    ...right,
    ...elsewhere(cname(TARGET, `${DOCS}.example.com`)),
  },
  "nothing but a wildcard's, and the record at another name": {
    ...own({ A: found(foreign) }),
    wildcard: [foreign],
    ...elsewhere(cname(TARGET, `${DOCS}.example.com`)),
  },
  'another record at another name': elsewhere(
    cname('pages.example.org', APEX),
    record('A', '192.0.2.10', APEX),
  ),
  "right, and the platform's name has no address": { ...right, ...platform() },
  "right, and the platform's name has one address": {
    ...{ ...right, target: { addresses: ['192.0.2.10'], failure: undefined } },
  },
  "right, and no answer for the platform's name": { ...right, ...platform('servfail') },
  'right, and CAA records that allow it': {
    ...right,
    ...caa(APEX, '0 issue "letsencrypt.org"', '0 issue ";"'),
  },
  'right, and CAA records for others': { ...right, ...caa(APEX, '0 issue "other.test"') },
  'right, and CAA records for others where the name is an alias': {
    ...right,
    ...caa('www.example.com', '0 issue "other.test"'),
  },
  'right, and CAA records of its own': {
    ...right,
    ...caa(DOCS, '0 issue "other.test"', '0 issue ";"'),
  },
  'right, and CAA records for another account': {
    ...right,
    ...caa(APEX, '0 issue "letsencrypt.org; accounturi=https://ca.test/acct/2"'),
  },
  'right, and CAA records for other methods': {
    ...right,
    ...caa(APEX, `0 issue "letsencrypt.org; accounturi=${ACCOUNT}; validationmethods=dns-01"`),
  },
  'right, and a critical CAA record': {
    ...right,
    ...caa(APEX, '0 issue "letsencrypt.org"', '128 tbs "x"', '129 abc "y"'),
  },
  'right, and a critical CAA record of the name': { ...right, ...caa(DOCS, '128 tbs "x"') },
  'right, and a critical CAA record where the name is an alias': {
    ...right,
    ...caa('www.example.com', '128 tbs "x"'),
  },
  'right, and a critical CAA record where the name is an alias, deeper in its zone': {
    ...right,
    ...caa('a.b.c.example.com', '128 tbs "x"'),
  },
  'right, and CAA records at the target': { ...right, ...caa(TARGET, '0 issue "other.test"') },
  'right, and no answer for CAA': { ...right, caa: { name: APEX, failure: 'servfail' } },
  'right, and no answer for CAA of the target': {
    ...right,
    caa: { name: TARGET, failure: 'timeout' },
  },
};

const CLAIMED: Cases = {
  'right and proven': { ...right, ...proven(['another', PROOF]) },
  'nothing at all': proven([]),
  'right, and no proof': { ...right, ...proven([]) },
  "right, no proof, and the platform's name has no address": {
    ...{ ...right, ...proven([]), ...platform() },
  },
  'right, and another text': { ...right, ...proven(['another', 'more']) },
  'right, and one other text': { ...right, ...proven(['another']) },
  'right, and the proof in quotes': { ...right, ...proven(['another', `"${PROOF}"`]) },
  'right, and a typing error': { ...right, ...proven([PROOF.replace('5f', '5e')]) },
  'right, and a typing error in quotes': {
    ...right,
    ...proven([` '${PROOF.replace('5f', '5e')}`]),
  },
  'right, and an alias where the proof should be': {
    ...right,
    ...proven([], cname('a.example.org', PROOF_NAME)),
  },
  'right, and an alias without an answer': {
    ...right,
    ...proven([], cname('a.example.org', PROOF_NAME), 'timeout'),
  },
  'right, and no answer for the proof': { ...right, ...proven([], undefined, 'refused') },
  'right, and the proof at another name': {
    ...right,
    ...proven([]),
    ...elsewhere(record('TXT', 'another', APEX), record('TXT', PROOF, APEX)),
  },
  'right, and the proof in quotes at a name with the zone twice': {
    ...right,
    ...proven(['another'], cname('a.example.org', PROOF_NAME)),
    ...elsewhere(
      record('A', PROOF, APEX),
      record('TXT', `"${PROOF}"`, `${PROOF_NAME}.example.com`),
    ),
  },
  'wrong, and no proof': { ...chain('addresses', cname('pages.example.org')), ...proven([]) },
};

const AT_APEX: Cases = {
  right: apexRight,
  'right, of both versions': own({
    A: found(record('A', '192.0.2.10', APEX)),
    AAAA: found(record('AAAA', '2001:db8::10', APEX)),
  }),
  'right, with mail and text': {
    own: { ...apexRight.own, MX: found(record('MX', '10 mx.example.com', APEX)) },
  },
  'nothing but mail': own({ MX: found(record('MX', '10 mx.example.com', APEX)) }),
  'nothing but mail, as a wildcard has it': {
    ...own({ MX: found(record('MX', '10 mx.example.com', APEX)) }),
    wildcard: [record('MX', '10 mx.example.com', APEX)],
  },
  'a CNAME': chain('target', cname(TARGET, APEX)),
  'a CNAME, as a wildcard has it': {
    ...chain('addresses', cname('pages.example.org', APEX)),
    wildcard: [cname('pages.example.org')],
  },
  'other addresses': own({
    A: found(record('A', '198.51.100.7', APEX, 120), record('A', '198.51.100.8', APEX, 60)),
  }),
  'other addresses besides': own({
    A: found(record('A', '192.0.2.10', APEX, 900), record('A', '198.51.100.8', APEX, 60)),
  }),
  'the record at a name with the zone twice': elsewhere(
    record('A', '192.0.2.10', 'example.com.example.com'),
  ),
  'the record at another name': elsewhere(
    cname(TARGET, 'www.example.com'),
    record('A', '198.51.100.7', 'a.example.com'),
    record('TXT', '192.0.2.10', 'a.example.com'),
    record('A', '192.0.2.10', 'www.example.com'),
  ),
  'right, and the record at another name as well': {
    ...apexRight,
    ...elsewhere(record('A', '192.0.2.10', 'www.example.com')),
  },
  "the platform's name has no address": { ...apexRight, ...platform() },
  "no address, nor has the platform's name": platform('servfail'),
  'no answer': chain('servfail'),
  'right, and a critical CAA record': { ...apexRight, ...caa(APEX, '128 tbs "x"') },
};

const NAMES: readonly Name[] = [
  ['docs.example.com', SUBDOMAIN, expectationOf(DOCS)],
  ['docs.example.com, to be proven', CLAIMED, expectationOf(DOCS, PROOF)],
  ['example.com', AT_APEX, expectationOf(APEX)],
];

test('of each thing that can be wrong it is said what, where, what should be there and what to do', (t) => {
  t.assert.fileSnapshot(verdictsInWords(NAMES), VERDICTS, { serializers: [String] });
});

test('each code of a verdict is one that clients know', () => {
  const codes = NAMES.flatMap(([, cases, expectation]) =>
    Object.values(cases).map((changes) => judged([], expectation, [view(changes)]).verdict.code),
  );
  assert.deepEqual([...new Set(codes)].sort(), [...VERDICT_CODES].sort());
});

const DOCS_WANTED = expectationOf(DOCS);
const late = (ttl: number) => chain('addresses', record('CNAME', 'pages.example.org', DOCS, ttl));

test('where servers of the zone disagree, that is the verdict, and each is quoted', () => {
  const servers = [named('ns1', late(60)), named('ns2', right), named('ns3', {})];
  const { verdict, pointsHere } = judged(servers, DOCS_WANTED, [view(right)]);
  assert.equal(pointsHere, true, 'some visitors come here');
  assert.deepEqual(
    { ...verdict, message: verdict.message.split(' ns').length },
    {
      code: 'dns_error',
      reason: 'servers_disagree',
      message: 4,
      expected: `${DOCS} CNAME ${TARGET}`,
      found: `ns1: ${DOCS} CNAME pages.example.org; ns2: ${DOCS} CNAME ${TARGET}; ns3: no record`,
      remedy:
        "Wait a few minutes until all of them have the newest version of the domain's records. If they still differ then, ask whoever runs them why some are behind; a name server of an earlier DNS provider has to be removed at the registrar.",
      add: [],
      remove: [],
      retryAfterSeconds: null,
    },
  );
  assert.match(
    verdict.message,
    /^The name servers of the domain disagree about docs\.example\.com: ns1: The CNAME record .* ns2: docs\.example\.com leads here\. ns3: There is no CNAME/,
  );
  const wrong = judged([named('ns1', late(60)), named('ns2', {})], DOCS_WANTED);
  assert.equal(wrong.pointsHere, false);
  assert.equal(wrong.verdict.expected, `${DOCS} CNAME ${TARGET}`);
  const blocked = named('ns1', { ...right, ...caa(APEX, '0 issue "other.test"') });
  const half = judged([blocked, named('ns2', right)], DOCS_WANTED);
  assert.equal(half.verdict.expected, `${DOCS} CNAME ${TARGET}`, 'as the one that is right has it');
  const agreed = judged([named('ns1', right), named('ns2', right)], DOCS_WANTED);
  assert.equal(agreed.verdict.reason, 'verified');
});

test('a server that does not answer is left out where another one does', () => {
  for (const failure of FAILURES) {
    const down = named('ns1', chain(failure));
    assert.equal(judged([down, view(right)], DOCS_WANTED).verdict.code, 'verified', failure);
    assert.equal(judged([down], DOCS_WANTED, [view(right)]).verdict.code, 'verified', failure);
  }
  const loop = chain('loop', cname('a.example.org'), cname(DOCS, 'a.example.org'));
  const looping = judged([named('ns1', loop), view(right)], DOCS_WANTED);
  assert.equal(looping.verdict.reason, 'servers_disagree', 'a loop is an answer');
});

test('what the zone has is right, and resolvers that still have the earlier answer are named', () => {
  const resolvers = [named('r1', late(60)), named('r2', right), named('r3', {})];
  const { verdict, pointsHere } = judged([view(right)], DOCS_WANTED, resolvers);
  assert.equal(pointsHere, true);
  assert.deepEqual([verdict.code, verdict.reason], ['verified', 'propagating']);
  assert.equal(
    verdict.message,
    `${DOCS} leads here. Some resolvers (r1, r3) still give the earlier answer; they follow within 48 hours, mostly sooner.`,
  );
  const down = [named('r1', chain('timeout')), named('r2', right)];
  assert.equal(judged([view(right)], DOCS_WANTED, down).verdict.reason, 'verified');
});

test('what every resolver rejects is an error, even where the zone has it right', () => {
  const bogus = chain('servfail');
  const all = judged([view(right)], DOCS_WANTED, [named('r1', bogus), named('r2', bogus)]);
  assert.deepEqual([all.verdict.code, all.verdict.reason], ['dns_error', 'servfail']);
  assert.equal(all.pointsHere, true);
  assert.match(all.verdict.found, /^r1: /);
  const some = judged([view(right)], DOCS_WANTED, [named('r1', bogus), named('r2', right)]);
  assert.equal(some.verdict.code, 'verified');
  const wrong = judged([view(late(60))], DOCS_WANTED, [named('r1', bogus)]);
  assert.equal(wrong.verdict.code, 'wrong_target', 'what is wrong in the zone comes first');
  assert.equal(judged([view(right)], DOCS_WANTED).verdict.code, 'verified', 'no resolver at all');
});

test('one resolver that validates DNSSEC decides, unless another one has validated the answer since', () => {
  const brokenLink = {
    reason: 'dnssec_expired',
    zone: APEX,
    at: `${APEX} DNSKEY`,
    instant: 0,
  } as const;
  const bogus = { ...chain('dnssec_bogus'), brokenLink: { ...brokenLink, extended: [] } };
  const plain = named('r1', right);
  const other = judged([view(right)], DOCS_WANTED, [plain, named('r2', bogus)]);
  assert.deepEqual([other.verdict.reason, other.pointsHere], ['dnssec_expired', true]);
  assert.match(other.verdict.found, /^r2: example\.com DNSKEY has a signature that has expired$/);
  const absent = judged([view({})], DOCS_WANTED, [named('r2', bogus)]);
  assert.equal(absent.verdict.reason, 'dnssec_expired', 'whatever the zone has');
  const since = { ...right, isAuthentic: true };
  const mended = judged([view(right)], DOCS_WANTED, [named('r1', bogus), named('r2', since)]);
  assert.equal(mended.verdict.code, 'verified');
  const resolversAlone = judged([], DOCS_WANTED, [plain, named('r2', bogus)]);
  assert.equal(resolversAlone.verdict.reason, 'dnssec_expired');
});

test('a wrong answer is remembered for as long as the resolver that keeps it longest', () => {
  const resolvers = [
    named('r1', late(40)),
    named('r2', late(200)),
    named('r3', { negativeTtl: 900 }),
  ];
  const waits = judged([view(late(3_600))], DOCS_WANTED, resolvers).verdict.retryAfterSeconds;
  assert.equal(waits, 200);
  const none = judged([view(late(3_600))], DOCS_WANTED, [named('r1', right)]).verdict;
  assert.equal(none.retryAfterSeconds, 3_600, 'none keeps it: as long as a new one would');
});

test('without the servers of the zone, the resolver with the best answer decides', () => {
  const down = named('r0', chain('timeout'));
  const beside = { ...right, ...own({ A: found(foreign) }) };
  const decided = (...resolvers: View[]) => judged([], DOCS_WANTED, resolvers);
  const best = decided(down, named('r1', late(60)), named('r2', right));
  assert.deepEqual([best.verdict.code, best.verdict.reason], ['verified', 'propagating']);
  assert.equal(decided(named('r1', late(60)), view(beside)).verdict.reason, 'beside_cname');
  assert.equal(decided(named('r1', beside), named('r2', right)).verdict.reason, 'propagating');
  assert.equal(decided(down, named('r1', late(60))).verdict.code, 'wrong_target');
  assert.equal(decided(down, named('r1', chain('refused'))).verdict.reason, 'timeout');
  assert.deepEqual(decided(), {
    verdict: {
      code: 'dns_error',
      reason: 'no_resolver',
      message: `${DOCS} cannot be looked up: this dashboard has no resolver to ask.`,
      expected: `${DOCS} leads to ${TARGET}`,
      found: 'nothing was asked',
      remedy: 'The operator of this dashboard has to set DNS_SERVERS to the address of a resolver.',
      add: [],
      remove: [],
      retryAfterSeconds: null,
    },
    pointsHere: false,
    challengeHere: false,
  });
});
