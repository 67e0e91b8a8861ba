import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { coverNoPrograms, finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { ask, until } from '../support/animals.ts';
import { start } from '../support/backups.ts';
import { petstore } from '../support/program.ts';

coverNoPrograms();

interface Listed {
  action: string;
  subject: string;
  actor: string;
  at: string;
  detail: Record<string, unknown>;
}

async function audit(folder: string, ...args: string[]): Promise<Listed[]> {
  const { stdout, stderr } = await petstore(folder, ['audit', '--json', ...args]);
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Listed[];
}

test('petstore audit lists what was done to keys and data, the newest last', async (t) => {
  const folder = await temporaryFolder(t);
  const before = Date.now();
  const made = await petstore(folder, ['keys', 'create', '--name', 'ci', '--json']);
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  await petstore(folder, ['seed', '--count', '3', '--seed', '7']);
  const file = 'evil\u001b[31m.ndjson';
  await writeFile(
    join(folder, file),
    '{"id":1,"name":"x","categoryId":1}\n{"id":9,"name":"y","categoryId":1}\n{}\n',
  );
  assert.equal((await petstore(folder, ['import', file])).code, 1);
  await petstore(folder, ['keys', 'revoke', key]);

  const events = await audit(folder);
  assert.deepEqual(
    events.map(({ action, subject }) => [action, subject]),
    [
      ['key.created', id],
      ['pets.seed_started', 'seed 7'],
      ['pets.seeded', 'seed 7'],
      ['pets.import_started', file],
      ['pets.imported', file],
      ['key.revoked', id],
    ],
  );
  const details = events.slice(1, 5).map(({ detail }) => detail);
  assert.deepEqual(details, [
    { count: 3 },
    { count: 3, added: 3 },
    { fromLine: 1 },
    { added: 1, present: 0, conflict: 1, bad: 1 },
  ]);
  assert.equal(new Set(events.map(({ actor }) => actor)).size, 1);
  for (const { at } of events) assert.ok(Date.parse(at) >= before && Date.parse(at) <= Date.now());

  const { stdout: table } = await petstore(folder, ['audit']);
  const lines = table.trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^TIME +ACTOR +ACTION +SUBJECT +DETAIL$/);
  assert.match(
    lines[1] ?? '',
    /^20\S+Z {2}\S+@\S+ +key\.created +key_\w+ +environment: production; name: ci; scopes: \["pets:read",/,
  );
  assert.equal(lines.length, 7);
  assert.ok(table.includes('evil\\u001b[31m') && !table.includes('\u001b'));
  assert.ok(!table.includes(key.slice(8, 20)));
  assert.deepEqual(await audit(folder, '--limit', '1'), events.slice(-1));
  assert.deepEqual(await audit(folder, '--since', '1h'), events);
  assert.deepEqual(await audit(folder, '--since', events[5]?.at ?? ''), events.slice(-1));
  assert.deepEqual(await audit(folder, '--since', '2999-01-01T00:00:00Z'), []);
  assert.deepEqual(await audit(folder, '--since', '2999-01-01'), []);
  assert.deepEqual(await audit(folder, '--since', '2026-01-01'), events);
});

test('of a seed and an import that were killed the log says that they started', async (t) => {
  const folder = await temporaryFolder(t);
  const killed = async (...args: string[]) => {
    const program = start(t, folder, ...args);
    const count = () => ask(folder, 'SELECT count(*) FROM pets');
    const before = count();
    await until(program, () => count() !== before);
    program.child.kill('SIGKILL');
    await finished(program);
  };
  await petstore(folder, ['migrate']);
  await killed('seed', '--count', '10000000', '--seed', '7');
  const line = '{"name":"x","categoryId":1}\n';
  await writeFile(join(folder, 'all.ndjson'), line.repeat(1_000_000));
  await killed('import', 'all.ndjson');
  assert.deepEqual(
    (await audit(folder)).map(({ action, subject, detail }) => [action, subject, detail]),
    [
      ['pets.seed_started', 'seed 7', { count: 10_000_000 }],
      ['pets.import_started', 'all.ndjson', { fromLine: 1 }],
    ],
  );
});

test('petstore audit says what is wrong with a call', async (t) => {
  const folder = await temporaryFolder(t);
  const cases: [string[], RegExp][] = [
    [
      ['audit', '--limit', '0'],
      /^petstore: --limit must be an integer from 1 to 100000; got "0"\.\n$/,
    ],
    [['audit', '--since', 'ever'], /^petstore: --since must be a whole number of s, m,/],
    [['audit'], /^petstore: There is no database at /],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await petstore(folder, args);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
  }
});
