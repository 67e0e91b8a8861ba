import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms, finished, type Program } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { copiedFolder, databaseIn, seededFolder, stoppedAtWork } from '../support/animals.ts';
import { isInWalMode, shell, soundCount, start } from '../support/backups.ts';
import { petstore, serve } from '../support/program.ts';

coverNoPrograms();

const COUNT = 100_000;

/** A backup to b.db that stands still in the midst of it. `former`: what b.db holds before. */
async function halted(t: TestContext, folder: string, former: string): Promise<Program> {
  const { program } = await stoppedAtWork(
    async () => {
      await writeFile(join(folder, 'b.db'), former);
      return { program: start(t, folder, 'backup', '--force', 'b.db') };
    },
    async () => existsSync(join(folder, 'b.db.partial')),
  );
  return program;
}

/** A store with many animals. */
let many: string;
before(async () => {
  many = await seededFolder(FILE, COUNT);
});

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

test('a backup is one file for its owner alone, and a store of its own', async (t) => {
  const folder = await copiedFolder(t, many);
  const { code, stdout, stderr } = await petstore(folder, ['backup', '--json', 'b.db']);
  assert.deepEqual([code, stderr], [0, ''], 'nothing but the answer where no terminal is');
  const file = join(folder, 'b.db');
  const bytes = await readFile(file);
  assert.deepEqual(JSON.parse(stdout), {
    file: 'b.db',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    schema: 10,
    animals: COUNT,
    categories: 0,
    orders: 0,
    keys: 0,
  });
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await isInWalMode(file), false);
  assert.deepEqual(await readdir(folder), ['b.db', 'data'], 'nothing else is left');
  assert.deepEqual(await readdir(join(folder, 'data')), ['petstore.db']);

  const env = { PETSTORE_DATABASE_URL: 'sqlite:./b.db' };
  const service = await serve(t, folder, env, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(service.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}` };
  assert.equal((await fetch(`${service.origin}/v1/pets/${COUNT}`, { headers })).status, 200);
});

test('a backup under full write load holds a prefix of the acknowledged animals, and restored it answers the same', async (t) => {
  const folder = await copiedFolder(t, many);
  const service = await serve(t, folder, {}, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(service.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const acknowledged = new Map<number, string>();
  let isOver = false;
  const writers = Array.from({ length: 32 }, async (_, writer) => {
    for (let i = 0; !isOver; i++) {
      const name = `${writer}-${i}`;
      const body = JSON.stringify({ name, categoryId: 1 });
      const answer = await fetch(`${service.origin}/v1/pets`, { method: 'POST', headers, body });
      assert.equal(answer.status, 201);
      acknowledged.set(((await answer.json()) as { id: number }).id, name);
    }
  });
  while (acknowledged.size < 500) await sleep(5);
  const earlier = [...acknowledged.keys()];
  const backup = await petstore(folder, ['backup', 'b.db']);
  const later = new Set(acknowledged.keys());
  while (acknowledged.size < later.size + 500) await sleep(5);
  isOver = true;
  await Promise.all(writers);
  assert.equal(backup.code, 0, backup.stderr);

  const file = join(folder, 'b.db');
  const db = new DatabaseSync(file, { readOnly: true });
  cleanUp(t, () => db.close());
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  const max = Number(db.prepare('SELECT max(id) AS id FROM pets').get()?.id);
  assert.equal(db.prepare('SELECT count(*) AS n FROM pets').get()?.n, max, 'no id is left out');
  assert.ok(Math.max(...earlier) <= max, 'all that was acknowledged before it began');
  assert.ok(max < Math.max(...acknowledged.keys()), 'and not what came after it');
  const added = db.prepare('SELECT id, name FROM pets WHERE id > ?').all(COUNT);
  for (const { id, name } of added) assert.equal(acknowledged.get(Number(id)), name);

  const paths = [`/pets/${max}`, `/pets/${COUNT + 1}`, '/pets?limit=100'];
  const answers = (origin: string) =>
    Promise.all(
      paths.map(async (path) => (await fetch(`${origin}/v1${path}`, { headers })).text()),
    );
  const elsewhere = await temporaryFolder(t);
  const restored = await petstore(elsewhere, ['restore', file]);
  assert.equal(restored.code, 0, restored.stderr);
  const second = await serve(t, elsewhere);
  assert.deepEqual(await answers(second.origin), await answers(service.origin));
});

test('a name that cannot be used is refused in one sentence, and what is there stays', async (t) => {
  const folder = await copiedFolder(t, many);
  await mkdir(join(folder, 'folder'));
  await symlink('data/petstore.db', join(folder, 'link'));
  await writeFile(join(folder, 'there'), 'there');
  await writeFile(join(folder, 'export.partial'), '{"id":1,');
  const cases: [string[], RegExp][] = [
    [['there'], /^petstore: there exists already\. Replace it with --force\.\n$/],
    [['folder', '--force'], /^petstore: folder is not a regular file\. Name a regular file\.\n$/],
    [['nowhere/b.db'], /^petstore: nowhere\/b\.db\.partial cannot be written \(ENOENT\)[^\n]+\n$/],
    [['there/b.db'], /^petstore: there\/b\.db\.partial cannot be written \(ENOTDIR\)[^\n]+\n$/],
    [['data/petstore.db', '--force'], /^petstore: data\/petstore\.db belongs to the database/],
    [['data/petstore.db-wal'], /^petstore: data\/petstore\.db-wal belongs to the database/],
    [
      ['link', '--force'],
      /^petstore: link belongs to the database itself\. Name another file\.\n$/,
    ],
    [['export'], /^petstore: export\.partial exists and is not an unfinished database/],
    [
      [''],
      /^petstore: FILE must be the name of a file: a backup cannot be written to standard output\.\n$/,
    ],
    [
      ['-'],
      /^petstore: FILE must be the name of a file: a backup cannot be written to standard output\.\n$/,
    ],
  ];
  const names = await readdir(folder);
  const database = await readFile(databaseIn(folder));
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await petstore(folder, ['backup', ...args]);
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, message);
  }
  assert.deepEqual(await readdir(folder), names);
  assert.deepEqual(await readdir(join(folder, 'data')), ['petstore.db']);
  assert.ok((await readFile(databaseIn(folder))).equals(database));

  const own = { PETSTORE_DATABASE_URL: 'sqlite:./b.db.partial' };
  await petstore(folder, ['keys', 'create', '--name', 'x'], own);
  const inTheWay = await petstore(folder, ['backup', 'b.db'], own);
  assert.match(inTheWay.stderr, /^petstore: b\.db\.partial belongs to the database itself\./);
  assert.ok((await sizeOf(join(folder, 'b.db.partial'))) > 0);
});

test('a store that is not there, in memory, or damaged is one sentence', async (t) => {
  const folder = await copiedFolder(t, many);
  const run = (url: string) => petstore(folder, ['backup', 'b'], { PETSTORE_DATABASE_URL: url });
  const missing = await run('sqlite:./x.db');
  assert.match(missing.stderr, /^petstore: There is no database at [^\n]+x\.db\. [^\n]+\n$/);
  assert.match((await run('sqlite::memory:')).stderr, /^petstore: A store in memory belongs to/);
  const bytes = await readFile(databaseIn(folder));
  await writeFile(databaseIn(folder), bytes.fill(0xff, 40 * 4096, 41 * 4096));
  const damaged = await petstore(folder, ['backup', 'b']);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stderr, /^petstore: [^\n]+petstore\.db is damaged[^\n]+\n$/);
  assert.deepEqual(await readdir(folder), ['data']);
});

test('Ctrl-C ends it with 130 and leaves nothing, and the former backup as it was', async (t) => {
  const folder = await copiedFolder(t, many);
  const interrupted = async () => {
    const program = await halted(t, folder, 'the former one');
    program.child.kill('SIGINT');
    program.child.kill('SIGCONT');
    return finished(program);
  };
  let ended = await interrupted();
  // One that got to its end before it looked at the signal.
  while (ended.code === 0) ended = await interrupted();
  const { code, stdout, stderr } = ended;
  assert.deepEqual([code, stdout], [130, '']);
  assert.match(stderr, /^Stopped by SIGINT\. There is no backup\.\n$/);
  assert.deepEqual(await readdir(folder), ['b.db', 'data']);
  assert.equal(await readFile(join(folder, 'b.db'), 'utf8'), 'the former one');
});

test('kill -9 at any moment leaves no backup or a whole one, and holds up nobody', async (t) => {
  const folder = await copiedFolder(t, many);
  const file = join(folder, 'b.db');
  for (let round = 0; round < 6; round++) {
    const program = start(t, folder, 'backup', '--force', 'b.db');
    // Half of them while it starts, half in what follows.
    await sleep((round % 2) * 150 + Math.random() * 150);
    program.child.kill('SIGKILL');
    await finished(program);
    if ((await sizeOf(file)) > 0) assert.equal(soundCount(file), COUNT);
  }
  assert.equal((await petstore(folder, ['backup', '--force', 'b.db'])).code, 0);
  assert.equal(soundCount(file), COUNT);
  assert.deepEqual(await readdir(folder), ['b.db', 'data'], 'nothing is left of the killed');
});

test('two backups at once: to two files both are made, to one file one is refused', async (t) => {
  const folder = await copiedFolder(t, many);
  const both = ['one', 'two'].map((name) => petstore(folder, ['backup', name]));
  for (const { code, stderr } of await Promise.all(both)) assert.equal(code, 0, stderr);
  assert.equal(soundCount(join(folder, 'one')), COUNT);
  assert.equal(soundCount(join(folder, 'two')), COUNT);

  const first = await halted(t, folder, '');
  const second = await petstore(folder, ['backup', 'b.db', '--force']);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /^petstore: Process \d+ writes b\.db\.partial already\. [^\n]+\n$/);
  first.child.kill('SIGCONT');
  assert.equal((await finished(first)).code, 0);
  assert.equal(soundCount(join(folder, 'b.db')), COUNT);
});

test('on a full disk there is one sentence and no backup', async (t) => {
  const folder = await copiedFolder(t, many);
  // No file may grow beyond 2000 KiB: what a full disk looks like to a process.
  const run = shell(t, folder, 'unset NODE_V8_COVERAGE; ulimit -f 2000; petstore backup b.db');
  const { code, stderr } = await finished(run);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^petstore: b\.db\.partial cannot be written, or [^\n]+ full or fails[^\n]+\n$/,
  );
  assert.deepEqual(await readdir(folder), ['data']);
});

const noTerminal = existsSync('/usr/bin/script') ? false : 'script(1), which makes one, is missing';

test('on a terminal a bar moves', { skip: noTerminal }, async (t) => {
  const folder = await copiedFolder(t, many);
  const { stdout } = await finished(
    shell(t, folder, 'exec /usr/bin/script -qc "$NODE $PETSTORE backup b.db" /dev/null'),
  );
  assert.match(stdout, /\d+ % \| [\d.]+ of [\d.]+ MB copied/);
  assert.match(stdout, /Backed up /);
});
