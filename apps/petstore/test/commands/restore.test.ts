import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ending, FILE } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms, finished, type Program } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import {
  ask,
  copiedFolder,
  databaseIn,
  seededFolder,
  stoppedAtWork,
  until,
} from '../support/animals.ts';
import { shell, soundCount, start } from '../support/backups.ts';
import { petstore, serve } from '../support/program.ts';

coverNoPrograms();

const OLD = 60_000;
const NEW = 80_000;

/** A store, and a backup of another. */
let store: string;
let backup: string;
before(async () => {
  store = await seededFolder(FILE, OLD);
  const other = await seededFolder(FILE, NEW);
  backup = join(other, 'b.db');
  assert.equal((await petstore(other, ['backup', backup])).code, 0);
});

const filesOf = (folder: string) => readdir(join(folder, 'data'));
const formerIn = async (folder: string) =>
  join(folder, 'data', (await filesOf(folder)).find((name) => name.includes('.former-')) ?? '-');

/** A restore over a copy of the store that has just begun. */
async function restoring(t: Ending): Promise<{ folder: string; program: Program }> {
  const folder = await copiedFolder(t, store);
  return { folder, program: start(t, folder, 'restore', backup) };
}

/** How many bytes of the new database are written; undefined before there is one, and when it is in its place. */
const sizeOfPartial = ({ folder }: { folder: string }) =>
  stat(`${databaseIn(folder)}.partial`).then(
    ({ size }) => size,
    () => undefined,
  );
const hasPartial = async (begun: { folder: string }) => (await sizeOfPartial(begun)) !== undefined;

/** Adds an animal as a process does that is killed before its log is written into the file. */
function crash(folder: string): void {
  const script = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    db.exec("PRAGMA journal_mode = WAL; INSERT INTO pets (name, category_id, status) VALUES ('log', 1, 'sold')");
    process.kill(process.pid, 'SIGKILL')`;
  spawnSync(process.execPath, ['-e', script, databaseIn(folder)]);
}

test('restore puts a backup in the place of the database, and keeps the former with all of its log', async (t) => {
  const folder = await copiedFolder(t, store);
  await chmod(databaseIn(folder), 0o640);
  crash(folder);
  assert.ok((await filesOf(folder)).includes('petstore.db-wal'));
  const { code, stdout, stderr } = await petstore(folder, ['restore', '--json', backup]);
  assert.deepEqual([code, stderr], [0, '']);
  const former = await formerIn(folder);
  const told = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(
    [told.file, told.database, told.former, told.animals],
    [backup, databaseIn(folder), former, NEW],
  );
  assert.equal((await filesOf(folder)).length, 2, 'the database, and the former one');
  assert.equal(soundCount(former), OLD + 1);
  assert.equal(soundCount(databaseIn(folder)), NEW);
  assert.equal((await stat(databaseIn(folder))).mode & 0o777, 0o640);
  assert.ok((await readFile(databaseIn(folder))).equals(await readFile(backup)));

  const again = await petstore(folder, ['restore', '--discard-former', former]);
  assert.match(
    again.stdout,
    new RegExp(`^Put \\S+ back as \\S+: ${OLD + 1} animals, [^\n]+\\.\n$`),
  );
  assert.equal((await filesOf(folder)).length, 2);
});

test('while a service has the database open it is refused, and nothing changes', async (t) => {
  const folder = await copiedFolder(t, store);
  const service = await serve(t, folder);
  const { code, stderr } = await petstore(folder, ['restore', backup]);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^petstore: [^\n]+petstore\.db is open in another process, [^\n]+ Stop it[^\n]+\n$/,
  );
  assert.equal((await fetch(`${service.origin}/readyz`)).status, 200);
  assert.deepEqual(await readdir(folder), ['data']);
  assert.equal((await formerIn(folder)).endsWith('/-'), true);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), OLD);
});

test('no process gets the database open while a restore is at it', async (t) => {
  const { folder, program } = await stoppedAtWork(
    () => restoring(t),
    async (begun) => ((await sizeOfPartial(begun)) ?? 0) > 0,
  );
  const keys = await petstore(folder, ['keys', 'list']);
  const second = await petstore(folder, ['restore', backup]);
  program.child.kill('SIGCONT');
  assert.match(keys.stderr, /^petstore: [^\n]+ is locked by another program\. [^\n]+\n$/);
  assert.match(second.stderr, /^petstore: Process \d+ writes [^\n]+\.partial already\. [^\n]+\n$/);
  assert.equal((await finished(program)).code, 0);
  assert.equal(soundCount(databaseIn(folder)), NEW);
});

test('a process that opened the former database just before it was replaced lets go of it', async (t) => {
  const folder = await copiedFolder(t, store);
  const database = databaseIn(folder);
  const restored = join(folder, 'restored.db');
  await copyFile(backup, restored);
  // What a restore does at its end, with time in between. The program waits for the lock for two seconds.
  const db = new DatabaseSync(database);
  db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  const program = start(t, folder, 'keys', 'create', '--name', 'x');
  const handles = `/proc/${program.child.pid}/fd`;
  await until(program, async () => {
    const links = (await readdir(handles)).map((fd) => readlink(join(handles, fd)).catch(() => ''));
    return (await Promise.all(links)).includes(database);
  });
  await rename(database, `${database}.former`);
  await rename(restored, database);
  db.exec('COMMIT');
  db.close();
  const { code, stderr } = await finished(program);
  assert.equal(code, 1);
  assert.match(stderr, /^petstore: [^\n]+ was replaced while it was being opened\. Try again\.\n$/);
  assert.deepEqual(await filesOf(folder), ['petstore.db', 'petstore.db.former']);
  assert.ok((await readFile(database)).equals(await readFile(backup)));
});

test('a file that is not a sound backup is refused, and the database stays', async (t) => {
  const folder = await copiedFolder(t, store);
  const damaged = join(folder, 'damaged');
  await copyFile(backup, damaged);
  await truncate(damaged, 400 * 4096);
  const huge = join(folder, 'huge');
  await writeFile(huge, '');
  await truncate(huge, 2 ** 43);
  await copyFile(backup, join(folder, 'log'));
  await writeFile(join(folder, 'log-wal'), 'frames');
  await writeFile(`${databaseIn(folder)}.partial`, '');
  await symlink('data/petstore.db', join(folder, 'link'));
  const cases: [string[], RegExp][] = [
    [['data/petstore.db.partial'], /^petstore: \S+ belongs to the database itself/],
    [[damaged], /^petstore: \S+damaged is damaged, or is not a SQLite database/],
    [[huge], /^petstore: \S+partial needs 8796094 MB, but its disk has \d+ MB left\./],
    [['log'], /^petstore: log has a log beside it/],
    [['nothing'], /^petstore: nothing does not exist/],
    [['link'], /^petstore: link belongs to the database itself/],
    [
      [backup, '--sha256', 'abc'],
      /^petstore: --sha256 must be 64 hexadecimal digits; got "abc"\.\n$/,
    ],
    [
      [backup, '--sha256', 'a'.repeat(64)],
      /^petstore: \S+ has changed since it was made: its SHA-256 is /,
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await petstore(folder, ['restore', ...args]);
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, message);
  }
  assert.equal(soundCount(databaseIn(folder)), OLD);
  assert.deepEqual(await filesOf(folder), ['petstore.db']);
});

test('kill -9 at any moment leaves the old store or the new one, never a log of the other', async (t) => {
  const folder = await copiedFolder(t, store);
  crash(folder);
  const names = ['', '-wal'].map((suffix) => `${databaseIn(folder)}${suffix}`);
  const crashed = await Promise.all(names.map((name) => readFile(name)));
  const found = new Set<number>();
  for (let round = 0; round < 7; round++) {
    const { folder: own, program } = await stoppedAtWork(async () => {
      const folder = await temporaryFolder(t);
      await mkdir(join(folder, 'data'));
      await Promise.all(
        ['', '-wal'].map((suffix, i) =>
          writeFile(`${databaseIn(folder)}${suffix}`, crashed[i] ?? ''),
        ),
      );
      return { folder, program: start(t, folder, 'restore', backup) };
    }, hasPartial);
    program.child.kill('SIGCONT');
    await sleep(round * 20);
    program.child.kill('SIGKILL');
    await finished(program);
    const count = soundCount(databaseIn(own));
    found.add(count);
    assert.ok(count === OLD + 1 || count === NEW, `${count} animals`);
  }
  assert.ok(found.has(OLD + 1), 'some were killed in time');
  assert.equal((await petstore(folder, ['restore', backup])).code, 0);
  assert.equal(soundCount(databaseIn(folder)), NEW);
});

test('on a full disk there is one sentence, and the database stays', async (t) => {
  const folder = await copiedFolder(t, store);
  // No file may grow beyond 1000 KiB: what a full disk looks like to a process.
  const script = 'unset NODE_V8_COVERAGE; ulimit -f 1000; petstore restore "$BACKUP"';
  const { code, stderr } = await finished(shell(t, folder, script, { BACKUP: backup }));
  assert.equal(code, 1);
  assert.match(stderr, /^petstore: Nothing can be written: EFBIG[^\n]+\n$/);
  assert.deepEqual(await filesOf(folder), ['petstore.db']);
  assert.equal(soundCount(databaseIn(folder)), OLD);
});

/** Interrupts a restore that is at some work with Ctrl-C, which has to be heard. Gives its folder. */
async function interruptedAt(
  t: TestContext,
  isAtWork: (begun: { folder: string }) => Promise<boolean>,
): Promise<string> {
  // One that comes when the check is over is too late.
  for (let times = 0; times < 10; times++) {
    const { folder, program } = await stoppedAtWork(() => restoring(t), isAtWork);
    program.child.kill('SIGINT');
    program.child.kill('SIGCONT');
    const { code, stderr } = await finished(program);
    const count = soundCount(databaseIn(folder));
    if (code === 0 && count === NEW) continue;
    assert.deepEqual(
      [code, stderr, count],
      [130, 'Stopped by SIGINT. The database is as it was.\n', OLD],
    );
    return folder;
  }
  assert.fail('it was never heard');
}

test('Ctrl-C ends it with 130 and leaves the database as it was', async (t) => {
  assert.deepEqual(await filesOf(await interruptedAt(t, hasPartial)), ['petstore.db']);
});

test('Ctrl-C is heard while the copy is checked, too', async (t) => {
  const { size } = await stat(backup);
  await interruptedAt(t, async (begun) => (await sizeOfPartial(begun)) === size);
});

test('a damaged database is replaced and kept with its log, which is not taken for the new one', async (t) => {
  for (const [from, to] of [
    [0, 64],
    [100, 200],
  ] as const) {
    const folder = await copiedFolder(t, store);
    crash(folder);
    const bytes = (await readFile(databaseIn(folder))).fill(0xff, from, to);
    await writeFile(databaseIn(folder), bytes);
    const log = await readFile(`${databaseIn(folder)}-wal`);
    const { code, stderr } = await petstore(folder, ['restore', backup]);
    assert.equal(code, 0, stderr);
    const former = await formerIn(folder);
    assert.equal(soundCount(databaseIn(folder)), NEW);
    assert.ok((await readFile(former)).equals(bytes));
    assert.ok((await readFile(`${former}-wal`)).equals(log));
    assert.equal((await filesOf(folder)).length, 3);
  }
});

test('where there is no database it makes one, with its folder; a stray log is not taken for its', async (t) => {
  const folder = await copiedFolder(t, store);
  crash(folder);
  const stray = await readFile(`${databaseIn(folder)}-wal`);
  const empty = await temporaryFolder(t);
  await mkdir(join(empty, 'data'));
  await writeFile(`${databaseIn(empty)}-wal`, stray);
  const fails = await petstore(empty, ['restore', join(folder, 'nothing')]);
  assert.equal(fails.code, 1);
  const { code, stdout } = await petstore(empty, ['restore', backup]);
  assert.equal(code, 0);
  assert.ok(!stdout.includes('former'));
  assert.deepEqual(await filesOf(empty), ['petstore.db']);
  assert.equal(soundCount(databaseIn(empty)), NEW);
  assert.equal((await stat(databaseIn(empty))).mode & 0o777, 0o600);
  const elsewhere = await temporaryFolder(t);
  assert.equal((await petstore(elsewhere, ['restore', backup])).code, 0);
  assert.deepEqual(await filesOf(elsewhere), ['petstore.db']);

  const damaged = join(folder, 'damaged');
  await writeFile(damaged, 'x'.repeat(5_000));
  const third = await temporaryFolder(t);
  assert.equal((await petstore(third, ['restore', damaged])).code, 1);
  assert.deepEqual(await filesOf(third), [], 'no empty store is left behind');
});

const isRoot = process.getuid?.() === 0;

test('restored by root, it belongs to whom the former or the folder belonged', {
  skip: !isRoot,
}, async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'data'));
  await chown(join(folder, 'data'), 65_534, 65_534);
  assert.equal((await petstore(folder, ['restore', backup])).code, 0);
  assert.equal((await stat(databaseIn(folder))).uid, 65_534);
  await chown(join(folder, 'data'), 0, 0);
  assert.equal((await petstore(folder, ['restore', backup])).code, 0);
  assert.equal((await stat(databaseIn(folder))).uid, 65_534);
});

test('a symbolic link stays one, and what it leads to is replaced', async (t) => {
  const folder = await copiedFolder(t, store);
  await rename(databaseIn(folder), join(folder, 'real.db'));
  await symlink('../real.db', databaseIn(folder));
  assert.equal((await petstore(folder, ['restore', '--discard-former', backup])).code, 0);
  assert.equal(await readlink(databaseIn(folder)), '../real.db');
  assert.equal(soundCount(join(folder, 'real.db')), NEW);
});
