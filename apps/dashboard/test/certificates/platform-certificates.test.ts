import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CertificateAuthorityOptions,
  startCertificateAuthority,
} from '@petstore/lab/certificate-authority/certificate-authority.ts';
import type { Call, Fault } from '@petstore/lab/certificate-authority/faults.ts';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { forkChild } from '@petstore/test-support/children.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { PATIENCE_MS } from '@petstore/test-support/within.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { parseProblem } from '../../server/src/certificates/problem.ts';
import { sealerOf } from '../../server/src/certificates/sealing.ts';
import { PLATFORM } from '../../server/src/store/acme-orders.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { findPlatformCertificate } from '../../server/src/store/platform-certificates.ts';
import { clock } from './support/clock.ts';
import { acmeConfig, acmeOf, until } from './support/lab.ts';
import { API, startPlatform, startPlatformHost } from './support/platform.ts';

// The certificates of the installation's own names, at an authority in this process.

coverNoPrograms();

const HOUR_MS = 3_600_000;
const codeCache = process.env.NODE_COMPILE_CACHE ?? (await temporaryFolder(FILE));

async function setUp(t: TestContext, options: Partial<CertificateAuthorityOptions> = {}) {
  const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'store.db')}`;
  const { db, close } = await openDatabase(databaseUrl, 1);
  cleanUp(t, close);
  const key = randomBytes(32);
  const sealer = sealerOf(key, 'a test');
  const zone = [{ name: API, type: 'A', value: '127.0.0.1' } as const];
  const names = await startNameServer({ zones: { 'example.test': zone } });
  cleanUp(t, names.close);
  const httpPort = await startPlatformHost(t, db, sealer);
  const startAuthority = async () => {
    const started = await startCertificateAuthority({
      ...{ httpPort, tlsPort: 9, nameServer: names.server, timeoutMs: PATIENCE_MS, ...options },
    });
    cleanUp(t, started.close);
    return started;
  };
  const authority = await startAuthority();
  const acme = acmeConfig(authority);
  const row = () => findPlatformCertificate(db, API);
  /** The serial number, once the process has done with the certificate: it frees the lease after it has stored it. */
  const issued = () =>
    until(async () => {
      const { serial, leased_by } = (await row()) ?? {};
      return leased_by === null ? (serial ?? undefined) : undefined;
    }, 'the certificate');
  const orders = () => db.selectFrom('acme_orders').selectAll().orderBy('id').execute();
  return { databaseUrl, db, key, sealer, authority, startAuthority, acme, row, issued, orders };
}

describe('killed at any call, the next process goes on with the same order', {
  concurrency: 4,
}, () => {
  for (const call of ['newOrder', 'challenge', 'finalize', 'certificate'] as const)
    for (const phase of ['received', 'done'] as const)
      test(`${call} (${phase})`, (t) => killedAt(t, call, phase));
});

async function killedAt(t: TestContext, at: Call, when: 'received' | 'done'): Promise<void> {
  const { db, sealer, authority, acme, row, issued, orders } = await begunAndKilled(t, at, when);
  const issuer = startPlatform({ db, sealer, acme });
  cleanUp(t, issuer.stop);
  await issued();
  assert.equal(authority.issued, 1);
  assert.equal(authority.ordersByStatus().pending, 0);
  // Where nobody knows of an order, another one is counted and made.
  const made = at === 'newOrder' && when === 'received' ? 2 : 1;
  const states = (await orders()).map(({ state }) => state);
  assert.deepEqual([states.length, states.at(-1)], [made, 'issued']);
  const { order_url, order_key, key_authorization, leased_by } = (await row()) ?? {};
  assert.deepEqual([order_url, order_key, key_authorization, leased_by], [null, null, null, null]);
}

/** What a process leaves that obtained the certificate and was killed at a call. `fault`: of the authority, while it lived. */
async function begunAndKilled(t: TestContext, at: Call, when: 'received' | 'done', fault?: Fault) {
  let child: ChildProcess | undefined;
  const things = await setUp(t, {
    isPrompt: fault !== undefined,
    async onCall(call, phase) {
      if (!child || call !== at || phase !== when) return;
      const killed = child;
      child = undefined;
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      if (phase === 'received') throw new Error('nothing comes of it');
    },
  });
  const { databaseUrl, key, acme, authority, row } = things;
  if (fault) authority.injectFault(fault);
  const options = JSON.stringify({ databaseUrl, key: key.toString('base64'), acme });
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  child = forkChild(t, new URL('./support/platform-process.ts', import.meta.url), [options], {
    env: { ...env, NODE_COMPILE_CACHE: codeCache },
  });
  await once(child, 'message');
  const killed = once(child, 'exit', { signal: AbortSignal.timeout(120_000) });
  child.send('begin');
  assert.equal((await killed)[1], 'SIGKILL');
  assert.equal((await row())?.chain, null);
  authority.clearFaults();
  return things;
}

test('an order that failed while its process was away is followed by another after six seconds, not before', async (t) => {
  // Resolvers keep for seconds that the name server was gone with the process.
  const fault = { at: 'validation', type: 'dns' } as const;
  const { db, sealer, acme, row, issued, orders } = await begunAndKilled(
    t,
    'challenge',
    'done',
    fault,
  );
  const states = async () => (await orders()).map(({ state }) => state);
  let time = Date.now();
  const issuer = startPlatform({ db, sealer, acme, now: () => time });
  cleanUp(t, issuer.stop);
  const isOver = async () =>
    (await orders())[0]?.state !== 'open' && (await row())?.leased_by === null;
  await until(isOver, 'the end of the attempt');
  const { order_key, next_attempt_at } = (await row()) ?? {};
  assert.deepEqual([await states(), order_key, next_attempt_at], [['failed'], null, time + 6_000]);
  time += 5_999;
  issuer.wake();
  await sleep(200);
  assert.deepEqual(await states(), ['failed']);
  time += 1;
  issuer.wake();
  await issued();
  assert.deepEqual(await states(), ['failed', 'issued']);
});

test('an order is not ended before the end of its attempt is stored', async (t) => {
  const { db, sealer, acme, authority, orders } = await setUp(t, { isPrompt: true });
  authority.injectFault({ at: 'validation', type: 'dns' });
  await sql`CREATE TRIGGER full BEFORE UPDATE OF failures ON platform_certificates
    BEGIN SELECT RAISE(ABORT, 'no space'); END`.execute(db);
  const logged: string[] = [];
  const log = pino({}, { write: (line) => logged.push(line) });
  const issuer = startPlatform({ db, sealer, acme, log });
  cleanUp(t, issuer.stop);
  const failed = async () => logged.some((line) => line.includes('no space')) || undefined;
  await until(failed, 'the attempt that could not be stored');
  assert.deepEqual(
    (await orders()).map(({ state }) => state),
    ['open'],
  );
});

test('a stop keeps the order, and frees the certificate for another process', async (t) => {
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const { db, sealer, acme, row, issued, orders } = await setUp(t, {
    onCall: (call, phase) => {
      if (call === 'finalize' && phase === 'received') hold();
    },
  });
  const first = startPlatform({ db, sealer, acme });
  await held;
  await first.stop();
  assert.equal((await row())?.leased_by, null);
  const second = startPlatform({ db, sealer, acme });
  cleanUp(t, second.stop);
  await issued();
  assert.equal((await orders()).length, 1);
});

test('two processes on one database make one order', async (t) => {
  const { db, sealer, acme, authority, issued } = await setUp(t);
  for (const issuer of [1, 2].map(() => startPlatform({ db, sealer, acme })))
    cleanUp(t, issuer.stop);
  await issued();
  assert.equal(authority.counts.newOrder, 1);
});

test('an account that the authority has lost is made anew', async (t) => {
  const time = clock();
  const { db, sealer, acme, authority, row, issued } = await setUp(t, {
    ...{ now: time.now, isPrompt: true },
  });
  const issuer = startPlatform({ db, sealer, acme, now: time.now });
  cleanUp(t, issuer.stop);
  const first = await issued();
  authority.forgetAccounts();
  time.forward(80 * 24 * HOUR_MS);
  issuer.wake();
  const isFailed = async () => {
    const { failures, leased_by } = (await row()) ?? {};
    return failures === 1 && leased_by === null;
  };
  await until(isFailed, 'the attempt with the lost account');
  assert.equal(parseProblem((await row())?.last_problem ?? null)?.type, 'accountDoesNotExist');
  time.forward(HOUR_MS / 12);
  issuer.wake();
  await until(async () => (await row())?.serial !== first, 'another certificate');
});

test('the authority says when to renew, and learns which certificate is replaced', async (t) => {
  const time = clock();
  const { db, sealer, acme, authority, row, issued, orders } = await setUp(t, {
    ...{ now: time.now, isPrompt: true },
  });
  const issuer = startPlatform({ db, sealer, acme, now: time.now });
  cleanUp(t, issuer.stop);
  const first = await issued();
  // The first question, right after the issuance, is over: an hour is its lease.
  const askedAgainAt = async () => (await row())?.ari_check_at ?? 0;
  await until(async () => (await askedAgainAt()) > time.now() + 2 * HOUR_MS, 'the first answer');
  const { ari_id } = (await row()) ?? {};
  assert.match(String(ari_id), /^[\w-]+\.[\w-]+$/);
  const [start, end] = [time.now() + 240 * HOUR_MS, time.now() + 241 * HOUR_MS];
  authority.suggestRenewal(() => ({ start, end }));
  time.forward(7 * HOUR_MS);
  issuer.wake();
  const planned = async () => (await row())?.next_attempt_at ?? 0;
  await until(async () => (await planned()) >= start && (await planned()) <= end, 'the window');

  // Revoked: its window is past.
  authority.suggestRenewal(() => ({ start: time.now() - 2 * HOUR_MS, end: time.now() - HOUR_MS }));
  time.forward(7 * HOUR_MS);
  issuer.wake();
  await until(async () => (await row())?.serial !== first, 'another certificate');
  // The next one may be under way: its window is past as well.
  assert.equal(authority.replaced[0], ari_id);
  assert.deepEqual(
    (await orders()).map(({ is_renewal, is_exempt }) => [is_renewal, is_exempt]).slice(0, 2),
    [
      [0, 0],
      [1, 1],
    ],
  );
});

/** The issuer at two authorities, and its clock. */
async function setUpTwo(t: TestContext) {
  const time = clock();
  const things = await setUp(t, { now: time.now, isPrompt: true });
  const { db, sealer, authority: first, row } = things;
  const second = await things.startAuthority();
  const acme = await acmeOf(t, [first, second]);
  const start = (changes: Partial<typeof acme> = {}) => {
    const issuer = startPlatform({ db, sealer, acme: { ...acme, ...changes }, now: time.now });
    cleanUp(t, issuer.stop);
    return issuer;
  };
  /** How long the certificate waits after so many failures, in milliseconds. */
  const waitAfter = (count: number) =>
    until(async () => {
      const { failures, leased_by, next_attempt_at = 0 } = (await row()) ?? {};
      return failures === count && leased_by === null ? next_attempt_at - time.now() : undefined;
    }, `failure ${count}`);
  return { ...things, first, second, acme, time, start, waitAfter };
}

const IN_FIVE_DAYS = { at: 'newOrder', type: 'rateLimited', retryAfter: '432000' } as const;

test('where one authority refuses for days, the next one issues within minutes', async (t) => {
  const { first, second, time, start, waitAfter, row, issued } = await setUpTwo(t);
  first.injectFault(IN_FIVE_DAYS);
  const issuer = start();
  const wait = await waitAfter(1);
  assert.ok(wait <= HOUR_MS / 12, `${wait}`);
  time.forward(wait);
  issuer.wake();
  await issued();
  assert.equal((await row())?.directory_url, second.directoryUrl);
  assert.equal(first.counts.newOrder, 1);
});

test('where our own count at one authority is used up, the next one issues at once', async (t) => {
  const { db, first, second, time, start, row, issued } = await setUpTwo(t);
  const order = {
    ...{ directory_url: first.directoryUrl, hostname: API, registered_domain: 'example.test' },
    ...{ project_id: PLATFORM, domain_id: `${PLATFORM} ${API}`, at: time.now() - HOUR_MS },
    ...({ is_renewal: 0, is_exempt: 0, state: 'issued' } as const),
  };
  await db.insertInto('acme_orders').values([order, order, order, order]).execute();
  const issuer = start();
  await until(async () => (await row())?.last_problem, 'the deferred order');
  time.forward(HOUR_MS / 60);
  issuer.wake();
  await issued();
  assert.equal((await row())?.directory_url, second.directoryUrl);
  assert.equal(first.counts.newOrder, 0);
});

test('where all authorities refuse, the one that may be asked first is asked, and none before its time', async (t) => {
  const { first, second, time, start, waitAfter, row, issued } = await setUpTwo(t);
  first.injectFault(IN_FIVE_DAYS);
  second.injectFault({ ...IN_FIVE_DAYS, retryAfter: '172800', times: 1 });
  second.injectFault({ at: 'newOrder', type: 'serverInternal', times: 3 });
  const issuer = start();
  time.forward(await waitAfter(1));
  issuer.wake();
  const wait = await waitAfter(2);
  assert.ok(wait > 47 * HOUR_MS && wait <= 48 * HOUR_MS, `${wait}`);
  for (let failures = 3; failures <= 5; failures++) {
    time.forward(await waitAfter(failures - 1));
    issuer.wake();
    assert.ok((await waitAfter(failures)) <= 12 * HOUR_MS);
  }
  time.forward(await waitAfter(5));
  issuer.wake();
  await issued();
  assert.equal((await row())?.directory_url, second.directoryUrl);
  assert.equal(first.counts.newOrder, 1);
});

test('an authority that refused is not waited for once another one is configured', async (t) => {
  const { first, acme, start, waitAfter, row, issued } = await setUpTwo(t);
  first.injectFault(IN_FIVE_DAYS);
  const [one, two] = acme.authorities;
  assert.ok(two);
  const issuer = start({ authorities: [one] });
  const wait = await waitAfter(1);
  assert.ok(wait > 100 * HOUR_MS, `${wait}`);
  await issuer.stop();
  await start({ authorities: [one] }).stop();
  assert.equal(first.counts.newOrder, 1, 'a start is no reason to ask it sooner');
  start({ authorities: [two] });
  await issued();
  assert.equal((await row())?.directory_url, two.directoryUrl);
});
