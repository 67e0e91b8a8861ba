import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DnsRecord } from '../../server/src/domains/verdict.ts';
import { instructions } from '../../web/src/domains/instructions.ts';
import { recordStatus, zoneOf } from '../../web/src/domains/records.ts';
import { remedyOf, waitInWords } from '../../web/src/domains/remedy.ts';
import { added, checked, VERIFIED, verdict } from '../support/domain-responses.ts';

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
  assert.equal(recordStatus(CNAME, null), 'unknown');
  assert.equal(recordStatus(CNAME, verdict('no_record')), 'missing');
  assert.equal(recordStatus(CNAME, verdict('dns_error', { add: [] })), 'unknown');
  assert.equal(recordStatus(CNAME, verdict('caa_blocks', { add: [CAA] })), 'right');
  assert.equal(recordStatus(CNAME, verdict('ownership_missing', { add: [TXT] })), 'right');
  assert.equal(recordStatus(TXT, verdict('ownership_missing', { add: [] })), 'missing');
  assert.equal(recordStatus(CNAME, VERIFIED), 'right');
  const add = [CNAME, TXT];
  const typo = verdict('near_miss', { reason: 'target_typo', add });
  assert.deepEqual([recordStatus(CNAME, typo), recordStatus(TXT, typo)], ['almost', 'missing']);
  const proof = verdict('near_miss', { reason: 'proof_typo', add: [TXT] });
  assert.deepEqual([recordStatus(CNAME, proof), recordStatus(TXT, proof)], ['right', 'almost']);
  const other = verdict('wrong_target', { reason: 'wrong_target', add });
  assert.deepEqual([recordStatus(CNAME, other), recordStatus(TXT, other)], ['other', 'missing']);
  const another = verdict('ownership_missing', { reason: 'wrong_value', add: [TXT] });
  assert.equal(recordStatus(TXT, another), 'other');
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
  assert.match(waitInWords(86_400), / for 24 hours more\)/);
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
