import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authority } from '../../../server/src/domains/dns/expectation.ts';
import { allowingLine, caaBlock, parseCaa } from '../../../server/src/domains/dns/rules/caa.ts';

const ACCOUNT = 'https://ca.test/acct/1';
const AUTHORITY: Authority = {
  identities: ['ca.test', 'also.test', 'k.test'],
  accountUri: ACCOUNT,
  methods: ['http-01'],
};

/** Sets of records, and why each blocks: RFC 8659, sections 4.1 to 4.5, and RFC 8657. */
const SETS: [records: readonly string[], why: string | undefined][] = [
  [[], undefined],
  [['0 iodef "mailto:a@b.test"'], undefined],
  [['0 issue "ca.test"'], undefined],
  [['0 ISSUE "CA.test"'], undefined],
  [['128 issue "ca.test"'], undefined],
  [['0 issue "also.test"'], undefined],
  [['0 issue " \t ca.test ;\t"'], undefined],
  [['0 issue "ca.test; x=y; z="'], undefined],
  [['0 issue "other.test"', '0 issue "ca.test"'], undefined],
  [['0 issue ";"', '0 issue "ca.test"'], undefined],
  [['0 issue "other.test"'], 'issuer'],
  [['0 issue ";"'], 'issuer'],
  [['0 issue ""'], 'issuer'],
  [['0 issue "%%%%%"'], 'issuer'],
  [['0 issue "ca.test x=y"'], 'issuer'],
  [['0 issue "ca.test; x"'], 'issuer'],
  [['0 issue "ca.test; x=a b"'], 'issuer'],
  [['0 issue "ca.test; a x=b"'], 'issuer'],
  [['0 issue "ca .test"'], 'issuer'],
  [['0 issue "K.test"'], undefined],
  // The sign of kelvin, whose lower case is the letter.
  [['0 issue "\u212a.test"'], 'issuer'],
  [['0 issue "ca.test;;"'], undefined],
  [['0 issue "ca.test; ;x=y"'], undefined],
  [['0 issue "sub.ca.test"'], 'issuer'],
  [['0 issue "ca.test."'], 'issuer'],
  // What wildcards are allowed is another question.
  [['0 issuewild ";"'], undefined],
  [['0 issuewild "ca.test"', '0 issue ";"'], 'issuer'],
  [['0 issuewild ";"', '0 issue "ca.test"'], undefined],
  // A property that nobody knows matters when it is critical, whatever else is there.
  [['0 tbs "x"'], undefined],
  [['127 tbs "x"', '0 issue "ca.test"'], undefined],
  [['128 tbs "x"'], 'unknown_critical'],
  [['129 tbs "x"', '0 issue "ca.test"'], 'unknown_critical'],
  [['128 iodef "mailto:a@b.test"'], undefined],
  [['128 issuewild "other.test"'], undefined],
  [['128 issuemail "other.test"'], undefined],
  [['128 issuevmc "other.test"'], undefined],
  // RFC 8657
  [[`0 issue "ca.test; accounturi=${ACCOUNT}"`], undefined],
  [[`0 issue "ca.test; AccountURI = ${ACCOUNT}"`], undefined],
  [[`0 issue "ca.test; accounturi=${ACCOUNT}0"`], 'accounturi'],
  [['0 issue "ca.test; accounturi="'], 'accounturi'],
  [[`0 issue "ca.test; accounturi=${ACCOUNT}; accounturi=${ACCOUNT}"`], 'accounturi'],
  [['0 issue "ca.test; accounturi=x"', '0 issue "ca.test"'], undefined],
  [['0 issue "other.test; accounturi=x"'], 'issuer'],
  [['0 issue "ca.test; validationmethods=dns-01,http-01"'], undefined],
  [['0 issue "ca.test; validationmethods=dns-01,HTTP-01"'], undefined],
  [['0 issue "ca.test; validationmethods=dns-01, http-01"'], 'issuer'],
  [['0 issue "ca.test; validationmethods=dns-01"'], 'validationmethods'],
  [['0 issue "ca.test; validationmethods="'], 'validationmethods'],
  [
    ['0 issue "ca.test; validationmethods=http-01; validationmethods=http-01"'],
    'validationmethods',
  ],
  [
    ['0 issue "ca.test; accounturi=x"', '0 issue "ca.test; validationmethods=y"'],
    'validationmethods',
  ],
  [[`0 issue "ca.test; accounturi=${ACCOUNT}; validationmethods=http-01"`], undefined],
  [['no record at all'], undefined],
];

test('a set of CAA records blocks the authority where the standards say so', () => {
  for (const [records, why] of SETS) {
    assert.equal(caaBlock(records, AUTHORITY)?.why, why, records.join(' | '));
  }
});

test('the line to add lifts every block but that of a critical property', () => {
  for (const [records, why] of SETS) {
    if (why === 'unknown_critical') continue;
    const added = [...records, allowingLine(records, AUTHORITY)];
    assert.equal(caaBlock(added, AUTHORITY), undefined, added.join(' | '));
  }
});

test('the line to add keeps the bounds that the records set', () => {
  const line = (record: string, authority = AUTHORITY) => allowingLine([record], authority);
  assert.equal(line('0 issue "other.test; accounturi=x"'), '0 issue "ca.test"');
  assert.equal(
    line('0 issue "ca.test; accounturi=x; validationmethods=dns-01"'),
    `0 issue "ca.test; accounturi=${ACCOUNT}; validationmethods=http-01"`,
  );
  const forWildcards = '0 issuewild "ca.test; accounturi=x; validationmethods=dns-01"';
  const issue = '0 issue "other.test"';
  assert.equal(allowingLine([forWildcards, issue], AUTHORITY), '0 issue "ca.test"');
  assert.equal(
    allowingLine([forWildcards, issue], AUTHORITY, true),
    `0 issuewild "ca.test; accounturi=${ACCOUNT}; validationmethods=http-01"`,
  );
  const isNew = { ...AUTHORITY, accountUri: undefined };
  assert.equal(line('0 issue "ca.test; accounturi=x"', isNew), '0 issue "ca.test"');
});

test('records are read as zone files have them', () => {
  assert.deepEqual(parseCaa('0 issue "a "quoted" one"'), {
    isCritical: false,
    tag: 'issue',
    value: 'a "quoted" one',
  });
  assert.deepEqual(parseCaa('128 TBS ""'), { isCritical: true, tag: 'tbs', value: '' });
  for (const text of ['x 128 tbs "x"', '128 tbs "x" x', '128 tbs x']) {
    assert.deepEqual(parseCaa(text), { isCritical: false, tag: '', value: '' }, text);
  }
});
