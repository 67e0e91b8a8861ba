import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { PATIENCE_MS, timeUntil } from '@petstore/test-support/within.ts';
import fc from 'fast-check';
import { checkDns } from '../../../server/src/domains/check-dns.ts';
import { readDenial } from '../../../server/src/domains/dns/dnssec/denial.ts';
import { findBrokenLink } from '../../../server/src/domains/dns/dnssec/find-broken-link.ts';
import { dsIn, isDsOf, keysIn } from '../../../server/src/domains/dns/dnssec/keys.ts';
import {
  readSigned,
  type SignedLookUp,
  signedLookUps,
} from '../../../server/src/domains/dns/dnssec/signed-look-up.ts';
import { createVerifier } from '../../../server/src/domains/dns/dnssec/verify-signatures.ts';
import type { Query } from '../../../server/src/domains/dns/message.ts';
import {
  createQuota,
  queryServerOnce,
  readServerAddress,
} from '../../../server/src/domains/dns/query-server.ts';
import { expectationOf, PLATFORM, TARGET } from './support/model-dns.ts';
import { type SignedZone, startSignedZones, WITHOUT_SIGNED_ZONES } from './support/signed-zones.ts';

// Zones signed by BIND's tools, at NLnet Labs' Unbound.

const skip = WITHOUT_SIGNED_ZONES;

const P256 = 'ECDSAP256SHA256';
const LINES = [`docs IN CNAME ${TARGET}.`, '@ IN MX 10 mx'];

interface Case extends SignedZone {
  readonly hostname?: string;
  /** `code/reason` at the resolver that validates. */
  readonly verdict: string;
  /** What the message, and what the remedy says. */
  readonly says?: RegExp;
  readonly remedy?: RegExp;
}

const isDocsCname = (line: string) => /^docs\.\S+\s+\d+\s+IN\s+CNAME/.test(line);
const signatureOver = (type: string) => (line: string) =>
  new RegExp(`^docs\\.\\S+\\s+\\d+\\s+IN\\s+RRSIG\\s+${type} `).test(line);

const ZONES: Record<string, Case> = {
  'p256.test': { lines: LINES, algorithm: P256, verdict: 'verified/verified' },
  'nsec3.test': {
    ...{ lines: LINES, algorithm: P256, options: ['-3', 'aabb', '-H', '5'] },
    verdict: 'verified/verified',
  },
  'p384.test': { lines: LINES, algorithm: 'ECDSAP384SHA384', verdict: 'verified/verified' },
  'ed.test': { lines: LINES, algorithm: 'ED25519', verdict: 'verified/verified' },
  'rsa.test': { lines: LINES, algorithm: 'RSASHA256', verdict: 'verified/verified' },
  'plain.test': { lines: LINES, verdict: 'verified/verified' },
  // Signed, and nobody above says so.
  'island.test': { lines: LINES, algorithm: P256, ds: 'none', verdict: 'verified/verified' },
  'nokey.test': {
    ...{ lines: LINES, ds: 'other', verdict: 'dns_error/dnssec_ds_without_key' },
    says: /^nokey\.test has a DS record for key \d+ at the registrar, and its name servers have no DNSKEY record/,
    remedy: /^Remove the DS record of nokey\.test at the registrar: /,
  },
  'b.a.test': {
    ...{ lines: LINES, ds: 'other', verdict: 'dns_error/dnssec_ds_without_key' },
    remedy: /^Remove the DS record of b\.a\.test in the zone a\.test: /,
  },
  'a.test': { lines: LINES, algorithm: P256, verdict: 'verified/verified' },
  'mismatch.test': {
    ...{ lines: LINES, algorithm: P256, ds: 'other', verdict: 'dns_error/dnssec_key_mismatch' },
    says: /at the registrar is for key \d+, and the zone is signed with keys \d+ and \d+/,
    remedy: /by the zone's own: mismatch\.test DS \d+ 13 2 [0-9A-F]{64}\. Or remove it/,
  },
  'expired.test': {
    ...{ lines: LINES, algorithm: P256, options: ['-s', 'now-60d', '-e', 'now-30d'] },
    verdict: 'dns_error/dnssec_expired',
    says: /^The signature over expired\.test DNSKEY expired on 20\d\d-\d\d-\d\d\./,
    remedy: /signed again/,
  },
  'rsa512.test': { lines: LINES, algorithm: 'RSASHA512', verdict: 'verified/verified' },
  'early.test': {
    ...{ lines: LINES, algorithm: P256, options: ['-s', 'now+30d', '-e', 'now+60d'] },
    verdict: 'dns_error/dnssec_not_yet_valid',
    remedy: /set the clock/,
  },
  'changed.test': {
    ...{ lines: [`docs IN CNAME other.${PLATFORM}.`], algorithm: P256 },
    spoil: (lines) =>
      lines.map((line) => (isDocsCname(line) ? line.replace(/\S+$/, `${TARGET}.`) : line)),
    verdict: 'dns_error/dnssec_wrong_signature',
    says: /^The signature over docs\.changed\.test CNAME does not fit/,
  },
  'changed3.test': {
    ...{ lines: LINES, algorithm: 'RSASHA256', options: ['-3', '-'] },
    spoil: (lines) =>
      lines.map((line) => (isDocsCname(line) ? line.replace(/\S+$/, `x.${TARGET}.`) : line)),
    verdict: 'dns_error/dnssec_wrong_signature',
  },
  'added.test': {
    ...{ lines: LINES, algorithm: P256 },
    spoil: (lines) => lines.filter((line) => !signatureOver('CNAME')(line)),
    verdict: 'dns_error/dnssec_unsigned',
    says: /^The zone added\.test is signed with DNSSEC, and docs\.added\.test CNAME has no signature/,
  },
  'rare.test': {
    ...{ lines: LINES, algorithm: 'ED448', ds: 'other' },
    verdict: 'dns_error/dnssec_algorithm',
    says: /algorithm 16/,
    remedy: /algorithm 13/,
  },
  'denial.test': {
    ...{ lines: LINES, algorithm: P256 },
    hostname: 'none.denial.test',
    spoil: (lines) => lines.filter((line) => !/\s(?:NSEC|RRSIG\s+NSEC)\s/.test(line)),
    verdict: 'dns_error/dnssec_denial',
    remedy: /signed again as a whole/,
  },
  'denied.test': {
    ...{ lines: LINES, algorithm: P256, hostname: 'none.denied.test' },
    verdict: 'no_record/no_record',
  },
  'denied3.test': {
    ...{ lines: LINES, algorithm: P256, options: ['-3', 'cc'], hostname: 'none.denied3.test' },
    verdict: 'no_record/no_record',
  },
};

const MORE = { [PLATFORM]: ['* IN A 192.0.2.10', '* IN AAAA 2001:db8::10'] };

const started = skip ? undefined : await startSignedZones(FILE, ZONES, MORE);

const check = (servers: string[], hostname: string) =>
  // Nobody listens at port 9: the resolvers decide.
  checkDns(expectationOf(hostname), { servers, authoritativePort: 9, arePrivateAllowed: true });

for (const [zone, { hostname = `docs.${zone}`, verdict: wanted, says, remedy }] of Object.entries(
  ZONES,
)) {
  test(`DNSSEC: ${hostname} is ${wanted}`, { skip }, async () => {
    assert.ok(started);
    const { verdict } = await check([started.validating], hostname);
    const told = JSON.stringify(verdict, null, 2);
    assert.equal(`${verdict.code}/${verdict.reason}`, wanted, told);
    if (says) assert.match(verdict.message, says, told);
    if (remedy) assert.match(verdict.remedy, remedy, told);
    const isBogus = wanted.startsWith('dns_error');
    const plain = await check([started.plain], hostname);
    if (isBogus) assert.match(plain.verdict.code, /verified|no_record|near_miss/, told);
    // One that validates is enough.
    const both = await check([started.plain, started.validating], hostname);
    assert.equal(`${both.verdict.code}/${both.verdict.reason}`, wanted);
    // In front of another resolver this one gives some answers to nobody, and does not say why.
    const other = await check([started.recursor], hostname);
    assert.equal(other.verdict.code, wanted.split('/')[0], JSON.stringify(other.verdict));
  });
}

/** What the resolver that does not validate has, of which only the keys of `test` are trusted. */
function unproven(server: string): SignedLookUp {
  const bounds = { signal: AbortSignal.timeout(PATIENCE_MS), quota: createQuota() };
  const lookUp = signedLookUps(readServerAddress(server), bounds);
  return async (name, ...rest) => {
    const response = await lookUp(name, ...rest);
    return response && { ...response, isAuthentic: name === 'test' };
  };
}

const link = (server: string, name: string, type: 'CNAME' | 'MX', now = Date.now()) =>
  findBrokenLink(unproven(server), { name, type, extended: [] }, now);

test('DNSSEC: signatures of each algorithm, and both kinds of denial, are valid from the keys of a zone far above', {
  skip,
}, async () => {
  assert.ok(started);
  const sound = Object.entries(ZONES).filter(
    ([, { algorithm, ds, verdict }]) => algorithm && !ds && !verdict.startsWith('dns_error'),
  );
  assert.ok(sound.length >= 8);
  for (const [zone, { hostname = `docs.${zone}` }] of sound) {
    const { reason } = await link(started.plain, hostname, 'CNAME');
    assert.equal(reason, 'dnssec_bogus', `${zone}: no link is broken`);
    // The same a year later, so that each signature was looked at.
    const late = await link(started.plain, hostname, 'CNAME', Date.now() + 366 * 86_400_000);
    assert.deepEqual([late.reason, late.at], ['dnssec_expired', `${zone} DS`]);
    const mx = await link(started.plain, zone, 'MX');
    assert.equal(mx.reason, 'dnssec_bogus', `${zone} MX`);
  }
});

test('DNSSEC: what a resolver does not believe is no verdict of the zone’s own servers', {
  skip,
}, async (t) => {
  assert.ok(started);
  const own = await startNameServer({
    zones: { 'changed.test': [{ name: 'docs.changed.test', type: 'CNAME', value: TARGET }] },
  });
  cleanUp(t, own.close);
  const { verdict, pointsHere } = await checkDns(expectationOf('docs.changed.test'), {
    servers: [started.validating],
    authoritativePort: own.port,
    arePrivateAllowed: true,
  });
  assert.ok(own.queries.includes('docs.changed.test CNAME'));
  assert.equal(verdict.reason, 'dnssec_wrong_signature');
  assert.ok(pointsHere);
});

test('DNSSEC: a name without signatures costs no query more, and one that is not valid a bounded number', {
  skip,
}, async (t) => {
  const server = await startNameServer({ zones: { 'example.test': [], [PLATFORM]: [] } });
  cleanUp(t, server.close);
  await check([server.server], 'docs.example.test');
  const types = new Set(server.queries.map((query) => query.split(' ').at(-1)));
  assert.deepEqual([...types].sort(), ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'TXT']);
});

test('DNSSEC: a response that was lost is asked for once more', async (t) => {
  const server = await startNameServer({ zones: { 'example.test': [] } });
  cleanUp(t, server.close);
  server.injectFault('drop');
  const bounds = { signal: AbortSignal.timeout(PATIENCE_MS), quota: createQuota() };
  const lookUp = signedLookUps(readServerAddress(server.server), bounds);
  const response = lookUp('example.test', 'DNSKEY', true);
  await timeUntil(async () => server.queries.length > 0);
  server.clearFaults();
  assert.ok(await response);
});

test('DNSSEC: responses with any bytes changed are read within bounds, and never throw', {
  skip,
}, async () => {
  assert.ok(started);
  const messages: { query: Query; message: Buffer }[] = [];
  const limits = {
    timeoutMs: PATIENCE_MS,
    signal: AbortSignal.timeout(PATIENCE_MS),
    quota: createQuota(),
  };
  for (const [name, type] of [
    ['rsa.test', 'DNSKEY'],
    ['rsa.test', 'DS'],
    ['none.denied3.test', 'CNAME'],
    ['none.denied.test', 'CNAME'],
  ] as const) {
    const question = { name, type, isRecursive: true, isSigned: true, isUnchecked: true };
    await queryServerOnce(readServerAddress(started.plain), question, limits, (query, message) => {
      messages.push({ query, message });
      return {};
    });
  }
  assert.equal(messages.length, 4);
  fc.assert(
    fc.property(
      fc.constantFrom(...messages),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      ({ query, message }, changes) => {
        const changed = Buffer.from(message);
        for (const [at, byte] of changes) changed[12 + (at % (changed.length - 12))] = byte;
        const read = readSigned(query, changed);
        if (typeof read !== 'object' || 'kind' in read) return;
        const [name, zone] = ['a.b.rsa.test', 'rsa.test'];
        readDenial(read.authority, { name, type: 5, zone });
        for (const set of [...read.answer, ...read.authority]) {
          createVerifier(Date.now() / 1_000).problemOf(set, zone, keysIn(set));
          dsIn(set).map((ds) => keysIn(set).map((key) => isDsOf(ds, key, set.owner)));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
