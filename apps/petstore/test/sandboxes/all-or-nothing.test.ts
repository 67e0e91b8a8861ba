import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { UnnumberedRequest } from '../../src/report/recorded-request.ts';
import { sandboxDeleted } from '../../src/sandboxes/make-sandbox.ts';
import { openStore } from '../../src/store/open-store.ts';
import { assertError } from '../support/assert-error.ts';
import { newSandbox, type ServiceWithSandbox } from '../support/sandbox.ts';
import { addSandbox, NOON, ONE } from '../support/sandboxes.ts';
import { startService } from '../support/service.ts';

/** What a command may leave behind by halves. Requests are recorded beside it, and do not count. */
const TABLES = ['sandboxes', 'sandbox_snapshots', 'sandbox_fault_counts', 'audit_events'];

/** A store on SQLite, and a connection with which a test has statements refused. */
async function start(t: TestContext) {
  const file = join(await temporaryFolder(t), 'petstore.db');
  const store = await openStore(`sqlite:${file}`);
  // The service writes down requests meanwhile.
  const db = new DatabaseSync(file, { timeout: 10_000 });
  cleanUp(t, () => db.close());
  /** `statement`: such as `DELETE ON sandbox_snapshots`. */
  const refuse = (statement: string) =>
    db.exec(`CREATE TRIGGER refuse BEFORE ${statement}
             BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`);
  const allow = () => db.exec('DROP TRIGGER refuse');
  const content = () => TABLES.map((table) => db.prepare(`SELECT * FROM ${table}`).all());
  return { store, refuse, allow, content };
}

type InSandbox = ServiceWithSandbox['inSandbox'];

const put = (inSandbox: InSandbox, body: string) => inSandbox('/faults', { method: 'PUT', body });

/** Requests whose second statement is refused, and what it is. */
const REQUESTS: [request: string, refused: string, send: (call: InSandbox) => Promise<Response>][] =
  [
    [
      'DELETE /sandbox',
      'DELETE ON sandbox_snapshots',
      (call) => call('/sandbox', { method: 'DELETE' }),
    ],
    [
      'POST /sandbox/reset',
      'DELETE ON sandbox_fault_counts',
      (call) => call('/sandbox/reset', { method: 'POST' }),
    ],
    ['PUT /faults', 'DELETE ON sandbox_fault_counts', (call) => put(call, '[{"fault":"slow"}]')],
  ];

for (const [request, refused, send] of REQUESTS) {
  test(`${request} changes nothing where its second statement is refused`, async (t) => {
    const { store, refuse, allow, content } = await start(t);
    const { inSandbox } = await newSandbox(await startService(t, { store }));
    const status = async (response: Promise<Response>) => (await response).status;
    const snapshot = { method: 'POST', body: '{"name":"a"}' };
    assert.equal(await status(inSandbox('/sandbox/snapshots', snapshot)), 201);
    assert.equal(await status(put(inSandbox, '[{"fault":"status=503"}]')), 200);
    assert.equal(await status(inSandbox('/pets')), 503);
    const before = content();
    refuse(refused);
    await assertError(await send(inSandbox), 'internal_error');
    assert.deepEqual(content(), before);
    allow();
    assert.ok((await send(inSandbox)).ok);
    assert.notDeepEqual(content(), before);
  });
}

test('where the audit log takes no entry no sandbox is made, and none is deleted', async (t) => {
  const { store, refuse, allow, content } = await start(t);
  const service = await startService(t, { store });
  const { row } = await addSandbox(store, { id: 'sbx_there' });
  const before = content();
  refuse('INSERT ON audit_events');
  await assertError(await service.post('/sandboxes', '{}'), 'internal_error');
  assert.deepEqual(content(), before);
  const remove = () => store.sandboxes.remove(row.id, sandboxDeleted(row.id, NOON));
  await assert.rejects(remove(), /refused by the test/);
  assert.deepEqual(content(), before);
  allow();
  assert.equal((await service.post('/sandboxes', '{}')).status, 201);
  assert.equal(await remove(), true);
});

test('a sweep that fails leaves each sandbox whole', async (t) => {
  const { store, refuse, content } = await start(t);
  cleanUp(t, () => store.close());
  await addSandbox(store, { id: 'sbx_a' });
  await addSandbox(store, { id: 'sbx_b' });
  await store.sandboxes.snapshots.save('sbx_b', 'a', NOON, 10);
  const before = content();
  refuse('DELETE ON sandbox_snapshots');
  await assert.rejects(store.sandboxes.sweep(ONE, NOON, 100), /refused by the test/);
  assert.deepEqual(content(), before);
});

test('of requests that are recorded together all are there, or none', async (t) => {
  const { store, refuse } = await start(t);
  cleanUp(t, () => store.close());
  await addSandbox(store, { id: 'sbx_a' });
  const request = (target: string): UnnumberedRequest => ({
    ...{ at: 1_000, durationMs: 1.5, method: 'GET', target, status: 200 },
  });
  refuse(`INSERT ON sandbox_requests WHEN NEW.request LIKE '%/pets/2%'`);
  const requests = ['/pets/1', '/pets/2'].map(request);
  const bounds = { count: 100, bytes: 100_000 };
  const batch = { sandbox: 'sbx_a', lost: 0, requests };
  const [unwritten] = await store.reports.record([batch], bounds);
  assert.equal(unwritten?.batch, batch);
  assert.match(String(unwritten.error), /refused by the test/);
  assert.deepEqual(await store.reports.requests('sbx_a'), []);
});
