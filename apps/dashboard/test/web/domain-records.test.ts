import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { DnsRecord, Verdict } from '../../server/src/domains/verdict.ts';
import { instructions } from '../../web/src/domains/instructions.ts';
import { recordStatus, zoneOf } from '../../web/src/domains/records.ts';
import { remedyOf, waitInWords } from '../../web/src/domains/remedy.ts';
import {
  added,
  checked,
  prepared,
  readyToMove,
  VERIFIED,
  verdict,
} from '../support/domain-responses.ts';

const [CNAME] = added().records as [DnsRecord];
const TXT: DnsRecord = {
  type: 'TXT',
  name: '_docs-challenge.docs.example.com',
  host: '_docs-challenge.docs',
  value: 'docs-verify=abc',
  ttl: 3_600,
};
const CAA: DnsRecord = {
  type: 'CAA',
  name: 'example.com',
  host: '@',
  value: '0 issue "letsencrypt.org"',
  ttl: 3_600,
};

test('a record is right, almost right, another, missing or unknown as the last check says', () => {
  const statusOf = (record: DnsRecord, found: Verdict | null) =>
    recordStatus(record, added({ verdict: found }));
  assert.equal(statusOf(CNAME, null), 'unknown');
  assert.equal(statusOf(CNAME, verdict('no_record')), 'missing');
  assert.equal(statusOf(CNAME, verdict('dns_error', { add: [] })), 'unknown');
  assert.equal(statusOf(CNAME, verdict('caa_blocks', { add: [CAA] })), 'right');
  assert.equal(statusOf(CNAME, verdict('ownership_missing', { add: [TXT] })), 'right');
  assert.equal(statusOf(TXT, verdict('ownership_missing', { add: [] })), 'missing');
  assert.equal(statusOf(CNAME, VERIFIED), 'right');
  const add = [CNAME, TXT];
  const typo = verdict('near_miss', { reason: 'target_typo', add });
  assert.deepEqual([statusOf(CNAME, typo), statusOf(TXT, typo)], ['almost', 'missing']);
  const proof = verdict('near_miss', { reason: 'proof_typo', add: [TXT] });
  assert.deepEqual([statusOf(CNAME, proof), statusOf(TXT, proof)], ['right', 'almost']);
  const other = verdict('wrong_target', { reason: 'wrong_target', add });
  assert.deepEqual([statusOf(CNAME, other), statusOf(TXT, other)], ['other', 'missing']);
  const another = verdict('ownership_missing', { reason: 'wrong_value', add: [TXT] });
  assert.equal(statusOf(TXT, another), 'other');
});

test('the records of a prepared domain say which one to create now, and when to change the other', () => {
  const statuses = (domain: Domain) => domain.records.map((one) => recordStatus(one, domain));
  assert.deepEqual(statuses(prepared({ verdict: null })), ['unknown', 'later']);
  assert.deepEqual(statuses(prepared()), ['missing', 'later']);
  const wrong = (code: Verdict['code'], reason: string) => verdict(code, { reason, add: [] });
  const cases = [
    ['near_miss', 'challenge_typo', 'almost'],
    ['wrong_target', 'challenge_other_claim', 'other'],
    ['conflicting_record', 'challenge_conflict', 'missing'],
    ['dns_error', 'servfail', 'unknown'],
    ['caa_blocks', 'issuer', 'right'],
  ] as const;
  for (const [code, reason, status] of cases)
    assert.deepEqual(statuses(prepared({ verdict: wrong(code, reason) })), [status, 'later']);
  assert.deepEqual(statuses(readyToMove({ state: 'verified', certificate: null })), [
    'right',
    'later',
  ]);
  assert.deepEqual(statuses(readyToMove()), ['right', 'now']);
  const typo = wrong('near_miss', 'target_typo');
  assert.deepEqual(statuses(readyToMove({ verdict: typo })), ['right', 'almost']);
  const moved = { pointsHere: true, verdict: VERIFIED };
  assert.deepEqual(statuses(readyToMove(moved)), ['right', 'right']);
});

test('the instructions for a prepared domain leave its own record until the certificate is there', () => {
  const before = instructions(prepared(), null);
  assert.match(before, /Host: {2}_acme-challenge\.docs .*Leave docs\.example\.com as it is/s);
  const after = instructions(readyToMove(), null);
  assert.match(after, /The certificate is there\. Please put this record in the place/);
});

test('what to do is to remove and create records, where that helps', () => {
  const remove = [{ type: 'A', name: 'docs.example.com', value: '203.0.113.7' }];
  const conflict = verdict('conflicting_record', { reason: 'instead_of_cname', remove });
  assert.deepEqual(remedyOf(added())?.add, [CNAME], 'before the first check');
  assert.deepEqual(remedyOf(checked(conflict))?.remove, remove);
  assert.match(remedyOf(checked(conflict))?.otherwise ?? '', /proxy/);
  assert.deepEqual(remedyOf(checked(verdict('caa_blocks', { add: [CAA] })))?.add, [CAA]);
  assert.equal(remedyOf(checked(verdict('dns_error', { add: [] }))), undefined);
});

test('one sentence says how long to wait, with what resolvers still repeat', () => {
  assert.match(waitInWords(-5), /^A change is usually seen within minutes; .* 48 hours\.$/);
  assert.match(waitInWords(60), / for 1 minute more\)/);
  assert.match(waitInWords(830), / for 14 minutes more\)/);
  assert.match(waitInWords(86_400), / for 1 day more\)/);
});

test('the zone is what panels add to the host', () => {
  assert.equal(zoneOf(CNAME), 'example.com');
  assert.equal(zoneOf(TXT), 'example.com');
  assert.equal(zoneOf(CAA), 'example.com');
});

test('the instructions hold all that is to be added and removed, and the link', () => {
  const found = verdict('caa_blocks', {
    add: [CAA],
    remove: [{ type: 'A', name: 'docs.example.com', value: '203.0.113.7' }],
  });
  const text = instructions(checked(found), 'https://dashboard.example.com/d/abc');
  for (const part of [CNAME.value, CAA.value, 'A docs.example.com 203.0.113.7', found.message]) {
    assert.ok(text.includes(part), part);
  }
  assert.match(text, /https:\/\/dashboard\.example\.com\/d\/abc$/);
  assert.match(text, /Keep the CAA records that are there already/);
  const failed = verdict('dns_error', { add: [], remedy: 'Ask whoever runs the name servers.' });
  assert.match(instructions(checked(failed), 'x'), /Ask whoever runs the name servers/);
  assert.doesNotMatch(instructions(checked(VERIFIED), 'x'), /Last check/);
  assert.doesNotMatch(instructions(checked(found), null), /without signing in|null/);
});
