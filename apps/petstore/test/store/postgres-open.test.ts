import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo, freePort } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrations.ts';
import { petstore, serve } from '../support/program.ts';

const create = (url: string) =>
  petstore('/', ['keys', 'create', '--name', 'x', '--json'], { PETSTORE_DATABASE_URL: url });

const SECRET = 'ss%2Fword';

/** A failure at the start is one line on standard error: what, and what to do, and no password. */
function assertRefused(outcome: Awaited<ReturnType<typeof petstore>>, message: RegExp): void {
  assert.equal(outcome.code, 1);
  assert.equal(outcome.stdout, '');
  assert.match(outcome.stderr, /^petstore: [^\n]+\n$/);
  assert.match(outcome.stderr, message);
  for (const secret of [SECRET, decodeURIComponent(SECRET)]) {
    assert.ok(!outcome.stderr.includes(secret), 'shows no password');
  }
}

test('a server that cannot be reached, or does not let one in, is refused by name', async () => {
  const server = await sharedServer();
  const url = await server.createDatabase();
  const port = await freePort();
  assertRefused(
    await create(url.replace(`:${server.port}/`, `:${port}/`)),
    /PostgreSQL at 127\.0\.0\.1:\d+ cannot be reached or cannot work now \(ECONNREFUSED\)\. Start/,
  );
  assertRefused(
    await create(url.replace(SECRET, `${SECRET}x`)),
    /refuses the user "petstore" with this password\. Check both in PETSTORE_DATABASE_URL\.$/m,
  );
  assertRefused(
    await create(server.url('nowhere')),
    /There is no database "nowhere" on PostgreSQL at 127\.0\.0\.1:\d+\. Create it, or name/,
  );
  assertRefused(
    await create(`${url}?sslmode=require`),
    /A secure connection to PostgreSQL at 127\.0\.0\.1:\d+ failed: .* \(NO_TLS\)\. Give/,
  );
});

test('an address that cannot be read is refused without being repeated', async () => {
  for (const url of [
    `postgres://petstore:${SECRET}%@host/petstore`,
    `postgres://petstore:${SECRET}@host/`,
    `postgres://petstore:${SECRET}@:5432/petstore`,
    `postgres:petstore:${SECRET}`,
    `postgresql://host/petstore?password=${SECRET}`,
    'postgres://',
  ]) {
    assertRefused(await create(url), /PETSTORE_DATABASE_URL must read postgres:\/\/USER:PASSWORD@/);
  }
  assertRefused(
    await create(`postgres://petstore:${SECRET}@host/petstore?sslmode=on`),
    /sslmode in PETSTORE_DATABASE_URL must be one of disable, .*, verify-full; got "on"\.$/m,
  );
  assertRefused(await create(`mysql://a:${SECRET}@b/c?x=${SECRET}`), /got "mysql:\/\/\*\*\*@b\/c/);
});

test('a database from a newer version, or one that cannot hold every name, is refused', async (t) => {
  const server = await sharedServer();
  const url = await server.createDatabase();
  assert.equal((await create(url)).code, 0);
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  const newer = MIGRATIONS.length + 1;
  await sql`UPDATE petstore_schema SET version = ${newer}`;
  assertRefused(
    await create(url),
    new RegExp(`newer petstore \\(schema ${newer}; .*\\)\\. Upgrade`),
  );
  assert.equal((await sql`SELECT version FROM petstore_schema`)[0]?.version, newer);

  const ascii = await server.createDatabase("ENCODING 'SQL_ASCII' TEMPLATE template0");
  assertRefused(await create(ascii), /is encoded as SQL_ASCII, which cannot hold every name/);
});

test('a user who may not make tables is told so', async (t) => {
  const server = await sharedServer();
  const url = await server.createDatabase();
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  await sql.unsafe("CREATE ROLE guest LOGIN PASSWORD 'guest'");
  const guest = url.replace(/\/\/.*@/, '//guest:guest@');
  assertRefused(await create(guest), /The user "guest" may not use or create petstore's tables/);
});

test("another program's tables in the database are no trouble", async (t) => {
  const url = await (await sharedServer()).createDatabase();
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  await sql`CREATE TABLE invoices (id int)`;
  assert.equal((await create(url)).code, 0);
  assert.deepEqual([...(await sql`SELECT * FROM invoices`)], []);
});

test('processes that start at once on a new database all find one schema', async (t) => {
  const url = await (await sharedServer()).createDatabase();
  const made = await Promise.all(Array.from({ length: 6 }, () => create(url)));
  for (const { code, stderr } of made) assert.equal(code, 0, stderr);
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  assert.equal((await sql`SELECT count(*)::int AS n FROM api_keys`)[0]?.n, 6);
  assert.equal((await sql`SELECT count(*)::int AS n FROM petstore_schema`)[0]?.n, 1);
});

test('keys are managed in the database of the service, and a place without one is refused', async () => {
  const url = await (await sharedServer()).createDatabase();
  const run = (...args: string[]) => petstore('/', args, { PETSTORE_DATABASE_URL: url });
  assertRefused(
    await run('keys', 'list'),
    /does not contain a petstore\. Set PETSTORE_DATABASE_URL to/,
  );
  const text = await run('keys', 'create', '--name', 'x');
  assert.match(
    text.stdout,
    /^Created the production key "x" \(\w+\) in PostgreSQL at 127\.0\.0\.1:/,
  );
  assert.ok(!text.stdout.includes(SECRET));
  const id = /key_\w+/.exec(text.stdout)?.[0] ?? '';
  assert.match((await run('keys', 'list')).stdout, new RegExp(id));
  assert.equal((await run('keys', 'revoke', id)).stdout, `Revoked ${id}.\n`);
});

test('the banner and the log show where the data is and no password', async (t) => {
  const url = await (await sharedServer()).createDatabase();
  const folder = await temporaryFolder(t);
  const program = await serve(t, folder, {
    PETSTORE_DATABASE_URL: url,
    PETSTORE_LOG_LEVEL: 'trace',
  });
  const { stdout, stderr } = program.output;
  assert.match(stdout, /Data +PostgreSQL at 127\.0\.0\.1:\d+\/test_/);
  assert.match(
    stdout,
    /Make one where PETSTORE_DATABASE_URL is set as here: +petstore keys create --name NAME\n/,
  );
  assert.ok(!(stdout + stderr).includes(SECRET));
});
