import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { acmeAgent, acmeTransport } from '../../server/src/certificates/acme-transport.ts';
import {
  explainProblem,
  type Problem,
  parseProblem,
  problemOf,
} from '../../server/src/certificates/problem.ts';
import { clock } from './support/clock.ts';
import {
  certificateOf,
  HOST,
  issuanceOf,
  type Lab,
  openLab,
  putVerifiedDomain,
  startLabAuthority,
  until,
  witness,
} from './support/lab.ts';

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => server.close());
  return (server.address() as AddressInfo).port;
}

/** What is told of a directory that cannot be talked to. */
async function problemAt(t: TestContext, url: string, timeoutMs = 60_000): Promise<Problem> {
  const agent = acmeAgent(undefined);
  cleanUp(t, () => agent.destroy());
  const send = acmeTransport(agent, new AbortController().signal, timeoutMs);
  const error = await send(url, 'get').catch((reason: unknown) => reason);
  const problem = problemOf(error, 0);
  assert.ok(problem, String(error));
  return problem;
}

test('nobody at the port of an authority is told as that', async (t) => {
  const port = await anyPort([]);
  for (const host of ['127.0.0.1', 'localhost']) {
    const { type, detail } = await problemAt(t, `https://${host}:${port}/directory`);
    assert.equal(type, 'unreachable');
    assert.equal(detail, `${host}:${port} cannot be reached: nothing listens there (ECONNREFUSED)`);
  }
});

test('an authority whose name cannot be looked up is told as that', async (t) => {
  const { type, detail } = await problemAt(t, 'https://acme.invalid/directory');
  assert.equal(type, 'unreachable');
  assert.match(
    detail,
    /^acme\.invalid cannot be reached: its name (has no address \(ENOTFOUND\)|cannot be looked up now \(EAI_AGAIN\))$/,
  );
});

test('an authority whose certificate is not trusted is told as that', async (t) => {
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab);
  const { type, detail } = await problemAt(t, authority.directoryUrl);
  assert.equal(type, 'unreachable');
  assert.match(detail, /cannot be reached: its certificate is not trusted \([A-Z_]+\)$/);
  assert.match(await readFile(authority.caFile, 'utf8'), /BEGIN CERTIFICATE/);
});

test('an authority that does not respond in time is reported as such', async (t) => {
  const silent = createServer((socket) => cleanUp(t, () => socket.destroy()));
  const port = await listening(t, silent);
  const { type, detail } = await problemAt(t, `https://127.0.0.1:${port}/directory`, 300);
  assert.equal(type, 'timeout');
  assert.equal(detail, `127.0.0.1:${port} cannot be reached: no response within 0.3 seconds`);
});

/** The issuance after its first failure. */
const failed = (lab: Lab, id: string) =>
  until(async () => {
    const row = await issuanceOf(lab.db, id);
    return row && row.failures === 1 && row.leased_by === null && row;
  }, 'the failure');

test('a directory that is not there is named, and costs no order', async (t) => {
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab);
  const id = await putVerifiedDomain(lab.db);
  lab.issuer(authority, {
    acme: { directoryUrl: new URL('/elsewhere', authority.directoryUrl).href },
  });
  const problem = parseProblem((await failed(lab, id)).last_problem);
  assert.equal(problem?.type, 'unreachable');
  assert.equal(problem?.detail, 'ACME_DIRECTORY_URL responds with 404');
  assert.match(
    explainProblem(problem, HOST),
    /If this goes on, the operator of the dashboard should check ACME_DIRECTORY_URL and ACME_CA_FILE\.$/,
  );
  assert.deepEqual(await lab.db.selectFrom('acme_orders').selectAll().execute(), []);
});

test('what waits for an authority out of reach is tried soon after a restart, however long it waited', async (t) => {
  const time = clock();
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab, { now: time.now });
  const id = await putVerifiedDomain(lab.db);
  const untrusting = { now: time.now, acme: { caFile: undefined } };
  const first = lab.issuer(authority, untrusting);
  await failed(lab, id);
  await first.stop();
  const inHours = time.now() + 6 * 3_600_000;
  await lab.db.updateTable('issuances').set({ next_attempt_at: inHours }).execute();
  const issuer = lab.issuer(authority, { now: time.now });
  const due = await until(async () => {
    const at = (await issuanceOf(lab.db, id))?.next_attempt_at ?? inHours;
    return at < inHours && at;
  }, 'an attempt that is due soon');
  assert.ok(due <= time.now() + 60_000);
  time.to(due);
  issuer.wake();
  await until(() => certificateOf(lab.db, id), 'the certificate');
});

test('what an authority refused is not tried sooner for a restart', async (t) => {
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab);
  authority.injectFault({ at: 'validation', type: 'unauthorized' });
  const id = await putVerifiedDomain(lab.db);
  const first = lab.issuer(authority);
  const { next_attempt_at } = await failed(lab, id);
  await first.stop();
  authority.clearFaults();
  await witness(lab, lab.issuer(authority));
  assert.equal((await issuanceOf(lab.db, id))?.next_attempt_at, next_attempt_at);
});
