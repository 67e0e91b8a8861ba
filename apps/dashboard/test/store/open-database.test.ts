import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { dashboard } from '../support/dashboard-program.ts';
import { PASSWORD } from '../support/service.ts';

async function open(t: TestContext, url: string) {
  const opened = await openDatabase(url, 2);
  cleanUp(t, opened.close);
  return opened.db;
}

onSharedEngines('processes that start at the same time make one database', async (t, engine) => {
  const folder = await temporaryFolder(t);
  const env = { DASHBOARD_DATABASE_URL: await engine.createDatabase(t) };
  const outcomes = await Promise.all(
    Array.from({ length: 4 }, (_, at) => {
      const email = `user${at}@example.com`;
      const args = ['users', 'create', '--email', email, '--password-stdin'];
      return dashboard(folder, args, env, PASSWORD);
    }),
  );
  const made = outcomes.filter(({ code }) => code === 0);
  assert.equal(made.length, 4, JSON.stringify(outcomes));
  const db = await open(t, env.DASHBOARD_DATABASE_URL);
  const users = await db.selectFrom('users').select('role').execute();
  assert.deepEqual(users.map(({ role }) => role).sort(), ['owner', 'user', 'user', 'user']);
});

test('a database that is opened during a transaction lets the process go on, which ends it [SQLite file]', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  await open(t, `sqlite:${path}`);
  const writer = new DatabaseSync(path);
  cleanUp(t, () => writer.close());
  writer.exec('BEGIN IMMEDIATE');
  const opening = open(t, `sqlite:${path}`);
  writer.exec('COMMIT');
  assert.deepEqual(await (await opening).selectFrom('users').select('id').execute(), []);
});

onSharedEngines('a step that fails leaves nothing half made', async (t, engine) => {
  const url = await engine.createDatabase(t);
  // One of the last tables that the first step makes.
  await execute(url, 'CREATE TABLE site_clock (id integer)');
  for (let tries = 0; tries < 2; tries++) {
    const message = /cannot be opened: .*site_clock.* already exists/;
    await assert.rejects(openDatabase(url, 1), message);
  }
  await execute(url, 'DROP TABLE site_clock');
  const db = await open(t, url);
  assert.ok((await db.introspection.getTables()).length >= 15);
});

/** Does something past the program. */
async function execute(url: string, statement: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.replace('sqlite:', ''));
    database.exec(statement);
    database.close();
    return;
  }
  const sql = connectTo(url);
  await sql.unsafe(statement);
  await sql.end();
}

onSharedEngines('a database of a newer version is refused in words', async (t, engine) => {
  const folder = await temporaryFolder(t);
  const url = await engine.createDatabase(t);
  const db = await open(t, url);
  await db
    .insertInto('kysely_migration' as never)
    .values({ name: '9999_later', timestamp: '2030-01-01T00:00:00.000Z' } as never)
    .execute();
  const outcome = await dashboard(folder, ['users', 'list'], { DASHBOARD_DATABASE_URL: url });
  assert.equal(outcome.code, 1);
  assert.match(
    outcome.stderr,
    /^dashboard: The database \(.+\) is newer than this program \(.*9999_later.*\)\. Run the version/,
  );
  assertNoPassword(outcome.stderr);
});

/** The password of the test's PostgreSQL server, as addresses write it and as it is. */
const SECRET = 'ss%2Fword';

function assertNoPassword(text: string): void {
  for (const secret of [SECRET, decodeURIComponent(SECRET)])
    assert.ok(!text.includes(secret), text);
}

test('an address that leads to no database is refused without its password', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'text'), 'This is no database. '.repeat(100));
  const server = await sharedServer();
  const url = await server.createDatabase();
  // Nobody listens there.
  const port = await anyPort([]);
  const whole = /^DASHBOARD_DATABASE_URL must read postgres:\/\/USER:PASSWORD@HOST:PORT\/DATABASE/;
  const table: [address: string, why: RegExp][] = [
    [`postgres://petstore:${SECRET}%@host/petstore`, whole],
    [`postgres://petstore:${SECRET}@host/`, whole],
    [`postgres://petstore:${SECRET}@:5432/petstore`, whole],
    [`postgres:petstore:${SECRET}`, whole],
    [`postgresql://host/petstore?password=${SECRET}`, whole],
    [`postgres://petstore:${SECRET}@ho st/petstore`, whole],
    [`${url}?sslmode=yes`, /^sslmode in DASHBOARD_DATABASE_URL must be one of disable, .*"yes"/],
    [
      url.replace(`:${server.port}/`, `:${port}/`),
      /PostgreSQL at 127\.0\.0\.1:\d+\/.*ECONNREFUSED/,
    ],
    [url.replace(SECRET, `${SECRET}x`), /cannot be opened: password authentication failed/],
    [server.url('nowhere'), /cannot be opened: database "nowhere" does not exist/],
    [`mysql://root:${SECRET}@host/x`, /^DASHBOARD_DATABASE_URL must be sqlite: and the path/],
    ['sqlite://host/path', /^DASHBOARD_DATABASE_URL must be sqlite:/],
    ['dashboard.db', /^DASHBOARD_DATABASE_URL must be sqlite:/],
    [`sqlite:${join(folder, 'text')}`, /cannot be opened: file is not a database/],
    [`sqlite:${folder}`, /cannot be opened: unable to open database file/],
    [`sqlite:${join(folder, 'text/below.db')}`, /cannot be opened: E/],
  ];
  for (const [address, why] of table) {
    await assert.rejects(openDatabase(address, 1), ({ name, message }: Error) => {
      assertNoPassword(message);
      assert.equal(name, 'UserError', message);
      assert.match(message, why);
      return true;
    });
  }
});
