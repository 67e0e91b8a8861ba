import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type Ending, FILE } from '@petstore/test-support/clean-up.ts';
import { memoryOf } from '@petstore/test-support/memory.ts';
import {
  finished,
  type Program,
  runProgram,
  startProgram,
} from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import {
  ask,
  copiedFolder,
  exported,
  seededFolder,
  stoppedAtWork,
  until,
} from '../support/animals.ts';
import { PETSTORE, petstore, serve } from '../support/program.ts';

const COUNT = 300_000;

/** A store with many animals, and what a whole export of it is. */
let many: string;
let whole: string;
/** The same of a store with some animals, for what does not need an export that takes a while. */
let some: string;
let wholeOfSome: string;
before(async () => {
  many = await seededFolder(FILE, COUNT);
  whole = await exported(many);
  some = await seededFolder(FILE, 3_000);
  wholeOfSome = await exported(some);
});

const start = (t: Ending, folder: string, ...args: string[]) =>
  startProgram(t, process.execPath, [PETSTORE, 'export', ...args], folder, {});

/** What a process has read and written, in bytes, and how often it tried to write. */
async function inputAndOutput({ child }: Program) {
  const text = await readFile(`/proc/${child.pid}/io`, 'latin1');
  const count = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1]);
  return { read: count('rchar'), written: count('wchar'), tries: count('syscw') };
}

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

test('export writes every animal in ascending order, a line of JSON each', async (t) => {
  const folder = await copiedFolder(t, many);
  const { code, stdout, stderr } = await petstore(folder, ['export', 'pets.ndjson']);
  assert.deepEqual([code, stdout], [0, '']);
  assert.match(stderr, /^Wrote 300000 animals in [\d.]+ s\.\n$/);
  const text = await readFile(join(folder, 'pets.ndjson'), 'utf8');
  assert.ok(text === whole, 'standard output and file are the same');
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.length, COUNT);
  for (const [i, line] of lines.entries()) assert.ok(line.startsWith(`{"id":${i + 1},"name":"`));
  assert.deepEqual(await readdir(folder), ['data', 'pets.ndjson'], 'nothing else is left');
});

test('an empty store is an empty file; a store that is not there is one sentence', async (t) => {
  const folder = await temporaryFolder(t);
  const missing = await petstore(folder, ['export', 'a']);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^petstore: There is no database at [^\n]+\n$/);
  assert.deepEqual(await readdir(folder), []);
  await petstore(folder, ['keys', 'create', '--name', 'x']);
  assert.equal((await petstore(folder, ['export', 'a'])).code, 0);
  assert.equal(await readFile(join(folder, 'a'), 'utf8'), '');
});

/** An export of many animals that stands still when a part is written, but not half. */
async function stoppedExport(t: Ending, folder: string, bytes: number): Promise<Program> {
  const file = join(folder, 'pets.ndjson');
  const { program } = await stoppedAtWork(
    async () => {
      await rm(file, { force: true });
      return { program: start(t, folder, 'pets.ndjson') };
    },
    async () => {
      const size = await sizeOf(`${file}.partial`);
      return size > bytes && size < whole.length / 2;
    },
  );
  return program;
}

test('an export that was killed is never taken for a whole one, and goes on where it stopped', async (t) => {
  const folder = await copiedFolder(t, many);
  const file = join(folder, 'pets.ndjson');
  for (const bytes of [1_000_000, 5_000_000]) {
    const program = await stoppedExport(t, folder, bytes);
    program.child.kill('SIGKILL');
    await finished(program);
    assert.equal(await sizeOf(file), 0, 'no file yet');
  }
  const { code, stderr } = await petstore(folder, ['export', 'pets.ndjson']);
  assert.equal(code, 0, stderr);
  const [, written, after] = /^Wrote (\d+) animals after id (\d+), where/.exec(stderr) ?? [];
  assert.equal(Number(written) + Number(after), COUNT);
  assert.ok((await readFile(file, 'utf8')) === whole);
});

test('a line that was cut in two is written anew, wherever the cut is', async (t) => {
  const folder = await copiedFolder(t, some);
  const lines = wholeOfSome.slice(0, 2_000).split('\n');
  const first = lines[0]?.length ?? 0;
  for (const cut of [0, 1, first - 1, first, first + 1, first + 2, 1_500]) {
    const name = `cut-${cut}`;
    await writeFile(join(folder, `${name}.partial`), wholeOfSome.slice(0, cut));
    const { code, stderr } = await petstore(folder, ['export', name]);
    assert.equal(code, 0, stderr);
    assert.ok((await readFile(join(folder, name), 'utf8')) === wholeOfSome, `cut at ${cut}`);
  }
});

test('SIGINT leaves a beginning, from which the same command goes on', async (t) => {
  const folder = await copiedFolder(t, many);
  const partial = join(folder, 'pets.ndjson.partial');
  const program = await stoppedExport(t, folder, 100_000);
  program.child.kill('SIGINT');
  program.child.kill('SIGCONT');
  const { code, stderr } = await finished(program);
  assert.equal(code, 130, stderr);
  assert.match(
    stderr,
    /^Wrote \d+ animals in [\d.]+ s, then stopped by SIGINT\.\nRun the same command again to continue\.\n$/,
  );
  const beginning = await readFile(partial, 'utf8');
  assert.ok(whole.startsWith(beginning) && beginning.endsWith('\n'));
  assert.equal((await petstore(folder, ['export', 'pets.ndjson'])).code, 0);
  assert.ok((await readFile(join(folder, 'pets.ndjson'), 'utf8')) === whole);
});

test('what is there is not replaced without --force, and nothing but a file ever', async (t) => {
  const folder = await copiedFolder(t, some);
  const file = join(folder, 'pets.ndjson');
  await writeFile(file, 'precious');
  const refused = await petstore(folder, ['export', 'pets.ndjson']);
  assert.deepEqual(refused, {
    code: 1,
    stdout: '',
    stderr: 'petstore: pets.ndjson exists already. Replace it with --force.\n',
  });
  assert.equal(await readFile(file, 'utf8'), 'precious');
  assert.equal((await petstore(folder, ['export', '--force', 'pets.ndjson'])).code, 0);
  assert.ok((await readFile(file, 'utf8')) === wholeOfSome);

  await mkdir(join(folder, 'dir'));
  for (const place of ['dir', '/dev/null']) {
    const { code, stderr } = await petstore(folder, ['export', '--force', place]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /is not a regular file\. Name a regular file, or - for standard output\.\n$/,
    );
  }
  const nowhere = await petstore(folder, ['export', 'no/such/folder']);
  assert.equal(nowhere.stderr, 'petstore: no/such/folder.partial cannot be written (ENOENT).\n');
});

test('a FILE.partial that is not the beginning of an export is left as it is', async (t) => {
  const folder = await copiedFolder(t, some);
  const foreign = [
    'notes',
    'notes\n',
    '{"name":"Rex","categoryId":1}\n',
    '\n',
    '\0'.repeat(70_000),
  ];
  for (const text of foreign) {
    await writeFile(join(folder, 'a.partial'), text);
    const { code, stderr } = await petstore(folder, ['export', 'a']);
    assert.equal(code, 1);
    assert.match(stderr, /^petstore: a\.partial is not the beginning of an export\. Move it away/);
    assert.equal(await readFile(join(folder, 'a.partial'), 'utf8'), text);
  }
});

test('a reader that has had enough ends it quietly; a slow one slows it down', async (t) => {
  const folder = await copiedFolder(t, many);
  const script = 'set -o pipefail; "$0" "$1" export - | head -1';
  const head = await runProgram('bash', ['-c', script, process.execPath, PETSTORE], folder, {});
  assert.deepEqual(head, { code: 0, stdout: whole.slice(0, whole.indexOf('\n') + 1), stderr: '' });

  const slow = start(t, folder, '-');
  slow.child.stdout?.pause();
  // It tries again and again, and nothing is taken; eight bytes wake a thread of its own.
  let last = await inputAndOutput(slow);
  await until(slow, async () => {
    const now = await inputAndOutput(slow);
    const tries = now.tries - last.tries;
    if (now.written > 65_536 && now.written - last.written <= 8 * tries) return tries > 20;
    last = now;
    return false;
  });
  assert.ok(last.written < whole.length / 10 && last.read < whole.length / 10, 'nor does it read');
  slow.child.stdout?.resume();
  assert.ok((await finished(slow)).stdout === whole);
});

test('a full disk is one sentence, and with room again the export goes on', async (t) => {
  const folder = await copiedFolder(t, many);
  const run = (script: string) =>
    runProgram('bash', ['-c', script, process.execPath, PETSTORE], folder, {});
  const file = await run(
    'unset NODE_V8_COVERAGE; ulimit -f 5000; exec "$0" "$1" export pets.ndjson',
  );
  assert.equal(file.code, 1);
  assert.match(file.stderr, /^petstore: Nothing can be written: EFBIG[^\n]*\n$/);
  assert.ok((await sizeOf(join(folder, 'pets.ndjson.partial'))) > 1_000_000);
  assert.equal((await petstore(folder, ['export', 'pets.ndjson'])).code, 0);
  assert.ok((await readFile(join(folder, 'pets.ndjson'), 'utf8')) === whole);

  const stdout = await run('exec "$0" "$1" export - > /dev/full');
  assert.equal(stdout.code, 1);
  assert.match(stdout.stderr, /^petstore: Nothing can be written: ENOSPC[^\n]*\n$/);
});

test('while the service writes, an export misses no animal that was there when it began', async (t) => {
  const folder = await copiedFolder(t, many);
  const service = await serve(t, folder, {}, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(service.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const program = start(t, folder, 'pets.ndjson');
  let written = 0;
  const ended = once(program.child, 'close');
  while (program.child.exitCode === null) {
    const body = '{"name":"Late","categoryId":1}';
    const answer = await fetch(`${service.origin}/v1/pets`, { method: 'POST', headers, body });
    assert.equal(answer.status, 201, await answer.text());
    written++;
  }
  await ended;
  assert.equal(program.child.exitCode, 0, program.output.stderr);
  const text = await readFile(join(folder, 'pets.ndjson'), 'utf8');
  assert.ok(text.startsWith(whole));
  const ids = [...text.matchAll(/^\{"id":(\d+),/gm)].map(([, id]) => Number(id));
  assert.deepEqual(
    ids,
    Array.from({ length: ids.length }, (_, i) => i + 1),
  );
  assert.ok(ids.length <= COUNT + written);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), COUNT + written);
});

test(`an export of ${COUNT} animals takes less than 150 MB of memory`, async (t) => {
  const folder = await copiedFolder(t, many);
  const { code, megabytes } = await memoryOf(start(t, folder, 'pets.ndjson'));
  assert.equal(code, 0);
  assert.ok(megabytes > 20 && megabytes < 150, `${megabytes} MB`);
});

test('of two exports to one file at once one is refused, and one that was killed holds up nobody', async (t) => {
  const folder = await copiedFolder(t, many);
  const first = await stoppedExport(t, folder, 0);
  const second = await petstore(folder, ['export', 'pets.ndjson', '--force']);
  assert.equal(second.code, 1);
  assert.match(
    second.stderr,
    /^petstore: Process \d+ writes pets\.ndjson\.partial already\. Wait for it, or name another file\./,
  );
  first.child.kill('SIGKILL');
  await finished(first);
  assert.equal((await petstore(folder, ['export', 'pets.ndjson'])).code, 0);
  assert.ok((await readFile(join(folder, 'pets.ndjson'), 'utf8')) === whole);
  assert.deepEqual(await readdir(folder), ['data', 'pets.ndjson'], 'nothing else is left');
});

test('the beginning of an export of another store is not continued', async (t) => {
  const folder = await copiedFolder(t, some);
  const other = '{"id":7,"name":"of another store","categoryId":1,"status":"sold"}\n';
  await writeFile(join(folder, 'a.partial'), other);
  const { code, stderr } = await petstore(folder, ['export', 'a']);
  assert.equal(code, 1);
  assert.match(stderr, /^petstore: a\.partial cannot be continued: its last animal differs/);
  assert.equal(await readFile(join(folder, 'a.partial'), 'utf8'), other);
  const empty = await petstore(folder, ['export', '']);
  assert.deepEqual([empty.code, await sizeOf(join(folder, '.partial'))], [1, 0]);
  assert.match(empty.stderr, /^petstore: FILE must not be empty\./);
});
