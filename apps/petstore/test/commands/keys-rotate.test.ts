import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { onSharedEngines as test } from '@petstore/test-support/engines.ts';
import { finished, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { PETSTORE, petstore, serve } from '../support/program.ts';

interface Made {
  readonly id: string;
  readonly key: string;
  readonly scopes: string[];
  readonly expiresAt: string | null;
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly replacedBy: string | null;
}

async function running(t: TestContext, databaseUrl: string) {
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_DATABASE_URL: databaseUrl };
  const run = (...args: string[]) => petstore(folder, args, env);
  const { child, origin } = await serve(t, folder, env);
  const status = async (key: string, path = '/pets') =>
    (await fetch(`${origin}/v1${path}`, { headers: { authorization: `Bearer ${key}` } })).status;
  const json = async <T>(...args: string[]) =>
    JSON.parse((await run(...args, '--json')).stdout) as T;
  return { run, json, status, child, folder, env };
}

test('a running service takes a rotated key and its successor, and after the overlap one of them', async (t, engine) => {
  const { run, json, status } = await running(t, await engine.createDatabase(t));
  const scopes = ['--scope', 'pets:write', '--scope', 'pets:read,pets:write'];
  const old = await json<Made>('keys', 'create', '--name', 'ci', '--expires-in', '90d', ...scopes);
  assert.deepEqual(old.scopes, ['pets:read', 'pets:write']);
  assert.deepEqual([await status(old.key), await status(old.key, '/store/orders')], [200, 403]);

  const next = await json<Made & { replaces: string }>('keys', 'rotate', old.id);
  assert.deepEqual([next.scopes, next.replaces], [old.scopes, old.id]);
  const days = (until: string | null) => (Date.parse(until ?? '') - Date.now()) / 86_400_000;
  assert.ok(Math.abs(days(next.expiresAt) - 90) < 0.01);
  assert.deepEqual([await status(old.key), await status(next.key)], [200, 200]);
  const [listed] = await json<Listed[]>('keys', 'list');
  assert.equal(listed?.replacedBy, next.id);
  assert.match((await run('keys', 'list')).stdout, /\nkey_\S+ +production +replaced /);
  assert.ok(Math.abs(days(listed?.expiresAt) - 1) < 0.01, 'a day, where nothing is said');
  assert.match((await run('keys', 'rotate', old.id)).stderr, /was rotated already: key_/);

  const last = await run('keys', 'rotate', next.key, '--overlap', '0s');
  assert.match(
    last.stdout,
    /^Created the key "ci" \(key_\w+\), which replaces key_\w+ and works until 20\S+ \d\d:\d\dZ\. key_\w+ no longer works\.\nIt is shown this once:\n\n {2}pk_live_\w+\n\n$/,
  );
  // PostgreSQL tells it within a second: faults/postgres.test.ts.
  if (engine.name === 'PostgreSQL') await timeUntil(async () => (await status(next.key)) === 401);
  assert.equal(await status(next.key), 401);
  assert.equal(await status(/pk_live_\w+/.exec(last.stdout)?.[0] ?? ''), 200);
});

test('a key that nobody could read leaves the one it was to replace as it was', async (t, engine) => {
  const { json, status, folder, env } = await running(t, await engine.createDatabase(t));
  const old = await json<Made>('keys', 'create', '--name', 'x');
  const before = await json<Listed[]>('keys', 'list');
  const script = '"$0" "$1" keys rotate "$2" --overlap 0s > /dev/full';
  const shell = startProgram(
    t,
    'sh',
    ['-c', script, process.execPath, PETSTORE, old.id],
    folder,
    env,
  );
  const { code, stderr } = await finished(shell);
  assert.equal(code, 1);
  assert.equal(stderr, `petstore: The key could not be shown, so ${old.id} stays as it was.\n`);
  assert.equal(await status(old.key), 200);
  assert.deepEqual((await json<Listed[]>('keys', 'list')).slice(0, 1), before);
});

test('keys list shows when a key was last used, once the service has stopped', async (t, engine) => {
  const { run, json, status, child } = await running(t, await engine.createDatabase(t));
  const { key } = await json<Made>('keys', 'create', '--name', 'used');
  await json<Made>('keys', 'create', '--name', 'idle', '--expires-at', '2999-12-31T00:00:00Z');
  const before = Date.now();
  assert.equal(await status(key), 200);
  const after = Date.now();
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  const [used, idle] = await json<Listed[]>('keys', 'list');
  const lastUsedAt = Date.parse(used?.lastUsedAt ?? '');
  assert.ok(lastUsedAt >= before && lastUsedAt <= after);
  assert.deepEqual([idle?.lastUsedAt, idle?.expiresAt], [null, '2999-12-31T00:00:00.000Z']);
  const { stdout } = await run('keys', 'list');
  assert.match(
    stdout,
    /\nkey_\S+ +production +active +- +20\S+ \S+Z +used +pets:read,\S+\nkey_\S+ +production +active +2999-12-31 00:00Z +- +idle +\S+\n$/,
  );
});
