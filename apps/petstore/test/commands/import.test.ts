import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { memoryOf } from '@petstore/test-support/memory.ts';
import {
  coverNoPrograms,
  finished,
  type Outcome,
  runProgram,
  startProgram,
} from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/int64.ts';
import { ask, exported, seededFolder, stoppedAtWork, summary, until } from '../support/animals.ts';
import { PETSTORE, petstore, serve } from '../support/program.ts';

const start = (t: Ending, folder: string, ...args: string[]) =>
  startProgram(t, process.execPath, [PETSTORE, 'import', ...args], folder, {});

/** Imports these bytes from a file and, with the same outcome, nothing else. */
async function importing(
  folder: string,
  content: string | Uint8Array,
  ...args: string[]
): Promise<Outcome> {
  await writeFile(join(folder, 'pets.ndjson'), content);
  return petstore(folder, ['import', 'pets.ndjson', ...args]);
}

function fromStdin(folder: string, content: string): Promise<Outcome> {
  return runProgram(process.execPath, [PETSTORE, 'import', '-'], folder, {}, content);
}

const json = (id: bigint | number | undefined, name: string, categoryId: bigint | number = 1n) =>
  `{${id === undefined ? '' : `"id":${id},`}"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"available"}\n`;

const ids = (folder: string) =>
  exported(folder).then((text) => [...text.matchAll(/^\{"id":(-?\d+),/gm)].map(([, id]) => id));

/** So many lines, with ids or without, each of another name. */
const manyLines = (count: number, hasIds: boolean) =>
  Array.from({ length: count }, (_, i) => json(hasIds ? i + 1 : undefined, `pet ${i + 1}`)).join(
    '',
  );

test('whatever is exported and imported elsewhere is exported there byte for byte', async (t) => {
  const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
  const int64s = fc.oneof(
    fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    fc.constantFrom(0n, -1n, 9007199254740993n, -9007199254740993n, INT64_MAX, INT64_MIN),
  );
  const names = fc
    .string({ minLength: 1, maxLength: 255, unit: 'binary' })
    .filter((name) => !CONTROL.test(name) && name.isWellFormed() && [...name].length <= 255);
  const statuses = fc.constantFrom('available', 'pending', 'sold');
  const everyCharacter = Array.from({ length: 0x110000 }, (_, i) => i)
    .filter((i) => (i < 0xd800 || i > 0xdfff) && !CONTROL.test(String.fromCodePoint(i)))
    .map((i) => String.fromCodePoint(i));
  const long = Array.from({ length: Math.ceil(everyCharacter.length / 255) }, (_, i) =>
    everyCharacter.slice(i * 255, (i + 1) * 255).join(''),
  );
  const animals = fc.uniqueArray(
    fc.record({ id: int64s, name: names, categoryId: int64s, status: statuses }),
    {
      selector: ({ id }) => id,
      minLength: 200,
      maxLength: 800,
    },
  );
  const extremes = [INT64_MIN, -1n, 0n, INT64_MAX];
  await fc.assert(
    fc.asyncProperty(animals, async (some) => {
      const lines = new Map(
        some.map(({ id, name, categoryId, status }) => [
          id,
          json(id, name, categoryId).replace('"available"}\n', `"${status}"}\n`),
        ]),
      );
      for (const [i, name] of long.entries())
        lines.set(BigInt(i) + 10_000n, json(BigInt(i) + 10_000n, name));
      for (const id of extremes) lines.set(id, json(id, 'edge', id));
      const folder = await temporaryFolder(t);
      const { code, stderr } = await importing(folder, [...lines.values()].join(''));
      assert.equal(code, 0, stderr);
      const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
      const { stdout: text } = await petstore(folder, ['export', '-']);
      assert.ok(text === sorted.join(''));
      const again = await temporaryFolder(t);
      assert.equal((await importing(again, text)).code, 0);
      assert.ok((await petstore(again, ['export', '-'])).stdout === text);
    }),
    { numRuns: 1, endOnFailure: true },
  );
});

test('a bad line is reported with its number and the reason, and nothing else is lost', async (t) => {
  const int64 = 'an integer from -9223372036854775808 to 9223372036854775807';
  const text =
    'a string of 1 to 255 characters, none of them a control character or a lone surrogate';
  const bad: [string | Buffer, string][] = [
    ['nope', `The body is not JSON: Unexpected token 'o', "nope" is not valid JSON.`],
    ['{"name":"x","categoryId":1', 'The body is not JSON: '],
    ['[]', 'The body must be a JSON object.'],
    ['null', 'The body must be a JSON object.'],
    ['{}', `name is required and must be ${text}; categoryId is required and must be ${int64}.`],
    ['{"name":"","categoryId":1}', `name must be ${text}.`],
    ['{"name":"a\\u0000","categoryId":1}', `name must be ${text}.`],
    ['{"name":"\\ud800","categoryId":1}', `name must be ${text}.`],
    [`{"name":"${'x'.repeat(256)}","categoryId":1}`, `name must be ${text}.`],
    ['{"name":"x","categoryId":"1"}', `categoryId must be ${int64}.`],
    ['{"name":"x","categoryId":1.5}', `categoryId must be ${int64}.`],
    ['{"name":"x","categoryId":9223372036854775808}', `categoryId must be ${int64}.`],
    ['{"id":null,"name":"x","categoryId":1}', `id must be ${int64}.`],
    ['{"id":-9223372036854775809,"name":"x","categoryId":1}', `id must be ${int64}.`],
    [
      '{"name":"x","categoryId":1,"status":"lost"}',
      'status must be one of available, pending, sold.',
    ],
    [
      '{"name":"x","name":"y","categoryId":1}',
      'The body has the member "name" twice in one object.',
    ],
    ['\ufeff{"name":"x","categoryId":1}', 'The body starts with a byte order mark; send UTF-8'],
    [Buffer.from('7b226e616d65223aff7d', 'hex'), 'The body is not valid UTF-8.'],
    [
      `{"name":"x","categoryId":1${' '.repeat(65_536)}}`,
      'The body must be at most 65536 bytes long.',
    ],
    ['x'.repeat(3_000_000), 'The body must be at most 65536 bytes long.'],
  ];
  const folder = await temporaryFolder(t);
  const parts = bad.flatMap(([line], i) => [json(i + 1, `good ${i + 1}`), line, '\n']);
  const { code, stderr, stdout } = await importing(
    folder,
    Buffer.concat(parts.map((part) => Buffer.from(part))),
  );
  assert.equal(code, 1);
  const reports = stderr.split('\n').filter((line) => line.startsWith('line '));
  assert.equal(reports.length, bad.length, stderr);
  for (const [i, [, reason]] of bad.entries()) {
    assert.ok(reports[i]?.startsWith(`line ${2 * i + 2}: ${reason}`), reports[i]);
  }
  assert.deepEqual(summary({ code, stdout, stderr }), {
    added: bad.length,
    present: 0,
    conflicts: 0,
    bad: bad.length,
  });
  const all = await exported(folder);
  assert.equal(all, bad.map((_, i) => json(i + 1, `good ${i + 1}`)).join(''));
});

test('of many bad lines the first 20 are reported and the rest counted', async (t) => {
  const folder = await temporaryFolder(t);
  const { stderr, ...rest } = await importing(folder, `${'bad\n'.repeat(33)}${json(1, 'Rex')}`);
  assert.equal(stderr.match(/^line \d+: /gm)?.length, 20);
  assert.match(stderr, /^and 13 more lines like these$/m);
  assert.deepEqual(summary({ stderr, ...rest }), { added: 1, present: 0, conflicts: 0, bad: 33 });
});

test('a report shows what a terminal would obey instead of sending it there', async (t) => {
  const folder = await temporaryFolder(t);
  const { stderr } = await importing(folder, '\u001b[2Jx\u009b\n');
  assert.match(stderr, /^line 1: The body is not JSON: Unexpected token '\\u001b'/);
  assert.doesNotMatch(stderr, /[\u001b\u009b]/);
});

test('blank lines, CRLF, a missing last newline, and standard input are all the same', async (t) => {
  const content = `\r\n${json(5, 'five').replace('\n', '\r\n')}\n \t \n{"name":"six","categoryId":1e0,"x":[]}\r\n{"id":9,"name":"nine","categoryId":2}`;
  const wanted = [json(5, 'five'), json(6, 'six'), json(9, 'nine', 2)].join('');
  const runs: [(folder: string) => Promise<Outcome>, string][] = [
    [(folder) => importing(folder, content), 'file'],
    [(folder) => fromStdin(folder, content), 'standard input'],
    [(folder) => fromStdin(folder, `${content}\n\n`), 'with a last newline'],
  ];
  for (const [run, name] of runs) {
    const folder = await temporaryFolder(t);
    const outcome = await run(folder);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal(summary(outcome).added, 3, name);
    assert.equal(await exported(folder), wanted, name);
  }
  const folder = await temporaryFolder(t);
  assert.equal(summary(await importing(folder, '')).added, 0);
  assert.equal(summary(await importing(folder, '\n\n')).added, 0);
});

test('a line as long as the limit is taken, however the file is cut into chunks', async (t) => {
  const folder = await temporaryFolder(t);
  const line = (id: number, bytes: number) => {
    const text = json(id, 'x').trimEnd().slice(0, -1);
    return `${text}${' '.repeat(bytes - text.length - 1)}}`;
  };
  const content = [65_536, 65_536, 65_537, 65_536, 100].map((bytes, i) => line(i + 1, bytes));
  for (const end of ['\n', '\r\n']) {
    const outcome = await importing(folder, content.join(end));
    assert.match(outcome.stderr, /^line 3: The body must be at most 65536 bytes long\.$/m);
    assert.equal(summary(outcome).bad, 1);
    assert.deepEqual(await ids(folder), ['1', '2', '4', '5']);
  }
});

test('importing a file again adds nothing; another animal of the same id is a conflict', async (t) => {
  const folder = await seededFolder(t, 12_000);
  const all = await exported(folder);
  const again = await importing(folder, all);
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual(summary(again), { added: 0, present: 12_000, conflicts: 0, bad: 0 });
  const changes = [
    ['"name":"', '"name":"X'],
    ['"categoryId":', '"categoryId":1'],
    [/"status":"\w+"/, '"status":"sold"'],
  ] as const;
  const first = all.split('\n').find((line) => !line.includes('sold')) ?? '';
  const id = /\d+/.exec(first)?.[0];
  for (const [from, to] of changes) {
    const outcome = await importing(folder, `${json(20_000, 'new')}${first.replace(from, to)}\n`);
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, new RegExp(`^line 2: Another animal has the id ${id}\\.$`, 'm'));
    assert.equal(summary(outcome).conflicts, 1);
  }
  assert.equal(await exported(folder), all + json(20_000, 'new'), 'what was there is as it was');
});

test('an id that was given or imported is never given again', async (t) => {
  const folder = await temporaryFolder(t);
  await importing(
    folder,
    json(undefined, 'a') + json(1_000, 'b') + json(undefined, 'c') + json(7, 'd'),
  );
  await importing(folder, json(undefined, 'e'));
  assert.deepEqual(await ids(folder), ['1', '7', '1000', '1001', '1002']);
});

test('an import that was interrupted says where it goes on, and then no line is missed or taken twice', async (t) => {
  coverNoPrograms(t);
  const folder = await temporaryFolder(t);
  const COUNT = 200_000;
  await writeFile(join(folder, 'pets.ndjson'), manyLines(COUNT, false));
  let from: string | undefined = '1';
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const program = await halfway(t, folder, 'pets.ndjson', '--from-line', from ?? '');
    program.child.kill(signal);
    program.child.kill('SIGCONT');
    const outcome = await finished(program);
    assert.equal(outcome.code, code, outcome.stderr);
    from = new RegExp(
      `^Stopped by ${signal} before line (\\d+)\\. Continue with --from-line \\1\\.$`,
      'm',
    ).exec(outcome.stderr)?.[1];
    assert.equal(Number(ask(folder, 'SELECT count(*) FROM pets')) + 1, Number(from));
    assert.ok(summary(outcome).added);
  }
  const rest = await petstore(folder, ['import', 'pets.ndjson', '--from-line', from ?? '']);
  assert.equal(rest.code, 0, rest.stderr);
  assert.equal(await exported(folder), manyLines(COUNT, true));
  assert.deepEqual(await readdir(folder), ['data', 'pets.ndjson'], 'the mark is gone');
});

test('standard input that has not ended can be interrupted too', async (t) => {
  const folder = await temporaryFolder(t);
  const program = start(t, folder, '-');
  program.child.stdin?.write(`bad\n${manyLines(6_000, false)}`);
  await until(program, () => program.output.stderr.includes('line 1:'));
  await until(program, () => ask(folder, 'SELECT count(*) FROM pets') === 5_000);
  program.child.kill('SIGINT');
  const { code, stderr } = await finished(program);
  assert.equal(code, 130);
  assert.match(stderr, /^Stopped by SIGINT before line 5002\. Continue with --from-line 5002\.$/m);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), 5_000);
});

test('after kill -9 the same import again brings every line with an id, each once', async (t) => {
  coverNoPrograms(t);
  const folder = await temporaryFolder(t);
  const all = manyLines(200_000, true);
  await writeFile(join(folder, 'pets.ndjson'), all);
  await killed(t, folder, 'pets.ndjson');
  assert.equal(ask(folder, 'PRAGMA integrity_check'), 'ok');
  const stored = Number(ask(folder, 'SELECT count(*) FROM pets'));
  const { code, ...rest } = await petstore(folder, ['import', 'pets.ndjson']);
  assert.equal(code, 0, rest.stderr);
  const { added, present } = summary({ code, ...rest });
  assert.deepEqual([added, present], [200_000 - stored, stored]);
  assert.ok((await exported(folder)) === all);
});

test('after kill -9 lines without ids are not added again unasked, and at most one group is added twice', async (t) => {
  coverNoPrograms(t);
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'pets.ndjson'), manyLines(200_000, false));
  await killed(t, folder, 'pets.ndjson');
  const stored = Number(ask(folder, 'SELECT count(*) FROM pets'));
  const mark = Number(await readFile(join(folder, 'pets.ndjson.next-line'), 'latin1'));
  assert.ok(mark - 1 === stored || mark - 1 === stored - 5_000, `${mark} after ${stored}`);

  const again = await petstore(folder, ['import', 'pets.ndjson']);
  assert.equal(again.code, 1);
  assert.match(
    again.stderr,
    new RegExp(
      `^petstore: Line 1 has no id, and an import that stopped before line ${mark} may have added it\\. Continue with --from-line ${mark}, or add it once more with --from-line 1\\.$`,
      'm',
    ),
  );
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), stored, 'nothing was added');

  const rest = await petstore(folder, ['import', 'pets.ndjson', '--from-line', `${mark}`]);
  assert.equal(rest.code, 0, rest.stderr);
  assert.equal(ask(folder, 'SELECT count(DISTINCT name) FROM pets'), 200_000, 'no line is missed');
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), 200_000 + stored - (mark - 1));
});

/** Begins an import, and has it stand still when a part of the file is stored, but not half. */
async function halfway(t: Ending, folder: string, file: string, ...args: string[]) {
  const before = await temporaryFolder(t);
  const changed = ['data', `${file}.next-line`];
  const copy = async (from: string, to: string) => {
    for (const name of changed) {
      await rm(join(to, name), { recursive: true, force: true });
      if (existsSync(join(from, name)))
        await cp(join(from, name), join(to, name), { recursive: true });
    }
  };
  await copy(folder, before);
  const { program } = await stoppedAtWork(
    async () => {
      // One that was over before it was seen at work has changed what was there.
      await copy(before, folder);
      return { program: start(t, folder, file, ...args) };
    },
    async ({ program }) => {
      // One for each tenth.
      const stored = program.output.stderr.match(/ stored$/gm) ?? [];
      return stored.length > 0 && stored.length < 5;
    },
  );
  return program;
}

/** Begins an import, and kills it halfway. */
async function killed(t: Ending, folder: string, file: string): Promise<void> {
  const program = await halfway(t, folder, file);
  program.child.kill('SIGKILL');
  await finished(program);
}

test('a line to begin at that lies beyond the end is refused, and the mark stays', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'pets.ndjson'), json(undefined, 'Rex'));
  await writeFile(join(folder, 'pets.ndjson.next-line'), '2\n');
  const beyond = await petstore(folder, ['import', 'pets.ndjson', '--from-line', '3']);
  assert.equal(beyond.code, 1);
  assert.match(beyond.stderr, /^petstore: --from-line 3 is beyond the end: there is 1 line\.$/m);
  assert.equal(await readFile(join(folder, 'pets.ndjson.next-line'), 'latin1'), '2\n');

  // An import that was killed between its last line and its end leaves this one.
  const behind = await petstore(folder, ['import', 'pets.ndjson', '--from-line', '2']);
  assert.equal(behind.code, 0, behind.stderr);
  assert.deepEqual((await readdir(folder)).sort().slice(0, 2), ['data', 'pets.ndjson']);
});

test('a mark that no import left is not believed', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'pets.ndjson.next-line'), 'soon');
  assert.equal((await importing(folder, json(undefined, 'Rex'))).code, 0);
  await mkdir(join(folder, 'pets.ndjson.next-line'));
  const { code, stderr } = await importing(folder, json(undefined, 'Ada'));
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^The line to continue from cannot be kept beside the file; a crash loses it\.$/m,
  );
  await rm(join(folder, 'pets.ndjson.next-line'), { recursive: true });
});

test('while the service writes, an import and the service lose nothing and share no id', async (t) => {
  coverNoPrograms(t);
  const folder = await temporaryFolder(t);
  const service = await serve(t, folder, {}, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(service.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  await writeFile(join(folder, 'pets.ndjson'), manyLines(100_000, false));
  const importing = start(t, folder, 'pets.ndjson');
  let written = 0;
  while (importing.child.exitCode === null) {
    const body = `{"name":"by the service ${written}","categoryId":1}`;
    const answer = await fetch(`${service.origin}/v1/pets`, { method: 'POST', headers, body });
    const text = await answer.text();
    assert.equal(answer.status, 201, text);
    const { id } = JSON.parse(text) as { id: number };
    const read = await fetch(`${service.origin}/v1/pets/${id}`, { headers });
    assert.equal(await read.text(), text);
    written++;
  }
  assert.equal((await finished(importing)).code, 0, importing.output.stderr);
  assert.ok(written > 5, `only ${written} writes came between`);
  assert.equal(ask(folder, 'SELECT count(DISTINCT name) FROM pets'), 100_000 + written);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), 100_000 + written);
});

test('a file that cannot be read and an invalid line number are one sentence each', async (t) => {
  const folder = await temporaryFolder(t);
  const cases: [string[], string][] = [
    [['missing'], 'missing cannot be read (ENOENT).'],
    [['.'], '. is a folder. Name a file, or - for standard input.'],
    [['-', '--from-line', '0'], '--from-line must be the number of a line, from 1 on; got "0".'],
    [['-', '--from-line', 'x'], '--from-line must be the number of a line, from 1 on; got "x".'],
  ];
  for (const [args, message] of cases) {
    const outcome = await petstore(folder, ['import', ...args]);
    assert.deepEqual(outcome, { code: 1, stdout: '', stderr: `petstore: ${message}\n` });
  }
  assert.deepEqual(await readdir(folder), [], 'no database was made');
});

test('a full disk ends it with one sentence and the line to continue from', async (t) => {
  coverNoPrograms(t);
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'pets.ndjson'), manyLines(40_000, false));
  const script = 'unset NODE_V8_COVERAGE; ulimit -f 1000; exec "$0" "$1" import pets.ndjson';
  const full = await runProgram('bash', ['-c', script, process.execPath, PETSTORE], folder, {});
  assert.equal(full.code, 1);
  const line =
    /^petstore: The database does not accept writes \([^\n]+\)\. When it does again, continue with --from-line (\d+)\.$/m.exec(
      full.stderr,
    )?.[1];
  assert.equal(Number(ask(folder, 'SELECT count(*) FROM pets')) + 1, Number(line), full.stderr);
  const rest = await petstore(folder, ['import', 'pets.ndjson', '--from-line', line ?? '']);
  assert.equal(rest.code, 0);
  assert.equal(ask(folder, 'SELECT count(DISTINCT name) FROM pets'), 40_000);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), 40_000);
});

test('a database that is moved away in the middle takes no more', async (t) => {
  const folder = await temporaryFolder(t);
  const program = start(t, folder, '-');
  program.child.stdin?.write(`bad\n${manyLines(6_000, false)}`);
  await until(program, () => program.output.stderr.includes('line 1:'));
  await until(program, () => ask(folder, 'SELECT count(*) FROM pets') === 5_000);
  await rm(join(folder, 'data'), { recursive: true });
  // It may have seen that, and have ended, before it has read all.
  program.child.stdin?.on('error', () => undefined).end(manyLines(6_000, false));
  const { code, stderr } = await finished(program);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /moved, deleted or replaced\)\. When it does again, continue with --from-line 5002\./,
  );
});

test('an import of 300000 animals takes less than 150 MB of memory, new or known', async (t) => {
  coverNoPrograms(t);
  const all = manyLines(300_000, true);
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'pets.ndjson'), all);
  for (const _ of ['new', 'known']) {
    const { code, megabytes } = await memoryOf(start(t, folder, 'pets.ndjson'));
    assert.equal(code, 0);
    assert.ok(megabytes > 20 && megabytes < 150, `${megabytes} MB`);
  }
  assert.ok((await exported(folder)) === all);
});

test('where nobody reads the summary, an error is still an error', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'bad.ndjson'), 'garbage\n');
  const run = (args: string) =>
    runProgram(
      'bash',
      ['-c', `"$0" "$1" ${args} | true; exit "\${PIPESTATUS[0]}"`, process.execPath, PETSTORE],
      folder,
      {},
    );
  assert.equal((await run('import bad.ndjson')).code, 1);
  assert.equal((await run('seed --count 1')).code, 0);
  const db = new DatabaseSync(join(folder, 'data/petstore.db'));
  cleanUp(t, () => db.close());
  db.exec('BEGIN IMMEDIATE');
  const locked = await run('seed --count 1');
  assert.equal(locked.code, 1);
  assert.match(locked.stderr, /^petstore: The database is unavailable: it is locked/m);
});
