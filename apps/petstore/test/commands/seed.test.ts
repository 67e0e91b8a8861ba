import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { finished, runProgram, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook } from '@petstore/test-support/within.ts';
import { ask, databaseIn, exported, until } from '../support/animals.ts';
import { PETSTORE, petstore, serve } from '../support/program.ts';

test('seed adds as many animals as it is told, of every status and with plausible names', async (t) => {
  const folder = await temporaryFolder(t);
  const { code, stdout } = await petstore(folder, ['seed', '--count', '12345']);
  assert.equal(code, 0);
  assert.match(stdout, /^Added 12345 of 12345 animals in [\d.]+ s\.\n$/);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), 12345);
  assert.equal(ask(folder, 'SELECT max(id) FROM pets'), 12345);
  for (const [status, share] of Object.entries({ available: 0.7, pending: 0.1, sold: 0.2 })) {
    const count = Number(ask(folder, `SELECT count(*) FROM pets WHERE status = '${status}'`));
    assert.ok(Math.abs(count / 12345 - share) < 0.02, `${count} are ${status}`);
  }
  assert.equal(ask(folder, "SELECT count(*) FROM pets WHERE name NOT GLOB '[A-Z]* [A-Z]*'"), 0);
  assert.ok(Number(ask(folder, 'SELECT count(DISTINCT name) FROM pets')) > 1000);
  assert.equal(ask(folder, 'SELECT count(DISTINCT category_id) FROM pets'), 24);
});

test('the same --seed gives the same animals, and a longer sequence begins with the shorter one', async (t) => {
  const animals = async (...args: string[]) => {
    const folder = await temporaryFolder(t);
    assert.equal((await petstore(folder, ['seed', ...args])).code, 0);
    return exported(folder);
  };
  const short = await animals('--count', '100');
  assert.equal(await animals('--count', '100', '--seed', '1'), short);
  assert.ok((await animals('--count', '6000')).startsWith(short));
  assert.notEqual(await animals('--count', '100', '--seed', '4294967295'), short);
});

test('without a terminal it says a plain line for each tenth, on standard error', async (t) => {
  const folder = await temporaryFolder(t);
  const { stderr } = await petstore(folder, ['seed', '--count', '50000']);
  const tenths = Array.from(
    { length: 10 },
    (_, i) => `${(i + 1) * 10} %: ${(i + 1) * 5_000} of 50000 animals\n`,
  );
  assert.equal(stderr, tenths.join(''));
});

test('a count or seed out of bounds is refused with one sentence, and nothing is made', async (t) => {
  const folder = await temporaryFolder(t);
  for (const count of ['0', '100000001', '-1', '1e3', 'many', '', '05', '9223372036854775808']) {
    const { code, stdout, stderr } = await petstore(folder, ['seed', '--count', count]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      `petstore: --count must be an integer from 1 to 100000000; got ${JSON.stringify(count)}.\n`,
    );
  }
  const seed = await petstore(folder, ['seed', '--count', '1', '--seed', '4294967296']);
  assert.match(seed.stderr, /^petstore: --seed must be an integer from 0 to 4294967295; got/);
  const memory = await petstore(folder, ['seed', '--count', '1'], {
    PETSTORE_DATABASE_URL: 'sqlite::memory:',
  });
  assert.match(
    memory.stderr,
    /^petstore: A store in memory belongs to the process that serves it;/,
  );
  assert.throws(() => ask(folder, 'SELECT 1'), 'no database was made');
});

test('SIGINT and SIGTERM stop it between two transactions, and it says how many there are', async (t) => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const folder = await temporaryFolder(t);
    const program = startProgram(
      t,
      process.execPath,
      [PETSTORE, 'seed', '--count', '5000000'],
      folder,
      {},
    );
    await until(program, () => existsWith(folder, 10_000));
    program.child.kill(signal);
    const outcome = await finished(program);
    assert.equal(outcome.code, code);
    const added = new RegExp(
      `^Added (\\d+) of 5000000 animals in [\\d.]+ s, then stopped by ${signal}\\.\\n$`,
    ).exec(outcome.stdout)?.[1];
    assert.equal(ask(folder, 'SELECT count(*) FROM pets'), Number(added), outcome.stdout);
    assert.equal(ask(folder, 'PRAGMA integrity_check'), 'ok');
  }
});

function existsWith(folder: string, count: number): boolean {
  try {
    return Number(ask(folder, 'SELECT count(*) FROM pets')) >= count;
  } catch {
    return false;
  }
}

test('the service and the keys get their turn while it runs', async (t) => {
  const folder = await temporaryFolder(t);
  const service = await serve(t, folder, {}, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(service.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const seeding = startProgram(
    t,
    process.execPath,
    [PETSTORE, 'seed', '--count', '400000'],
    folder,
    {},
  );
  await until(seeding, () => existsWith(folder, 5_000));
  let written = 0;
  let slowest = 0;
  while (seeding.child.exitCode === null && written < 30) {
    const start = performance.now();
    const answer = await fetch(`${service.origin}/v1/pets`, {
      method: 'POST',
      headers,
      body: '{"name":"Rex","categoryId":1}',
    });
    assert.equal(answer.status, 201, await answer.text());
    slowest = Math.max(slowest, performance.now() - start);
    written++;
  }
  assert.ok(written > 5, `only ${written} writes came between`);
  // Nobody waits for the seeding to end; a machine that does other things has its time.
  await assertTook(slowest, 3_000, 'a write');
  const made = await petstore(folder, ['keys', 'create', '--name', 'meanwhile']);
  assert.equal(made.code, 0, made.stderr);
  assert.equal((await finished(seeding)).code, 0);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), 400_000 + written);
});

test('a database that another program holds locked is one sentence, and so is a full disk', async (t) => {
  const folder = await temporaryFolder(t);
  assert.equal((await petstore(folder, ['seed', '--count', '1'])).code, 0);
  const db = new DatabaseSync(databaseIn(folder));
  db.exec('BEGIN IMMEDIATE');
  const locked = await petstore(folder, ['seed', '--count', '1']);
  db.close();
  assert.equal(locked.code, 1);
  assert.equal(
    locked.stderr,
    'petstore: The database is unavailable: it is locked by another program, full, or unreachable (database is locked). Try again.\n',
  );
  // A report on coverage would be cut off by the limit, and spoil all of them.
  const script = 'unset NODE_V8_COVERAGE; ulimit -f 600; exec "$0" "$@"';
  const full = await runProgram(
    'bash',
    ['-c', script, process.execPath, PETSTORE, 'seed', '--count', '100000'],
    folder,
    {},
  );
  assert.equal(full.code, 1);
  const added = Number(/^Added (\d+) of 100000/.exec(full.stdout)?.[1]);
  assert.match(full.stderr, /petstore: The database is unavailable: [^\n]+\n$/);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), 1 + added);
});
