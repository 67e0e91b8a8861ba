import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import {
  connectTo,
  type PostgresDatabases,
  PostgresServer,
} from '@petstore/test-support/postgres.ts';
import { finished } from '@petstore/test-support/program.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { shell } from '../support/backups.ts';
import { petstore } from '../support/program.ts';

test("on PostgreSQL each of the three says PostgreSQL's own command line, and no password", async (t) => {
  const folder = await temporaryFolder(t);
  const url = 'postgres://me%40x:s%40crt@db.example.com:5433/pets?sslmode=require&password=s2';
  const run = (...args: string[]) => petstore(folder, args, { PETSTORE_DATABASE_URL: url });
  const database = "'postgresql://me%40x@db.example.com:5433/pets?sslmode=require'";
  const name = "it's";
  const quoted = "'it'\\''s'";
  for (const [task, line] of [
    ['backup', `pg_dump --format=custom --file=${quoted} ${database} (`],
    [
      'restore',
      `pg_restore --clean --if-exists --no-owner --single-transaction --dbname=${database} ${quoted} (`,
    ],
    ['verify', `pg_restore --file=/dev/null ${quoted} (`],
  ] as const) {
    const { code, stdout, stderr } = await run(task, name);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^petstore: `petstore \w+` is for SQLite files, but [^\n]+ names PostgreSQL at [^\n]+\n$/,
    );
    assert.ok(stderr.includes(line), stderr);
    assert.doesNotMatch(stderr, /s%40crt|s@crt|s2/);
  }
  assert.deepEqual(await readdir(folder), []);
});

/** The command line in what one of the three says. */
function commandLine(sentence: string): string {
  return /own tools: (.+) \(They take the password/.exec(sentence)?.[1] ?? '';
}

/**
 * A server that the machine's `pg_dump` can read: that of the other tests, or one of the same package as
 * `pg_dump` (Debian's places). undefined where there is no `pg_dump`.
 */
async function dumpableServer(t: TestContext): Promise<PostgresDatabases | undefined> {
  const { status, stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const major = Number(/\d+/.exec(stdout)?.[0]);
  const shared = await sharedServer();
  const sql = connectTo(shared.url('postgres'));
  const [server] = await sql<{
    major: number;
  }>`SELECT current_setting('server_version_num')::int / 10000 AS major`;
  await sql.end();
  if (major >= (server?.major ?? 0)) return shared;
  const programs = `/usr/lib/postgresql/${major}/bin`;
  if (!existsSync(`${programs}/postgres`)) return undefined;
  const own = await PostgresServer.start(t, programs);
  return own;
}

test('the command lines back a store up, read the dump, and put it back', async (t) => {
  const server = await dumpableServer(t);
  if (!server) return t.skip('there is no pg_dump, or none with a server of its version');
  const folder = await temporaryFolder(t);
  const url = await server.createDatabase();
  const env = { PETSTORE_DATABASE_URL: url };
  const run = async (task: string) => {
    const { stderr } = await petstore(folder, [task, 'b.dump'], env);
    const password = decodeURIComponent(new URL(url).password);
    const ended = await finished(shell(t, folder, commandLine(stderr), { PGPASSWORD: password }));
    assert.equal(ended.code, 0, ended.stderr);
  };
  await petstore(folder, ['seed', '--count', '1000'], env);
  await petstore(folder, ['keys', 'create', '--name', 'kept'], env);
  const before = await petstore(folder, ['export', '-'], env);
  await run('backup');
  await run('verify');
  await petstore(folder, ['seed', '--count', '500'], env);
  await run('restore');
  assert.equal((await petstore(folder, ['export', '-'], env)).stdout, before.stdout);
  assert.match((await petstore(folder, ['keys', 'list'], env)).stdout, /kept/);
  const added = await petstore(folder, ['seed', '--count', '1'], env);
  assert.equal(added.code, 0, added.stderr);
  const after = await petstore(folder, ['export', '-'], env);
  assert.ok(after.stdout.startsWith(before.stdout), 'ids go on where the backup had them');
  assert.match(after.stdout, /\{"id":1001,[^\n]+\n$/);
  assert.deepEqual(await readdir(folder), ['b.dump']);
});
