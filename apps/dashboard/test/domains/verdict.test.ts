import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import { DnsRecord, VERDICT_CODES, Verdict } from '../../server/src/domains/verdict.ts';

const RECORD = {
  ...{ type: 'CNAME', name: 'docs.example.com', host: 'docs' },
  ...{ value: 'k7m2q9x4w8.sites.example.net', ttl: 3_600 },
};
const REMOVED = { type: 'CNAME', name: 'docs.example.com', value: 'pages.example.org' };
const AUTHORITY = {
  ...{ name: 'Private', directoryUrl: 'https://private.test/directory' },
  ...{ identity: 'private.test', isAllowed: true },
};
const VERDICT = {
  ...{ code: 'wrong_target', reason: 'wrong_target', message: 'It leads to another host.' },
  ...{ expected: 'a record', found: 'another record', remedy: 'Change it.', add: [RECORD] },
  remove: [REMOVED],
  retryAfterSeconds: 300,
};

const schemaOfRecord = Compile(DnsRecord);
const schemaOfVerdict = Compile({ DnsRecord }, Verdict);

/** Each member of a thing, and the thing without it. */
const withoutEach = (thing: object): [member: string, rest: object][] =>
  Object.keys(thing).map((member) => [
    member,
    Object.fromEntries(Object.entries(thing).filter(([name]) => name !== member)),
  ]);

test('a record to create is of a type that a zone can have, and has each of its members', () => {
  for (const type of ['CNAME', 'ALIAS', 'TXT', 'CAA', 'A', 'AAAA', 'NS']) {
    assert.ok(schemaOfRecord.Check({ ...RECORD, type }), type);
  }
  for (const type of ['', 'MX', 'cname']) {
    assert.ok(!schemaOfRecord.Check({ ...RECORD, type }), type);
  }
  for (const [member, rest] of withoutEach(RECORD)) assert.ok(!schemaOfRecord.Check(rest), member);
});

test('a verdict has one of the codes that clients know, and each of its members but the authorities', () => {
  const isVerdict = (changes: object) => schemaOfVerdict.Check({ ...VERDICT, ...changes });
  for (const code of VERDICT_CODES) assert.ok(isVerdict({ code }), code);
  assert.ok(!isVerdict({ code: 'other' }));
  for (const [member, rest] of withoutEach(VERDICT))
    assert.ok(!schemaOfVerdict.Check(rest), member);
  assert.ok(isVerdict({ retryAfterSeconds: null, add: [], remove: [] }));
  assert.ok(!isVerdict({ add: [{ ...RECORD, type: 'MX' }] }));
  assert.ok(isVerdict({ authorities: [AUTHORITY] }));
  for (const [member, rest] of withoutEach(AUTHORITY)) {
    assert.ok(!isVerdict({ authorities: [rest] }), member);
  }
  for (const [member, rest] of withoutEach(REMOVED)) {
    assert.ok(!isVerdict({ remove: [rest] }), member);
  }
});

test('the document names the two schemas by their ids', () => {
  const idOf = (schema: object) => ('$id' in schema ? schema.$id : undefined);
  assert.deepEqual([idOf(DnsRecord), idOf(Verdict)], ['DnsRecord', 'Verdict']);
});
