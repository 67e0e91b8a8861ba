import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts';
import { databaseIn, seededFolder } from '../support/animals.ts';
import { petstore } from '../support/program.ts';

const PAGE = 4096;

/** The bytes of a backup with 20,000 animals. */
let whole: Buffer<ArrayBuffer>;
before(async () => {
  whole = await readFile(databaseIn(await seededFolder(FILE, 20_000)));
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('a sound backup is told so, with what it holds, and left as it was', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'b.db'), whole);
  const text = await petstore(folder, ['verify', 'b.db', '--sha256', sha256(whole).toUpperCase()]);
  assert.deepEqual([text.code, text.stderr], [0, '']);
  assert.equal(
    text.stdout,
    `b.db is sound: 20000 animals, 0 categories, 0 orders, 0 keys; schema 10, ${whole.length} bytes, SHA-256 ${sha256(whole)}.\n`,
  );
  const json = await petstore(folder, ['verify', '--json', 'b.db']);
  assert.deepEqual(JSON.parse(json.stdout), {
    ...{ file: 'b.db', bytes: whole.length, sha256: sha256(whole) },
    ...{ schema: 10, animals: 20_000, categories: 0, orders: 0, keys: 0 },
  });
  assert.deepEqual(await readdir(folder), ['b.db']);
  assert.ok((await readFile(join(folder, 'b.db'))).equals(whole));
});

test('a damaged backup is one sentence and exit code 1, wherever the damage is', async (t) => {
  const folder = await temporaryFolder(t);
  const pages = whole.length / PAGE;
  const cases: [string, (bytes: Buffer) => Buffer][] = [
    ['no database', () => Buffer.from('a letter, not a database '.repeat(400))],
    ['cut in the middle', (bytes) => bytes.subarray(0, PAGE * Math.floor(pages / 2))],
    ['cut by a byte', (bytes) => bytes.subarray(0, -1)],
    ['header', (bytes) => bytes.fill(0xff, 0, 64)],
    ['schema', (bytes) => bytes.fill(0xff, 100, 200)],
    ...[5, Math.floor(pages / 2), pages - 2].map((page): [string, (bytes: Buffer) => Buffer] => [
      `start of page ${page}`,
      (bytes) => Buffer.from(bytes).fill(0x5a, page * PAGE, page * PAGE + 8),
    ]),
  ];
  const check = async ([what, damage]: (typeof cases)[number]) => {
    await writeFile(join(folder, what), damage(Buffer.from(whole)));
    const { code, stdout, stderr } = await petstore(folder, ['verify', '--json', what]);
    assert.deepEqual([code, stdout], [1, ''], what);
    assert.match(stderr, /^petstore: [\w ]+ is damaged, or is not a SQLite database \([^\n]+\n$/);
  };
  await Promise.all(cases.map(check));
});

test('a letter that changed is seen by the SHA-256, wherever it is', async (t) => {
  const folder = await temporaryFolder(t);
  for (let round = 0; round < 3; round++) {
    const bytes = Buffer.from(whole);
    const at = Math.floor(Math.random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(join(folder, 'b.db'), bytes);
    const outcome = await petstore(folder, ['verify', 'b.db', '--sha256', sha256(whole)]);
    assert.equal(outcome.code, 1, `byte ${at}`);
    assert.match(
      outcome.stderr,
      /^petstore: b\.db has changed since it was made: its SHA-256 is [^\n]+\n$/,
    );
  }
});

test('a database of another program, a newer one, a missing one and one that needs its log are told apart', async (t) => {
  const folder = await temporaryFolder(t);
  const made = (name: string, sql: string) => {
    const db = new DatabaseSync(join(folder, name));
    db.exec(sql);
    db.close();
  };
  const ours = 'PRAGMA application_id = 0x50657473;';
  made('other.db', 'CREATE TABLE invoices (id INTEGER PRIMARY KEY)');
  made('shell.db', `${ours} ${MIGRATIONS[0]?.script} DROP TABLE api_keys; PRAGMA user_version = 1`);
  made('newer.db', `${ours} PRAGMA user_version = ${MIGRATIONS.length + 1}`);
  made(
    'orphan.db',
    `${ours} ${MIGRATIONS[0]?.script} PRAGMA user_version = 1;
    CREATE TABLE b (a REFERENCES pets); PRAGMA foreign_keys = OFF; INSERT INTO b VALUES (7)`,
  );
  await writeFile(join(folder, 'empty.db'), '');
  await mkdir(join(folder, 'folder'));
  await writeFile(join(folder, 'log.db'), whole);
  await writeFile(join(folder, 'log.db-wal'), 'frames');
  const cases: [string, RegExp][] = [
    [
      'other.db',
      /^petstore: other\.db is another program's SQLite database\. Name a file that `petstore backup` made\.\n$/,
    ],
    [
      'shell.db',
      /^petstore: shell\.db is a SQLite database, but does not contain a petstore: it lacks api_keys\. Name a file that `petstore backup` made\.\n$/,
    ],
    ['newer.db', /^petstore: newer\.db was written by a newer petstore/],
    [
      'orphan.db',
      /^petstore: orphan\.db is damaged[^\n]+a row of b refers to one that is not there/,
    ],
    [
      'empty.db',
      /^petstore: empty\.db is a SQLite database, but does not contain a petstore\. Name a file that `petstore backup` made\.\n$/,
    ],
    ['folder', /^petstore: folder is not a regular file\. Name a file that/],
    ['nothing.db', /^petstore: nothing\.db does not exist\. Name a file that/],
    ['', /^petstore: FILE does not exist\./],
    [
      'log.db',
      /^petstore: log\.db has a log beside it, log\.db-wal: [^\n]+ petstore backup NEW_FILE\n$/,
    ],
  ];
  const check = async ([file, message]: (typeof cases)[number]) => {
    const { code, stdout, stderr } = await petstore(folder, ['verify', file]);
    assert.deepEqual([code, stdout], [1, ''], file);
    assert.match(stderr, message);
  };
  await Promise.all(cases.map(check));
});

test('a backup of an older version is sound, and its next start brings it up to date', async (t) => {
  const folder = await temporaryFolder(t);
  const db = new DatabaseSync(join(folder, 'old.db'));
  db.exec(`${MIGRATIONS[0]?.script} PRAGMA application_id = 0x50657473; PRAGMA user_version = 1;
    INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')`);
  db.close();
  const verified = await petstore(folder, ['verify', '--json', 'old.db']);
  const { schema, animals, orders } = JSON.parse(verified.stdout) as Record<string, number>;
  assert.deepEqual([schema, animals, orders], [1, 1, 0]);

  await copyFile(join(folder, 'old.db'), join(folder, 'kept.db'));
  const env = { PETSTORE_DATABASE_URL: 'sqlite:./old.db' };
  assert.equal((await petstore(folder, ['backup', 'copy.db'], env)).code, 0);
  const unchanged = await readFile(join(folder, 'kept.db'));
  assert.ok(
    (await readFile(join(folder, 'old.db'))).equals(unchanged),
    'a backup migrates nothing',
  );
  assert.equal((await petstore(folder, ['restore', 'copy.db'])).code, 0);
  assert.equal((await petstore(folder, ['keys', 'create', '--name', 'x'])).code, 0);
  const after = new DatabaseSync(databaseIn(folder), { readOnly: true });
  cleanUp(t, () => after.close());
  assert.equal(after.prepare('PRAGMA user_version').get()?.user_version, MIGRATIONS.length);
  assert.equal(after.prepare('SELECT name FROM pets').get()?.name, 'Rex');
});
