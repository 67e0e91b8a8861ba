import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { finished, runProgram, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { PETSTORE, petstore, serve } from '../support/program.ts';

const KEY = /^pk_live_[0-9A-Za-z]{38}$/;

test('a key created by another process works at once, and is refused at once when revoked by one', async (t) => {
  const folder = await temporaryFolder(t);
  const { origin } = await serve(t, folder);
  const made = await petstore(folder, ['keys', 'create', '--name', 'ci', '--json']);
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  assert.match(key, KEY);

  const pets = () => fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal((await pets()).status, 200);
  const revoked = await petstore(folder, ['keys', 'revoke', id]);
  assert.deepEqual(revoked, { code: 0, stdout: `Revoked ${id}.\n`, stderr: '' });
  assert.equal((await pets()).status, 401);
});

test('a key is shown once, and neither stored nor listed', async (t) => {
  const folder = await temporaryFolder(t);
  const text = await petstore(folder, ['keys', 'create', '--name', 'Ada Løve 🐈']);
  assert.match(
    text.stdout,
    /^Created the production key "Ada Løve 🐈" \(key_[0-9a-f]{16}\) in \/.*\/data\/petstore\.db\.\nIt is shown this once:\n\n {2}pk_live_/,
  );
  const key = /pk_live_\w+/.exec(text.stdout)?.[0] ?? '-';
  const lists = [
    await petstore(folder, ['keys', 'list']),
    await petstore(folder, ['keys', 'list', '--json']),
  ];
  for (const { stdout } of lists) {
    assert.match(stdout, /Ada Løve 🐈/);
    assert.ok(!stdout.includes(key.slice(8, 20)) && !stdout.includes('pk_live'));
  }
  for (const name of await readdir(join(folder, 'data'))) {
    const bytes = await readFile(join(folder, 'data', name), 'latin1');
    assert.ok(!bytes.includes(key.slice(8)), `${name} holds the key`);
  }
});

test('keys list shows every key with its dates, the oldest first', async (t) => {
  const folder = await temporaryFolder(t);
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const { stdout } = await petstore(folder, ['keys', 'create', '--name', name, '--json']);
    const { id, name: echoed } = JSON.parse(stdout) as { id: string; name: string };
    assert.equal(echoed, name);
    ids.push(id);
  }
  await petstore(folder, ['keys', 'revoke', ids[0] ?? '']);
  const { stdout } = await petstore(folder, ['keys', 'list', '--json']);
  const records = JSON.parse(stdout) as {
    id: string;
    name: string;
    createdAt: string;
    revokedAt: string | null;
  }[];
  assert.deepEqual(
    records.map(({ id }) => id),
    ids,
  );
  assert.deepEqual(Object.keys(records[0] ?? {}), [
    'id',
    'name',
    'environment',
    'createdAt',
    'revokedAt',
    'scopes',
    'expiresAt',
    'lastUsedAt',
    'replacedBy',
  ]);
  assert.ok(Date.parse(records[0]?.revokedAt ?? '') >= Date.parse(records[0]?.createdAt ?? ''));
  assert.equal(records[1]?.revokedAt, null);
  const { stdout: table } = await petstore(folder, ['keys', 'list']);
  assert.match(
    table,
    /^ID +FOR +STATE +EXPIRES +LAST USED +NAME +SCOPES\nkey_\S+ +production +revoked +- +- +one +pets:read,\S+\nkey_\S+ +production +active +- +- +two +pets:read,\S+\n$/,
  );
});

test('a staging key is marked as one', async (t) => {
  const folder = await temporaryFolder(t);
  const { stdout } = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], {
    PETSTORE_ENV: 'staging',
  });
  assert.match((JSON.parse(stdout) as { key: string }).key, /^pk_test_/);
});

test('a wrong call says what is wrong and changes nothing', async (t) => {
  const folder = await temporaryFolder(t);
  await petstore(folder, ['keys', 'create', '--name', 'only one']);
  const before = await petstore(folder, ['keys', 'list']);
  const cases: [string[], RegExp][] = [
    [['keys', 'create', '--name', '--json'], /must not begin with a space or a dash/],
    [['keys', 'create', '--name', '   '], /must not begin with a space or a dash/],
    [
      ['keys', 'create'],
      /required option '--name <name>' not specified\n\(petstore keys create --help shows/,
    ],
    [['keys', 'create', '--name', ''], /--name must be 1 to 100 characters/],
    [['keys', 'create', '--name', 'a\nb'], /--name must be 1 to 100 characters/],
    [['keys', 'create', '--name', 'x'.repeat(101)], /--name must be 1 to 100 characters/],
    [
      ['keys', 'revoke', 'key_none'],
      /^petstore: No key has the id "key_none"\. `petstore keys list` shows the ids\.\n$/,
    ],
    [['keys', 'revoke'], /missing required argument 'id'/],
    [
      ['keys', 'create', '--name', 'x', '--scope', 'pets:read,pets'],
      /--scope must be one of pets:read, pets:write, orders:read, orders:write, events:read, webhooks:read, webhooks:write, admin, or several separated by commas; got "pets"\./,
    ],
    [
      ['keys', 'create', '--name', 'x', '--expires-in', '1y'],
      /--expires-in must be a whole number of s, m, h, d or w, such as 12h or 7d, up to 3650d; got "1y"\./,
    ],
    [
      ['keys', 'create', '--name', 'x', '--expires-at', '2020-01-01T00:00:00+01:00'],
      /--expires-at must be in the future/,
    ],
    [
      [
        'keys',
        'create',
        '--name',
        'x',
        '--expires-in',
        '1h',
        '--expires-at',
        '2099-01-01T00:00:00Z',
      ],
      /Give --expires-in or --expires-at, not both\./,
    ],
    [['keys', 'rotate', 'key_none'], /No key has the id "key_none"\./],
    [['keys', 'rotate', 'pk_live_none'], /^petstore: This key is not in the database\./],
    [['keys', 'bury'], /unknown command 'bury'/],
    [['surve'], /Did you mean serve\?/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr, stdout } = await petstore(folder, args);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\n {4}at /);
    assert.equal(stdout, '');
  }
  assert.deepEqual(await petstore(folder, ['keys', 'list']), before);
});

test('revoking twice is not an error and keeps the first date', async (t) => {
  const folder = await temporaryFolder(t);
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json']);
  const { id } = JSON.parse(made.stdout) as { id: string };
  await petstore(folder, ['keys', 'revoke', id]);
  const first = await petstore(folder, ['keys', 'list', '--json']);
  const again = await petstore(folder, ['keys', 'revoke', id]);
  assert.deepEqual([again.code, again.stdout], [0, `${id} was revoked before.\n`]);
  assert.equal((await petstore(folder, ['keys', 'list', '--json'])).stdout, first.stdout);
});

test('a key that leaked can be revoked by itself, and is never repeated', async (t) => {
  const folder = await temporaryFolder(t);
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json']);
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  const wrong = await petstore(folder, ['keys', 'revoke', `${key}x`]);
  assert.equal(wrong.code, 1);
  assert.equal(
    wrong.stderr,
    'petstore: This key is not in the database. `petstore keys list` shows the ids.\n',
  );
  assert.equal((await petstore(folder, ['keys', 'revoke', key])).stdout, `Revoked ${id}.\n`);
});

test('a command about keys in the wrong folder says so instead of making a database', async (t) => {
  const folder = await temporaryFolder(t);
  for (const args of [
    ['keys', 'list'],
    ['keys', 'revoke', 'key_x'],
  ]) {
    const { code, stderr } = await petstore(folder, args);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^petstore: There is no database at \/.*\/data\/petstore\.db\. Run this in/,
    );
  }
  assert.deepEqual(await readdir(folder), []);
  const memory = { PETSTORE_DATABASE_URL: 'sqlite::memory:' };
  const { code, stderr } = await petstore(folder, ['keys', 'create', '--name', 'x'], memory);
  assert.equal(code, 1);
  assert.match(stderr, /^petstore: A store in memory belongs to the process that serves it/);
});

test('a key that nobody could read is revoked again', async (t) => {
  const folder = await temporaryFolder(t);
  const shell = startProgram(
    t,
    'sh',
    ['-c', `"$0" "$1" keys create --name x > /dev/full`, process.execPath, PETSTORE],
    folder,
    {},
  );
  const { code, stderr } = await finished(shell);
  assert.equal(code, 1);
  assert.equal(stderr, 'petstore: The key could not be shown, so it was revoked again.\n');
  const { stdout } = await petstore(folder, ['keys', 'list', '--json']);
  const [record] = JSON.parse(stdout) as { revokedAt: string | null }[];
  assert.ok(record?.revokedAt);
});

test('a reader that has had enough is not an error, and a full disk is one sentence', async (t) => {
  const folder = await temporaryFolder(t);
  const run = (tail: string) =>
    runProgram(
      'bash',
      ['-c', `"$0" "$1" openapi ${tail}; echo \${PIPESTATUS[0]} >&2`, process.execPath, PETSTORE],
      folder,
      {},
    );
  assert.equal((await run('| true')).stderr, '0\n');
  assert.match(
    (await run('> /dev/full')).stderr,
    /^petstore: Nothing can be written: [^\n]+\n1\n$/,
  );
});
