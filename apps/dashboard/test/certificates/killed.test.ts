import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Call } from '@petstore/lab/certificate-authority/faults.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { pino } from 'pino';
import { checkChain } from '../../server/src/certificates/check-chain.ts';
import { startIssuer } from '../../server/src/certificates/issuer.ts';
import { certificateKeyContext, sealerOf } from '../../server/src/certificates/sealing.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { checkCalls, startProcess } from './support/killed-process.ts';
import {
  acmeConfig,
  acmeOf,
  certificateOf,
  eventsOf,
  HOST,
  issuanceOf,
  openLab,
  putVerifiedDomain,
  startLabAuthority,
  until,
} from './support/lab.ts';

coverNoPrograms();

/**
 * Every call of an issuance, in order. A process that dies when the authority was asked has written down what it
 * is about to do, and nothing came of it; one that dies before the answer leaves has not written down what came
 * of it. All other instants leave the store and the authority as one of these does.
 */
const CALLS: readonly Call[] = [
  'directory',
  'newAccount',
  'newOrder',
  'authorization',
  'order',
  'challenge',
  'finalize',
  'certificate',
];

// Several at once: most of the time goes into starting processes.
describe('a process that is killed leaves one certificate and no order', { concurrency: 4 }, () => {
  for (const call of CALLS) {
    for (const phase of ['received', 'done'] as const) {
      const when = phase === 'received' ? 'before the authority acts' : 'before its answer arrives';
      test(`at ${call}, ${when}`, (t) => killedAt(t, call, phase));
    }
  }
});

// The first authority refuses an order that it has taken: the next one goes on.
describe('a process that is killed while it goes to the next authority leaves one certificate', {
  concurrency: 4,
}, () => {
  for (const call of CALLS) {
    for (const phase of ['received', 'done'] as const) {
      test(`at the ${call} of the next one (${phase})`, (t) =>
        killedAt(t, call, phase, 'finalize'));
    }
  }
});

test('two processes that issue for the same names make one order for each', async (t) => {
  const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'store.db')}`;
  const { db, close } = await openDatabase(databaseUrl, 1);
  cleanUp(t, close);
  const lab = await openLab(t, db);
  // A process works on four at once: with five under way, both have seen what the other has.
  const names = [HOST, ...['a', 'b', 'c', 'd'].map((name) => `${name}.example.test`)];
  const allUnderWay = Promise.withResolvers<void>();
  const authority = await startLabAuthority(t, lab, {
    onCall(call, phase) {
      if (call !== 'newOrder' || phase !== 'received') return;
      if (authority.counts.newOrder === names.length) allUnderWay.resolve();
      return allUnderWay.promise;
    },
  });
  const ids: string[] = [];
  for (const name of names) ids.push(await putVerifiedDomain(db, name));
  const key = randomBytes(32).toString('base64');
  const options = { databaseUrl, key, acme: acmeConfig(authority) };
  const children = await Promise.all([startProcess(t, options), startProcess(t, options)]);
  for (const child of children) child.send('begin');
  for (const id of ids) await until(() => certificateOf(db, id), 'the certificate');
  assert.equal(authority.counts.newOrder, names.length);
  assert.equal(authority.issued, names.length);
});

/** `failing`: the call that an authority before this one refuses; undefined: there is none. */
async function killedAt(
  t: TestContext,
  at: Call,
  when: 'received' | 'done',
  failing?: Call,
): Promise<void> {
  const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'store.db')}`;
  const { db, close } = await openDatabase(databaseUrl, 1);
  cleanUp(t, close);
  const lab = await openLab(t, db);
  let child: ChildProcess | undefined;
  const authority = await startLabAuthority(t, lab, {
    async onCall(call, phase) {
      if (!child || call !== at || phase !== when) return;
      const killed = child;
      child = undefined;
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      if (phase === 'received') throw new Error('nothing comes of it');
    },
  });
  const key = randomBytes(32);
  const before = failing && (await startLabAuthority(t, lab));
  if (before && failing) before.injectFault({ at: failing, type: 'unauthorized' });
  const acme = before ? await acmeOf(t, [before, authority]) : acmeConfig(authority);
  const id = await putVerifiedDomain(db);

  child = await startProcess(t, { databaseUrl, key: key.toString('base64'), acme });
  const killed = once(child, 'exit', { signal: AbortSignal.timeout(120_000) });
  child.send('begin');
  const [, signal] = await killed;
  assert.equal(signal, 'SIGKILL', 'it was killed where it should be');
  assert.equal(await certificateOf(db, id), undefined);

  const sealer = sealerOf(key, 'a test');
  const log = pino({ level: 'silent' });
  const deps = { db, log, sealer, now: Date.now, config: { acme }, siteChanged: () => {} };
  const issuer = startIssuer(deps);
  cleanUp(t, issuer.stop);
  const row = await until(() => certificateOf(db, id), 'the certificate');

  checkChain(row.chain, HOST, sealer.open(row.sealed_key, certificateKeyContext(id)), Date.now());
  assert.equal(await issuanceOf(db, id), undefined);
  assert.deepEqual(await db.selectFrom('acme_challenges').selectAll().execute(), []);
  const kinds = (await eventsOf(db, id)).map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === 'certificate.issued').length, 1);
  const failed = kinds.filter((kind) => kind === 'certificate.failed');
  assert.equal(failed.length, before ? 1 : 0, 'no attempt failed but at the authority before');
  checkCalls(authority);
  if (!before) return;
  assert.equal(row.directory_url, authority.directoryUrl);
  assert.equal(before.issued, 0);
  assert.equal(before.counts.newOrder, 1, 'not asked again');
  assert.deepEqual(before.ordersByStatus().pending, 0);
  const orders = await db.selectFrom('acme_orders').select(['directory_url', 'state']).execute();
  const count = (url: string) => orders.filter(({ directory_url }) => directory_url === url).length;
  assert.deepEqual([count(before.directoryUrl), count(authority.directoryUrl) <= 2], [1, true]);
  assert.equal(orders.filter(({ state }) => state === 'issued').length, 1);
}
