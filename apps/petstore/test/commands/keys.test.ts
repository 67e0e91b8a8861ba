import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { petstore, serve } from '../support/program.ts';
import { temporaryFolder } from '../support/service.ts';

const KEY = /^pk_live_[0-9A-Za-z]{38}$/;

test('a key made by another process works at once, and is refused at once when revoked by one', async (t) => {
  const folder = await temporaryFolder(t);
  const { child, origin } = await serve(folder);
  t.after(() => child.kill());
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
    /^Made the production key "Ada Løve 🐈" \(key_[0-9a-f]{16}\)\. It is shown this once:\n\n {2}pk_live_/,
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
  assert.match(
    (await petstore(folder, ['keys', 'list'])).stdout,
    /^No keys yet\. Make one: petstore keys create/,
  );
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
  assert.deepEqual(Object.keys(records[0] ?? {}), ['id', 'name', 'createdAt', 'revokedAt']);
  assert.ok(Date.parse(records[0]?.revokedAt ?? '') >= Date.parse(records[0]?.createdAt ?? ''));
  assert.equal(records[1]?.revokedAt, null);
  const { stdout: table } = await petstore(folder, ['keys', 'list']);
  assert.match(
    table,
    /^ID +CREATED +REVOKED +NAME\nkey_\S+ +20\d\d-\d\d-\d\d \d\d:\d\dZ +20\S+ \d\d:\d\dZ +one\nkey_\S+ +\S+ \S+ +- +two\n$/,
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
  const cases: [string[], RegExp][] = [
    [['keys', 'create'], /required option '--name <name>' not specified/],
    [['keys', 'create', '--name', ''], /--name must be 1 to 100 characters/],
    [['keys', 'create', '--name', 'a\nb'], /--name must be 1 to 100 characters/],
    [['keys', 'create', '--name', 'x'.repeat(101)], /--name must be 1 to 100 characters/],
    [
      ['keys', 'revoke', 'key_none'],
      /^petstore: No key has the id "key_none"\. `petstore keys list` shows them\.\n$/,
    ],
    [['keys', 'revoke'], /missing required argument 'id'/],
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
  const { stdout } = await petstore(folder, ['keys', 'list', '--json']);
  assert.equal(stdout, '[]\n');
});

test('revoking twice is no error and keeps the first date', async (t) => {
  const folder = await temporaryFolder(t);
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json']);
  const { id } = JSON.parse(made.stdout) as { id: string };
  await petstore(folder, ['keys', 'revoke', id]);
  const first = await petstore(folder, ['keys', 'list', '--json']);
  const again = await petstore(folder, ['keys', 'revoke', id]);
  assert.deepEqual([again.code, again.stdout], [0, `${id} was revoked before.\n`]);
  assert.equal((await petstore(folder, ['keys', 'list', '--json'])).stdout, first.stdout);
});
