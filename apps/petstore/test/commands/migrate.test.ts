import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { finished, type Program, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { MigrationPlan, MigrationReport } from '../../src/store/migration.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrations.ts';
import { MIGRATIONS as SQLITE_MIGRATIONS } from '../../src/store/sqlite/migrations.ts';
import { databaseOf } from '../support/old-schema.ts';
import { originInBanner, PETSTORE, petstore } from '../support/program.ts';

const NEWEST = MIGRATIONS.length;

/** Starts a command and does not wait for it. */
function start(t: TestContext, url: string, ...args: string[]): Program {
  return startProgram(t, process.execPath, [PETSTORE, ...args], '/', {
    ...{ PETSTORE_DATABASE_URL: url, PETSTORE_PORT: '0', PETSTORE_MAX_EVENT_LOOP_DELAY_MS: '0' },
  });
}

/**
 * A database of schema 1 in which an index is not ready before `finish`: a build waits for the transactions that were
 * there before it.
 */
async function databaseInUse(t: TestContext) {
  const { url, raw } = await databaseOf(t, 1);
  await raw.unsafe("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available')");
  const observer = connectTo(url);
  cleanUp(t, () => observer.end());
  await raw.unsafe("BEGIN; UPDATE pets SET name = 'Max'");
  const isBuilding = async () =>
    (
      await observer`
        SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()`
    ).length > 0;
  return { url, observer, isBuilding, finish: () => raw.unsafe('COMMIT') };
}

test('a plan changes nothing and says what would be done, with what is locked, and how large it is', async (t) => {
  const { url, raw } = await databaseOf(t, 1);
  await raw.unsafe(`INSERT INTO pets (name, category_id, status)
    SELECT 'Rex', 1, 'available' FROM generate_series(1, 5000); ANALYZE pets`);
  const run = (...args: string[]) =>
    petstore('/', ['migrate', ...args], { PETSTORE_DATABASE_URL: url });

  const text = await run('--plan');
  assert.equal(text.code, 2, text.stderr);
  assert.match(text.stdout, new RegExp(`^The schema is of version 1; .* brings it to ${NEWEST}:`));
  assert.match(
    text.stdout,
    /To version 2: builds the index pets_by_category of pets \(category_id\)\.\n {2}Table pets: about 5,000 rows, 0\.\d MB\.\n {2}Lock: SHARE UPDATE EXCLUSIVE\. Reads and writes go on\.\n/,
  );
  assert.match(text.stdout, /Lock: ACCESS EXCLUSIVE\. Reads and writes wait for about \d+ ms/);

  const plan: MigrationPlan = JSON.parse((await run('--plan', '--json')).stdout);
  assert.deepEqual([plan.current, plan.wanted], [1, NEWEST]);
  assert.equal(plan.steps[0]?.tables[0]?.rows, 5_000);
  assert.equal((await raw`SELECT version FROM petstore_schema`)[0]?.version, 1);
  assert.equal((await raw`SELECT to_regclass('pets_by_category') AS index`)[0]?.index, null);

  const done = await run('--json');
  assert.equal(done.code, 0, done.stderr);
  const report: MigrationReport = JSON.parse(done.stdout);
  assert.deepEqual([report.from, report.to], [1, NEWEST]);
  // What was done is what was planned.
  const words = ({ steps }: MigrationPlan | MigrationReport) => steps.map(({ does }) => does);
  assert.deepEqual(words(report), words(plan));

  for (const args of [['--plan'], []]) {
    const { code, stdout } = await run(...args);
    assert.deepEqual([code, stdout], [0, `The schema is up to date: version ${NEWEST}.\n`]);
  }
});

test('a service that starts while another process migrates waits, says so, and then serves', async (t) => {
  const { url, isBuilding, finish } = await databaseInUse(t);
  const migrating = start(t, url, 'migrate');
  await timeUntil(isBuilding);
  const service = start(t, url, 'serve');
  const { origin, port } = await waitingAddress(service);

  const ready = await fetch(`${origin}/readyz`);
  assert.equal(ready.status, 503);
  const { status, checks } = (await ready.json()) as {
    status: string;
    checks: { schema: { message: string } };
  };
  assert.equal(status, 'unavailable');
  assert.match(
    checks.schema.message,
    new RegExp(
      `^Another process brings the schema from version 1 to ${NEWEST} since 2\\S+Z: it builds the index pets_by_category \\(waiting`,
    ),
  );
  assert.equal((await fetch(`${origin}/livez`)).status, 200);
  const refused = await fetch(`${origin}/v1/pets`);
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal(((await refused.json()) as { code: string }).code, 'unavailable');
  // A command says it, too.
  const keys = start(t, url, 'keys', 'create', '--name', 'x');
  await timeUntil(async () => /^Another process brings the schema/.test(keys.output.stderr));

  await finish();
  const { code, stdout } = await finished(migrating);
  assert.equal(code, 0, stdout);
  assert.match(stdout, new RegExp(`\nThe schema is of version ${NEWEST}; it was of 1\\.\n$`));
  assert.equal(await originInBanner(service), `http://127.0.0.1:${port}`);
  assert.equal((await fetch(`${origin}/readyz`)).status, 200);
  assert.equal((await finished(keys)).code, 0);
});

test('what a killed migration left is finished by the process that waited for it', async (t) => {
  const { url, observer, isBuilding, finish } = await databaseInUse(t);
  const migrating = start(t, url, 'migrate');
  await timeUntil(isBuilding);
  const service = start(t, url, 'serve');
  const { origin } = await waitingAddress(service);
  migrating.child.kill('SIGKILL');
  await once(migrating.child, 'close');

  // The server notices that nobody waits for the build any more. What is left of it is of no use.
  const isWorthless = async () =>
    (
      await observer`
      SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('pets_by_category') AND NOT indisvalid`
    ).length === 1;
  await timeUntil(async () => service.output.stderr.includes('migrating the schema'));
  assert.ok(await isWorthless());
  const ready = await (await fetch(`${origin}/readyz`)).json();
  assert.match(JSON.stringify(ready), /This process brings the schema from version 1 to/);

  await finish();
  assert.equal(await originInBanner(service), origin);
  const [index] = await observer`
    SELECT indisvalid FROM pg_index WHERE indexrelid = 'pets_by_category'::regclass`;
  assert.equal(index?.indisvalid, true);
  assert.equal((await observer`SELECT version FROM petstore_schema`)[0]?.version, NEWEST);
});

test('on SQLite the plan names the steps that the next start takes', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'store.db');
  const run = (...args: string[]) =>
    petstore(folder, ['migrate', ...args], { PETSTORE_DATABASE_URL: `sqlite:${path}` });
  const none = await run('--plan');
  assert.equal(none.code, 2);
  assert.match(none.stdout, /^There is no petstore yet; this petstore brings it to \d+:\n/);

  const db = new DatabaseSync(path);
  db.exec(`${SQLITE_MIGRATIONS[0]?.script} PRAGMA application_id = ${0x50657473};
    PRAGMA user_version = 1`);
  const plan = await run('--plan');
  assert.equal(plan.code, 2, plan.stderr);
  assert.match(plan.stdout, /\nTo version 2: makes the tables of categories and orders\.\n/);
  assert.match(plan.stdout, /Lock: RESERVED\. Writes wait for about \d+ ms\.\n/);
  const version = () => db.prepare('PRAGMA user_version').get()?.user_version;
  assert.equal(version(), 1);
  assert.equal((await run()).code, 0);
  assert.equal(version(), SQLITE_MIGRATIONS.length);
  db.close();
  assert.equal((await run('--plan')).code, 0);
});

test('a store in memory has nothing to migrate', async () => {
  const { code, stderr } = await petstore('/', ['migrate'], {
    PETSTORE_DATABASE_URL: 'sqlite::memory:',
  });
  assert.deepEqual([code, /^petstore: A store in memory is always new/.test(stderr)], [1, true]);
});

/** Where a service that waits for the schema listens, once it says so. */
async function waitingAddress({ output }: Program) {
  const waits = () => /"port":(\d+),"msg":"waiting for the schema"/.exec(output.stderr)?.[1];
  await timeUntil(async () => waits() !== undefined);
  const port = Number(waits());
  return { port, origin: `http://127.0.0.1:${port}` };
}
