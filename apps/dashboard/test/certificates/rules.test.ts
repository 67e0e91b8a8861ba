import assert from 'node:assert/strict';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createIssuing, type Issuing } from '@petstore/lab/certificate-authority/issuing.ts';
import fc from 'fast-check';
import { readProblem, readRetryAfter } from '../../server/src/certificates/acme-transport.ts';
import { backoff } from '../../server/src/certificates/backoff.ts';
import { ariIdOf, checkChain } from '../../server/src/certificates/check-chain.ts';
import { STEP_MESSAGES, STEPS, stepOf } from '../../server/src/certificates/issuance.ts';
import {
  blameOf,
  explainProblem,
  type Problem,
  problemToShow,
} from '../../server/src/certificates/problem.ts';
import { OWN_TYPES, STANDARD_TYPES } from '../../server/src/certificates/problem-table.ts';
import {
  isExpiringSoon,
  renewalTime,
  timeInWindow,
} from '../../server/src/certificates/renewal.ts';
import { makePrivateKey } from '../../server/src/certificates/sealing.ts';
import { PublicKey } from '../../server/src/certificates/x509.ts';
import { HOST } from './support/lab.ts';

const DAY_MS = 24 * 3_600_000;

/** RFC 8555, section 6.7. */
const RFC_TYPES = [
  'accountDoesNotExist',
  'alreadyRevoked',
  'badCSR',
  'badNonce',
  'badPublicKey',
  'badRevocationReason',
  'badSignatureAlgorithm',
  'caa',
  'compound',
  'connection',
  'dns',
  'externalAccountRequired',
  'incorrectResponse',
  'invalidContact',
  'malformed',
  'orderNotReady',
  'rateLimited',
  'rejectedIdentifier',
  'serverInternal',
  'tls',
  'unauthorized',
  'unsupportedContact',
  'unsupportedIdentifier',
  'userActionRequired',
];

test('each problem of the table, and of RFC 8555, has an explanation of its own, and so has one that is not known', () => {
  const explain = (type: string) => explainProblem({ type, detail: '', at: 0 }, HOST);
  const unknown = explain('somethingNew');
  const types = new Set([...RFC_TYPES, ...STANDARD_TYPES, ...OWN_TYPES]);
  const all = [...types].map(explain);
  assert.equal(new Set([unknown, ...all]).size, all.length + 1);
  for (const words of [unknown, ...all]) assert.match(words, /^[A-Z].{30,}\.$/);
  for (const member of ['constructor', 'toString', '__proto__']) {
    assert.equal(explain(member), unknown, 'a type that every object has as a member');
    assert.equal(blameOf({ type: member, detail: '', at: 0 }), 'authority for this name');
  }
});

test('what another challenge found is shown where it tells more than what the first one did', () => {
  const http: Problem = { type: 'connection', detail: 'a', at: 1, challenge: 'http-01' };
  const tls: Problem = { type: 'unauthorized', detail: 'b', at: 2, challenge: 'tls-alpn-01' };
  assert.deepEqual(problemToShow(http, tls), { ...http, alsoFailed: 'tls-alpn-01' });
  const wrong: Problem = { ...http, type: 'unauthorized' };
  assert.deepEqual(problemToShow({ ...tls, type: 'connection' }, wrong), wrong);
  assert.deepEqual(problemToShow(wrong, tls), tls, 'the first had got through');
  const caa: Problem = { type: 'caa', detail: 'c', at: 3, challenge: 'tls-alpn-01' };
  assert.deepEqual(problemToShow(http, caa), caa);
  assert.deepEqual(problemToShow({ ...http, alsoFailed: 'tls-alpn-01' }, http), http);
});

test('a problem document is read whatever it holds', () => {
  const urn = 'urn:ietf:params:acme:error:';
  assert.deepEqual(readProblem({ type: `${urn}caa`, detail: 'no' }, 403), {
    type: 'caa',
    detail: 'no',
    status: 403,
  });
  const html = { type: 'serverInternal', detail: 'HTTP status 502', status: 502 };
  assert.deepEqual(readProblem('<html>', 502), html);
  const compound = { type: `${urn}compound`, detail: 'a.', subproblems: [{ detail: 'b.' }, 7] };
  assert.equal(readProblem(compound, 400).detail, 'a. b.');
  fc.assert(
    fc.property(fc.anything(), fc.integer({ min: 400, max: 599 }), (body, status) => {
      const { type, detail } = readProblem(body, status);
      assert.ok(type !== '' && detail !== '' && detail.length <= 1_000);
    }),
  );
});

test('Retry-After is read in both forms, and kept within bounds', () => {
  const bounds = [1_000, 60_000] as const;
  const now = Date.parse('2026-11-21T12:00:00Z');
  assert.equal(readRetryAfter('30', now, bounds), 30_000);
  assert.equal(readRetryAfter('0', now, bounds), 1_000);
  assert.equal(readRetryAfter('86400', now, bounds), 60_000);
  assert.equal(readRetryAfter('Sat, 21 Nov 2026 12:00:20 GMT', now, bounds), 20_000);
  assert.equal(readRetryAfter('Fri, 20 Nov 2026 12:00:00 GMT', now, bounds), 1_000);
  assert.equal(readRetryAfter('soon', now, bounds), undefined);
  assert.equal(readRetryAfter(undefined, now, bounds), undefined);
});

test('waits grow, never shrink, and end at six hours and a little', () => {
  const waits = Array.from({ length: 20 }, (_, at) => backoff(at + 1, 0));
  assert.deepEqual(
    waits,
    waits.toSorted((a, b) => a - b),
  );
  assert.equal(waits[0], 60_000);
  assert.equal(waits.at(-1), 6 * 3_600_000);
  assert.ok(backoff(1, 1) > backoff(1, 0));
  assert.equal(backoff(1, 0, true), 1_000);
  assert.equal(backoff(2, 0, true), backoff(2, 0));
});

test('renewal is due within the life of a certificate, with time left, whatever its length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 400 * DAY_MS }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (length, random) => {
        const at = renewalTime({ notBefore: 0, notAfter: length }, random);
        assert.ok(at >= length * 0.6 - 1 && at <= length * 0.67 + 1);
      },
    ),
  );
  assert.equal(timeInWindow({ start: 10, end: 20 }, 15, 0.9), 15);
  assert.equal(timeInWindow({ start: 10, end: 20 }, 25, 0.5), 15);
});

test('people are warned 14 days before the end, or a sixth of the life of short ones', () => {
  const life = { notBefore: 0, notAfter: 90 * DAY_MS };
  assert.equal(isExpiringSoon(life, 75 * DAY_MS), false);
  assert.equal(isExpiringSoon(life, 77 * DAY_MS), true);
  const short = { notBefore: 0, notAfter: 6 * DAY_MS };
  assert.equal(isExpiringSoon(short, 4.9 * DAY_MS), false);
  assert.equal(isExpiringSoon(short, 5.1 * DAY_MS), true);
});

test('every step has words for the timeline', () => {
  for (const step of STEPS) assert.ok(STEP_MESSAGES[stepOf(step)].endsWith('.'));
  assert.throws(() => stepOf('dance'));
});

async function issued(issuing: Issuing, name: string, lifetimeMs = DAY_MS) {
  const key = await makePrivateKey();
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const { chain, ariId } = await issuing.issue(
    [{ type: 'dns', value: name }],
    new PublicKey(der),
    lifetimeMs,
  );
  return { key, chain, ariId };
}

/** RFC 9773, appendix A. */
const EXAMPLE = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----`;

test('the standard’s example of a certificate has the ARI id that is given with it', () => {
  assert.equal(ariIdOf(new X509Certificate(EXAMPLE)), 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
});

test('a chain is taken only for its own name and key, in its time, and when it holds together', async () => {
  const now = Date.now();
  const issuing = await createIssuing('Test', () => now);
  const { key, chain, ariId } = await issued(issuing, HOST);
  const read = checkChain(chain, HOST, key, now);
  assert.equal(read.ariId, ariId);
  assert.equal(read.issuer, 'Test Test R1');
  assert.match(read.serial, /^[0-9a-f]{32}$/);

  const refused = (why: RegExp, [text, host, pem, at]: [string, string, string, number]) =>
    assert.throws(() => checkChain(text, host, pem, at), { name: 'BadChainError', message: why });
  refused(/not for other\.example\.test/, [chain, 'other.example.test', key, now]);
  refused(/another key/, [chain, HOST, await makePrivateKey(), now]);
  refused(/clock right/, [chain, HOST, key, now + 2 * DAY_MS]);
  refused(/clock right/, [chain, HOST, key, now - 2 * DAY_MS]);
  refused(/no certificate/, ['', HOST, key, now]);
  refused(/cannot be read/, [chain.replace(/\n[A-Za-z]{4}/, '\n!!!!'), HOST, key, now]);
  const wild = await issued(issuing, '*.example.test');
  refused(/not for docs/, [wild.chain, HOST, wild.key, now]);

  const other = await issued(await createIssuing('Other', () => now), HOST);
  const [leaf] = chain.split(/(?<=END CERTIFICATE-----)/);
  const [, foreign] = other.chain.split(/(?<=END CERTIFICATE-----)/);
  refused(/not signed by the next one/, [`${leaf}${foreign}`, HOST, key, now]);
});
