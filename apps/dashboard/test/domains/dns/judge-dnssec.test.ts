import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type BrokenLink,
  type BrokenLinkReason,
  reasonOfCodes,
} from '../../../server/src/domains/dns/dnssec/broken-link.ts';
import type { View } from '../../../server/src/domains/dns/observation.ts';
import { expectationOf, PROOF } from './support/model-dns.ts';
import {
  APEX,
  apexRight,
  type Cases,
  chain,
  cname,
  DOCS,
  judged,
  type Name,
  named,
  own,
  proven,
  right,
  verdictsInWords,
} from './support/views.ts';

// What is said of a chain of trust that is broken, link by link, to the letter. To look at the letters after a change of
// them: node --test --test-update-snapshots apps/dashboard/test/domains/dns/judge-dnssec.test.ts

const VERDICTS = join(import.meta.dirname, 'fixtures/dnssec-verdicts.txt');

/** The last second of a day, so that a second more would be another one. */
const INSTANT = Date.UTC(2026, 1, 28, 23, 59, 59) / 1_000;

const brokenLink = (reason: BrokenLinkReason, link: Partial<BrokenLink> = {}) => ({
  brokenLink: { reason, zone: APEX, at: `${APEX} DNSKEY`, extended: [], ...link },
});
const bogus = (...link: Parameters<typeof brokenLink>) => ({
  ...chain('dnssec_bogus'),
  ...brokenLink(...link),
});
const DS = ['12345 13 2 AB', '12345 13 4 CD'];
const MISMATCH = { named: [1, 2], present: [3], rightDs: DS };
const extended = (...all: (readonly [code: number, text: string])[]) => ({
  extended: all.map(([code, text]) => ({ code, text })),
});

const LINKS: Cases = {
  'a DS record and no key': bogus('dnssec_ds_without_key', { named: [12345] }),
  'two DS records for one key, and no key': bogus('dnssec_ds_without_key', { named: [7, 7] }),
  'DS records and no key': bogus('dnssec_ds_without_key', { named: [1, 2, 3] }),
  'a DS record of a zone below the domain': bogus('dnssec_ds_without_key', {
    ...{ zone: 'b.example.com', at: 'b.example.com DNSKEY', named: [1] },
  }),
  'a DS record of a top-level domain': bogus('dnssec_ds_without_key', {
    ...{ zone: 'com', at: 'com DNSKEY', named: [1] },
  }),
  'a DS record for other keys': bogus('dnssec_key_mismatch', MISMATCH),
  'a DS record for another key, and no key that one may name': bogus('dnssec_key_mismatch', {
    ...{ named: [1], present: [3, 4], rightDs: [] },
  }),
  'a DS record for another key, and no key that may sign': bogus('dnssec_key_mismatch', {
    ...{ named: [1], present: [], rightDs: [] },
  }),
  'a DS record for other keys, of a zone below the domain': bogus('dnssec_key_mismatch', {
    ...MISMATCH,
    ...{ zone: 'b.example.com', at: 'b.example.com DNSKEY' },
  }),
  'a DS record for other keys, as the resolver says': bogus('dnssec_key_mismatch', {
    at: `${DOCS} CNAME`,
  }),
  'a signature that has expired': bogus('dnssec_expired', { instant: INSTANT }),
  'a signature that has expired, as the resolver says': bogus('dnssec_expired'),
  'a signature of the root that has expired': bogus('dnssec_expired', {
    ...{ zone: '', at: 'com DS', instant: INSTANT },
  }),
  'a signature that is not valid yet': bogus('dnssec_not_yet_valid', { instant: INSTANT }),
  'a signature that is not valid yet, as the resolver says': bogus('dnssec_not_yet_valid'),
  'a signature of the root that is not valid yet': bogus('dnssec_not_yet_valid', {
    ...{ zone: '', at: 'com DS', instant: INSTANT },
  }),
  'a signature that does not fit': bogus('dnssec_wrong_signature', { at: `${DOCS} CNAME` }),
  'a signature of the root that does not fit': bogus('dnssec_wrong_signature', {
    ...{ zone: '', at: 'com DS' },
  }),
  'no signature': bogus('dnssec_unsigned', { at: `${DOCS} CNAME` }),
  'no signature in the root': bogus('dnssec_unsigned', { zone: '', at: 'com DS' }),
  'an algorithm that is rare': bogus('dnssec_algorithm', { algorithm: 16 }),
  'an algorithm that is rare, as the resolver says': bogus('dnssec_algorithm'),
  'an algorithm that is rare, of a zone below the domain': bogus('dnssec_algorithm', {
    ...{ zone: 'b.example.com', at: 'b.example.com DNSKEY', algorithm: 16 },
  }),
  'an algorithm of the root that is rare': bogus('dnssec_algorithm', {
    ...{ zone: '', at: 'com DS', algorithm: 16 },
  }),
  'no proof that there is no record': bogus('dnssec_denial', { at: `${DOCS} CNAME` }),
  'no proof that there is no record in the root': bogus('dnssec_denial', {
    ...{ zone: '', at: 'com DS' },
  }),
  'nothing that can be found': bogus('dnssec_bogus', { at: `${DOCS} CNAME` }),
  'nothing that can be found, of a zone below the domain': bogus('dnssec_bogus', {
    ...{ zone: 'b.example.com', at: 'b.example.com CNAME' },
  }),
  'nothing that was looked for': chain('dnssec_bogus'),
  'an answer for addresses that is not valid': own({ A: { kind: 'dnssec_bogus' } }),
  'an answer behind the name that is not valid': {
    ...chain('dnssec_bogus', cname('a.example.org'), cname('b.example.org', 'a.example.org')),
    ...brokenLink('dnssec_bogus', { zone: 'example.org', at: 'b.example.org CNAME' }),
  },
  'right, and no CAA record that can be believed': {
    ...right,
    caa: { name: APEX, failure: 'dnssec_bogus' },
    ...brokenLink('dnssec_denial', { at: `${APEX} CAA` }),
  },
  "right, and no address of the platform's that can be believed": {
    ...right,
    target: { addresses: [], failure: 'dnssec_bogus' },
  },
  "the resolver's own words": bogus('dnssec_bogus', extended([6, 'no "DS" \u0007here'], [12, ''])),
  'more words of the resolver than are told': bogus(
    'dnssec_expired',
    extended([1, ''], [2, ''], [4_711, 'x'], [9, 'four']),
  ),
  ...Object.fromEntries(
    [5, 6, 7, 8, 9, 10, 11, 12, 13].map((code) => [
      `the resolver's code ${code}`,
      bogus(reasonOfCodes([{ code, text: '' }]), { ...extended([code, '']), at: `${DOCS} A` }),
    ]),
  ),
  'a name with what is not seen': bogus('dnssec_unsigned', { at: 'a\u202eb.example.com TXT' }),
};

const CLAIMED: Cases = {
  'right, and no proof that can be believed': {
    ...right,
    ...proven([], undefined, 'dnssec_bogus'),
    ...brokenLink('dnssec_unsigned', { at: `${APEX} TXT` }),
  },
};

const NAMES: readonly Name[] = [
  [DOCS, LINKS, expectationOf(DOCS)],
  ['docs.example.com, to be proven', CLAIMED, expectationOf(DOCS, PROOF)],
  [APEX, { 'no key': bogus('dnssec_ds_without_key', { named: [1] }) }, expectationOf(APEX)],
];

test('of each link at which a chain of trust can break it is said what is wrong with it, and who has to mend it', (t) => {
  t.assert.fileSnapshot(verdictsInWords(NAMES), VERDICTS, { serializers: [String] });
});

test('no sentence about a broken link has a gap where something is not known', () => {
  const gap =
    /undefined|NaN|1970-|keys? [,.;]|keys? (?:at|in) |the zone the|zone (?: |[,.;])|of {2}/;
  assert.doesNotMatch(verdictsInWords(NAMES), gap);
});

const EXPECTED = expectationOf(DOCS);
const broken = bogus('dnssec_expired', { instant: INSTANT });

test('a resolver whose answer is not valid is no witness for one that is, and one that has validated is', () => {
  const since = { ...right, isAuthentic: true };
  const both = { ...since, ...brokenLink('dnssec_expired', { instant: INSTANT }) };
  // An answer that is believed, beside one for CAA that is not.
  const caaBogus = { ...both, caa: { name: APEX, failure: 'dnssec_bogus' } as const };
  const of = (...resolvers: View[]) => judged([], EXPECTED, resolvers).verdict.reason;
  assert.equal(of(named('r1', caaBogus)), 'dnssec_expired');
  assert.equal(of(named('r1', right), named('r2', caaBogus)), 'dnssec_expired');
  assert.equal(of(named('r1', since), named('r2', caaBogus)), 'verified');
  const late = named('r2', chain('addresses', cname('pages.example.org')));
  const what = 'what is broken does not matter';
  assert.equal(of(named('r1', both), late), 'propagating', what);
});

test('a server of the zone whose answer is not valid is left out, as one that does not answer', () => {
  const bogusAt = named('ns1', chain('dnssec_bogus'));
  assert.equal(judged([bogusAt, named('ns2', right)], EXPECTED).verdict.reason, 'verified');
  assert.equal(judged([bogusAt], EXPECTED, [named('r1', right)]).verdict.reason, 'verified');
});

test('an apex that the zone has right, and whose answer no resolver believes, still has its visitors here', () => {
  const apex = named('ns1', apexRight);
  const seen = judged([apex], expectationOf(APEX), [named('r1', broken)]);
  assert.deepEqual([seen.verdict.reason, seen.pointsHere], ['dnssec_expired', true]);
  const nobody = judged([], expectationOf(APEX), [named('r1', broken)]);
  assert.deepEqual([nobody.pointsHere, nobody.challengeHere], [false, false]);
});
