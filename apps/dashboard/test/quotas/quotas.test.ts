import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { putQuota } from '../../server/src/store/quotas.ts';
import { onDatabase } from '../commands/support/walked-installation.ts';
import { dashboard, ownerToken } from '../support/dashboard-program.ts';
import { createProject, deploy, documentTitled, idOf, setPlan } from '../support/project.ts';
import { assertError, startService } from '../support/service.ts';

onSharedEngines(
  'what is asked for at the same time does not pass a quota together, and what is set for one goes first',
  async (t) => {
    const service = await startService(t);
    const root = await service.signUp('root@example.com');
    const set = (quota: string, target: string, value: number) =>
      service.db.transaction().execute((trx) => putQuota(trx, quota, target, value));
    await set('projects', 'default', 1);
    const create = (slug: string) => root.call('POST', '/api/projects', { name: slug, slug });
    const both = await Promise.all([create('one'), create('two')]);
    const [refused] = both.filter(({ status }) => status !== 201);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    assert.match(
      await assertError(refused as Response, 409, 'conflict'),
      /^An account may own 1 projects here, and yours owns 1\. .* dashboard quotas set projects NUMBER --account root@example\.com$/,
    );
    await set('projects', await idOf(root), 2);
    await createProject(root, 'three');

    const { id } = await service.db
      .selectFrom('projects')
      .select('id')
      .where('slug', '=', 'three')
      .executeTakeFirstOrThrow();
    await set('builds-per-hour', id, 2);
    const send = () => root.call('POST', '/api/projects/three/deploys', documentTitled('Three'));
    const sent = await Promise.all([send(), send(), send()]);
    assert.deepEqual(sent.map(({ status }) => status).sort(), [202, 202, 429]);
    const late = sent.find(({ status }) => status === 429) as Response;
    assert.ok(Number(late.headers.get('retry-after')) > 3_500);
    assert.match(
      await assertError(late, 429, 'rate_limited'),
      /^A project may be deployed 2 times an hour here, and this one was\. /,
    );
    await service.db.updateTable('deploys').set({ created_at: 0 }).execute();
    assert.equal((await send()).status, 202, 'an hour later');

    await set('builds-per-hour', id, 100);
    await deploy(root, 'three');
    await setPlan(root, 'three', 'pro');
    await set('domains', id, 1);
    const add = (hostname: string) =>
      root.call('POST', '/api/projects/three/domains', { hostname });
    const added = await Promise.all([add('a.example.com'), add('b.example.com')]);
    assert.deepEqual(added.map(({ status }) => status).sort(), [201, 409]);
    assert.match(
      await assertError(added.find(({ status }) => status === 409) as Response, 409, 'conflict'),
      /^This project may have 1 domains, and this project has as many/,
    );
  },
);

test('the command sets quotas for all and for one, lists them, and the audit log has each change', async (t) => {
  const folder = await temporaryFolder(t);
  await ownerToken(folder);
  const run = (...args: string[]) => dashboard(folder, ['quotas', ...args]);
  assert.match((await run('list')).stdout, /^No quota is set/);
  assert.equal((await run('set', 'projects', '5')).stdout, 'projects of all accounts is 5 now.\n');
  const one = await run('set', 'projects', '9', '--account', 'owner@example.com');
  assert.equal(one.stdout, 'projects of owner@example.com is 9 now.\n');
  assert.equal(
    (await run('list')).stdout,
    'projects\tall\t5\nprojects\towner@example.com\t9\t0 used\n',
  );
  assert.equal((await run('set', 'projects', 'none')).code, 0);
  const listed = JSON.parse((await run('list', '--json')).stdout);
  assert.deepEqual(listed, [
    {
      ...{ quota: 'projects', value: 9, used: 0 },
      ...{ plan: null, email: 'owner@example.com', slug: null },
    },
  ]);
  for (const [args, message] of [
    [['set', 'projects', '-1'], /error: unknown option|must be a number from 0/],
    [['set', 'projects', 'many'], /^dashboard: The value must be a number from 0 to 999999999/],
    [
      ['set', 'domains', '1', '--account', 'owner@example.com'],
      /^dashboard: domains is of each project/,
    ],
    [['set', 'domains', '1', '--project', 'none'], /^dashboard: There is no project "none"/],
    [
      ['set', 'projects', '1', '--account', 'x@example.com'],
      /There is no account "x@example\.com"/,
    ],
  ] as const) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
  }
  await onDatabase(`${folder}/data/dashboard.db`, async (db) => {
    const entries = await db
      .selectFrom('audit_log')
      .select(['target', 'details'])
      .where('action', '=', 'quota.set')
      .orderBy('id')
      .execute();
    assert.deepEqual(
      entries.map(({ target, details }) => [target, JSON.parse(details)]),
      [
        ['projects', { value: 5, for: 'all accounts' }],
        ['projects', { value: 9, for: 'owner@example.com' }],
        ['projects', { value: null, for: 'all accounts' }],
      ],
    );
  });
});
