import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { databaseIn } from '../support/animals.ts';
import { petstore } from '../support/program.ts';
import { startService } from '../support/service.ts';

test('the commands make, list, change and delete sandboxes while the service runs, on record', async (t) => {
  const folder = await temporaryFolder(t);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await petstore(folder, ['sandbox', ...args]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const made = JSON.parse(await run('create', '--ttl', '7d', '--seed', '200', '--json'));
  assert.deepEqual(Object.keys(made).sort(), ['createdAt', 'expiresAt', 'id', 'key', 'seed']);
  assert.equal(Date.parse(made.expiresAt) - Date.parse(made.createdAt), 7 * 86_400_000);

  const store = openSqliteStore(databaseIn(folder));
  const { origin } = await startService(t, { store, config: { sandboxes: 'keys' } });
  const call = async (method: string, path: string, key = made.key) =>
    fetch(`${origin}/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  const countOf = async () =>
    ((await (await call('GET', '/sandbox')).json()) as { pets: number }).pets;
  assert.equal(await countOf(), 50);
  await run('snapshot', made.id, 'all');
  assert.equal((await call('DELETE', '/pets/1')).status, 204);
  assert.equal(await countOf(), 49);
  assert.match(await run('restore', made.key, 'all'), new RegExp(`^Restored ${made.id} from all`));
  assert.equal(await countOf(), 50);
  await call('DELETE', '/pets/1');
  await run('reset', made.id);
  assert.equal(await countOf(), 50);

  const text = await run('create', '--name', 'lesson 4', '--pets', '3');
  const key = /pk_sand_\w{38}/.exec(text)?.[0] ?? '';
  assert.equal((await call('GET', '/pets', key)).status, 200);
  const list = await run('list');
  assert.match(list, new RegExp(`${made.id} .* 200 +command +-`));
  assert.match(list, / command +lesson 4/);
  assert.ok(!list.includes('pk_sand_'));
  const [first, second] = JSON.parse(await run('list', '--json'));
  assert.deepEqual([first.id, second.name], [made.id, 'lesson 4']);

  await run('delete', key);
  assert.equal((await call('GET', '/pets', key)).status, 401);
  const audit = await store.audit.list({ since: undefined, limit: 10 });
  assert.deepEqual(
    audit
      .map(({ action, subject }) => [action, subject])
      .filter(([action]) => action?.startsWith('sandbox')),
    [
      ['sandbox.created', made.id],
      ['sandbox.created', second.id],
      ['sandbox.deleted', second.id],
    ],
  );
});

/** What the option of a sandbox says, and not the bounds of another one. */
const TTL_BOUNDS = /--ttl must be a whole number .* from 60s to 30d; got/;

test('what cannot be done is one sentence that says what can', async (t) => {
  const folder = await temporaryFolder(t);
  const refused = async (args: string[], env: Record<string, string> = {}) => {
    const { code, stderr } = await petstore(folder, ['sandbox', ...args], env);
    assert.equal(code, 1, args.join(' '));
    return stderr;
  };
  assert.match(await refused(['create', '--ttl', '31d']), TTL_BOUNDS);
  assert.match(await refused(['create', '--ttl', '1 hour']), TTL_BOUNDS);
  assert.match(await refused(['create', '--ttl', '10']), TTL_BOUNDS);
  assert.match(
    await refused(['create', '--seed', 'x']),
    /--seed must be an integer from 0 to 4294967295/,
  );
  assert.match(
    await refused(['create', '--pets', '501']),
    /--pets must be an integer from 0 to 500/,
  );
  assert.match(
    await refused(['create'], { PETSTORE_SANDBOXES: 'off' }),
    /PETSTORE_SANDBOXES is off/,
  );
  assert.match(
    await refused(['create'], { PETSTORE_STABILITY: 'stable' }),
    /PETSTORE_STABILITY is stable, so .* Set it to experimental\./,
  );
  const { stdout } = await petstore(folder, ['sandbox', 'create', '--json']);
  const { id } = JSON.parse(stdout);
  assert.match(await refused(['create'], { PETSTORE_MAX_SANDBOXES: '1' }), /There are 1 sandboxes/);
  assert.match(await refused(['delete', 'sbx_none']), /There is no such sandbox/);
  assert.match(await refused(['snapshot', id, 'a/b']), /must be 1 to 50 letters/);
  assert.match(await refused(['restore', id, 'none']), /has no snapshot "none". It has none/);
});
