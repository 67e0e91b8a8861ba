import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import {
  type Engine,
  SQLITE_FILE,
  onSharedEngines as test,
} from '@petstore/test-support/engines.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import type { Report } from '../../src/report/report.ts';
import { openStore } from '../../src/store/open-store.ts';
import { newSandbox, type ServiceWithSandbox } from '../support/sandbox.ts';
import { startService } from '../support/service.ts';

/** Has the database refuse what is recorded of a sandbox. Returns what allows it again. */
async function refuseRequestsOf(t: TestContext, engine: Engine, url: string, sandbox: string) {
  if (engine === SQLITE_FILE) {
    // The service writes meanwhile.
    const db = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 10_000 });
    cleanUp(t, () => db.close());
    db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON sandbox_requests WHEN NEW.sandbox = '${sandbox}'
             BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`);
    return async () => db.exec('DROP TRIGGER refuse');
  }
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  await sql.unsafe(`ALTER TABLE sandbox_requests ADD CONSTRAINT refuse
                    CHECK (sandbox <> '${sandbox}') NOT VALID`);
  return async () => {
    await sql.unsafe('ALTER TABLE sandbox_requests DROP CONSTRAINT refuse');
  };
}

test('requests that could not be written are missed in the report of their sandbox, and in no other', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const store = await openStore(url);
  const service = await startService(t, { store });
  const [one, other] = [await newSandbox(service), await newSandbox(service)];
  const list = async ({ inSandbox }: Pick<ServiceWithSandbox, 'inSandbox'>) =>
    (await inSandbox('/pets')).text();
  const report = async ({ inSandbox }: Pick<ServiceWithSandbox, 'inSandbox'>) =>
    (await (await inSandbox('/report')).json()) as Report;
  const recorded = async (sandbox: Pick<ServiceWithSandbox, 'inSandbox'>) => {
    const { count, isWhole } = (await report(sandbox)).requests;
    return { count, isWhole };
  };
  const { sandbox: id } = await report(one);
  const allow = await refuseRequestsOf(t, engine, url, id);

  await list(one);
  await list(other);
  assert.deepEqual(await recorded(other), { count: 1, isWhole: true });
  assert.deepEqual(await recorded(one), { count: 0, isWhole: false }, 'nothing of it is there');
  // The other one alone writes now, and was not concerned.
  await list(other);
  assert.deepEqual(await recorded(other), { count: 2, isWhole: true });

  await allow();
  await list(one);
  assert.deepEqual(await recorded(one), { count: 1, isWhole: false });
  const [kept] = await store.reports.requests(id);
  assert.equal(kept?.number, 2, 'the number of the one that is missing stays free');
  await list(one);
  assert.deepEqual(await recorded(one), { count: 2, isWhole: false });
  assert.deepEqual(
    (await store.reports.requests(id)).map(({ number }) => number),
    [2, 3],
    'one gap for one request',
  );
});
