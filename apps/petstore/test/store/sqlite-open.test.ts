import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts';
import { petstore, serve } from '../support/program.ts';

const create = (cwd: string, url = 'sqlite:./petstore.db') =>
  petstore(cwd, ['keys', 'create', '--name', 'x'], { PETSTORE_DATABASE_URL: url });

/** A failure at the start is one line on standard error: what, and what to do. No stack trace. */
function assertRefused(outcome: Awaited<ReturnType<typeof petstore>>, message: RegExp): void {
  assert.equal(outcome.code, 1);
  assert.equal(outcome.stdout, '');
  assert.match(outcome.stderr, /^petstore: [^\n]+\n$/);
  assert.match(outcome.stderr, message);
}

test('a file that is not a database is refused and left as it was', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'petstore.db');
  const text = 'a letter, not a database '.repeat(100);
  await writeFile(file, text);
  assertRefused(await create(folder), /petstore\.db is not a SQLite database/);
  assert.equal(await readFile(file, 'utf8'), text);
});

test("another program's database is refused and left as it was", async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'petstore.db');
  const db = new DatabaseSync(file);
  db.exec('CREATE TABLE invoices (id INTEGER PRIMARY KEY)');
  db.close();
  const before = await readFile(file);
  assertRefused(await create(folder), /petstore\.db is another program's SQLite database/);
  assert.deepEqual(await readFile(file), before);
});

test('a database from a newer version is refused and left as it was', async (t) => {
  const folder = await temporaryFolder(t);
  assert.equal((await create(folder)).code, 0);
  const db = new DatabaseSync(join(folder, 'petstore.db'));
  cleanUp(t, () => db.close());
  const newer = MIGRATIONS.length + 1;
  db.exec(`PRAGMA user_version = ${newer}`);
  assertRefused(
    await create(folder),
    new RegExp(
      `written by a newer petstore \\(schema ${newer}; this one knows up to ${newer - 1}\\)\\. Upgrade`,
    ),
  );
  assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, newer);
});

test('a folder or a file that cannot be written is refused by name', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'taken.db'));
  assertRefused(
    await create(folder, 'sqlite:./file/petstore.db'),
    /file cannot be created \(\w+\)/,
  );
  assertRefused(
    await create(folder, 'sqlite:./file/a/petstore.db'),
    /file cannot be created \(\w+\)/,
  );
  assertRefused(
    await create(folder, 'sqlite:/proc/none/petstore.db'),
    /\/proc\/none cannot be created/,
  );
  assertRefused(await create(folder, 'sqlite:./taken.db'), /taken\.db cannot be opened/);
});

test('an address of no known database is refused with what would do', async (t) => {
  const folder = await temporaryFolder(t);
  for (const url of ['mysql://a/b', './petstore.db', 'sqlite:', 'sqlite://petstore.db']) {
    assertRefused(
      await create(folder, url),
      /^petstore: PETSTORE_DATABASE_URL must be sqlite:.*; got "/,
    );
  }
});

test('a database that another program holds locked is refused after a bounded wait', async (t) => {
  const folder = await temporaryFolder(t);
  assert.equal((await create(folder)).code, 0);
  const db = new DatabaseSync(join(folder, 'petstore.db'));
  db.exec('BEGIN EXCLUSIVE');
  assertRefused(await create(folder), /locked by another program/);
  db.exec('ROLLBACK');
  db.close();
  assert.equal((await create(folder)).code, 0);
});

test('processes that start at once on a new database all find one schema', async (t) => {
  const folder = await temporaryFolder(t);
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      petstore(folder, ['keys', 'create', '--name', `k${i}`, '--json'], {
        PETSTORE_DATABASE_URL: 'sqlite:./petstore.db',
      }),
    ),
  );
  for (const { code, stderr } of made) assert.equal(code, 0, stderr);
  const db = new DatabaseSync(join(folder, 'petstore.db'));
  cleanUp(t, () => db.close());
  assert.equal(db.prepare('SELECT count(*) AS n FROM api_keys').get()?.n, 8);
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
});

test('a migration that fails leaves the database as it was', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'petstore.db');
  const db = new DatabaseSync(file);
  cleanUp(t, () => db.close());
  // Ours by its mark, and with a table in the way of the first migration.
  db.exec(`PRAGMA application_id = ${0x50657473}; CREATE TABLE api_keys (x)`);
  assert.equal((await create(folder)).code, 1);
  assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, 0);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  assert.deepEqual(
    tables.map(({ name }) => name),
    ['api_keys'],
  );
});

test('a database and its folder are made for their owner alone, and left as they are from then on', async (t) => {
  const folder = await temporaryFolder(t);
  const modeOf = async (name: string) =>
    ((await stat(join(folder, name))).mode & 0o777).toString(8);
  const first = await serve(t, folder, {}, ['--first-key']);
  assert.equal(await modeOf('data'), '700');
  for (const suffix of ['', '-wal', '-shm']) {
    assert.equal(await modeOf(`data/petstore.db${suffix}`), '600', suffix);
  }
  first.child.kill();
  await finished(first);
  await chmod(join(folder, 'data'), 0o750);
  await chmod(join(folder, 'data/petstore.db'), 0o640);
  assert.equal((await create(folder, 'sqlite:./data/petstore.db')).code, 0);
  assert.deepEqual([await modeOf('data'), await modeOf('data/petstore.db')], ['750', '640']);
});
