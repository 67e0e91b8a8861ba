import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { artifactHash } from '../../server/src/deploys/artifact.ts';
import { putArtifact, putBlob } from '../../server/src/store/artifacts.ts';
import { putQuota } from '../../server/src/store/quotas.ts';
import { onDatabase } from '../commands/support/walked-installation.ts';
import { dashboard, ownerToken } from '../support/dashboard-program.ts';
import { createProject, deploy, documentTitled, idOf, setPlan } from '../support/project.ts';
import { assertError, json, startService } from '../support/service.ts';
import { putDeploy, putProject } from '../support/store.ts';

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

test('the command bounds bytes, plans and single ones, says what is used, and counts anew', async (t) => {
  const folder = await temporaryFolder(t);
  await ownerToken(folder);
  const run = (...args: string[]) => dashboard(folder, ['quotas', ...args]);
  const file = `${folder}/data/dashboard.db`;
  await onDatabase(file, async (db) => {
    await putProject(db, 'docs');
    const content = Buffer.alloc(64, 'a');
    const name = hash('sha256', content, 'hex');
    await putBlob(db, name, content, 0);
    const files = { '/a': { type: 'text/plain', hash: name, size: content.length } };
    const manifest = { version: 1, title: 'Docs', files, contentSecurityPolicy: '' } as const;
    const artifact = { hash: artifactHash(manifest), manifest, blobs: new Map([[name, content]]) };
    await db.transaction().execute((trx) => putArtifact(trx, artifact, 0));
    await putDeploy(db, 'docs', 1, { artifact_hash: artifact.hash });
  });
  for (const [args, said] of [
    [
      ['set', 'bytes', '1.5GB', '--plan', 'free'],
      'bytes of projects on the plan free is 1.5 GB now.',
    ],
    [['set', 'bytes', 'unlimited', '--project', 'docs'], 'bytes of docs is unlimited now.'],
    [
      ['set', 'account-bytes', '20 MB', '--json'],
      '{"quota":"account-bytes","for":"all accounts","value":20000000}',
    ],
  ] as const)
    assert.equal((await run(...args)).stdout, `${said}\n`, args.join(' '));
  for (const [args, message] of [
    [
      ['set', 'bytes', '1.5PB'],
      'must be a number of bytes, such as 500 MB or 1.5 GB, up to 999 TB, or unlimited, or none; got "1.5PB"',
    ],
    [['set', 'bytes', '5', '--plan', 'gold'], 'There is no plan "gold": free, pro, enterprise.'],
    [['set', 'bytes', '5', '--plan', 'pro', '--project', 'docs'], 'and one of them alone'],
    [['remove', 'domains', '--project', 'docs'], 'domains of docs is not set.'],
  ] as const) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 1, args.join(' '));
    assert.ok(stderr.includes(message), stderr);
  }
  assert.equal(
    (await run('remove', 'account-bytes')).stdout,
    'account-bytes of all accounts is not set any more.\n',
  );
  // Nobody has counted what was put there past the service.
  const backup = await dashboard(folder, ['backup', 'b.db', '--json']);
  assert.deepEqual(JSON.parse(backup.stdout).miscounted, ['docs'], backup.stderr);
  assert.match(
    (await dashboard(folder, ['verify', 'b.db'])).stdout,
    /What these projects hold is counted wrong: docs\. Where it runs, dashboard quotas recount/,
  );
  assert.equal(
    (await run('recount')).stdout,
    'docs\t0 bytes\t64 bytes\n1 project had to be corrected.\n',
  );
  assert.equal((await run('recount', '--json')).stdout, '[]\n');
  assert.equal(
    (await run('list')).stdout,
    'bytes\tplan free\t1.5 GB\nbytes\tdocs\tunlimited\t64 bytes used\n',
  );
});

test('a quota is set and unset by the API for those that there are, and for nothing else', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'guides');
  const put = (where: string, most: unknown) =>
    root.call('PUT', `/api/installation/quotas/${where}`, { most });
  for (const [where, most] of [
    ['bytes/project:guides', -1],
    ['bytes/project:guides', 1.5],
    ['bytes/project:guides', '5'],
    ['bytes/project:guides', 1e15],
    ['bytes/project:guides', undefined],
    ['projects/everybody', 1_000_000_000],
    ['bytes/guides', 5],
    ['bytes/plan:gold', 5],
    ['bytes/plan:__proto__', 5],
    ['bytes/project:none', 5],
    ['bytes/account:root@example.com', 5],
    ['projects/project:guides', 5],
    ['projects/account:nobody@example.com', 5],
  ] as const) {
    const message = await assertError(await put(where, most), 400, 'invalid_request');
    assert.match(message, /^(most|target|body|The body)/, `${where} ${most}`);
  }
  await assertError(await put('toString/everybody', 5), 404, 'not_found');
  const whole = { quota: 'projects', target: 'account:ROOT@example.com', isSet: true };
  assert.deepEqual(await json(await put('projects/account:ROOT@example.com', 0)), {
    ...{ ...whole, most: 0, used: 1 },
  });
  assert.match(
    await assertError(
      await root.call('POST', '/api/projects', { name: 'two', slug: 'two' }),
      409,
      'conflict',
    ),
    /^An account may own 0 projects here, and yours owns 1\./,
  );
  const unlimited = await put('bytes/project:guides', null);
  assert.deepEqual((await json<{ most: null }>(unlimited)).most, null);
  // Whoever uses most comes first, page by page; a search knows no case.
  for (const slug of ['anna', 'berta']) await putProject(service.db, slug);
  await service.db
    .updateTable('projects')
    .set({ stored_bytes: 9 })
    .where('slug', '=', 'berta')
    .execute();
  const list = async (query: string) => {
    const page = await json<{ items: { slug: string }[]; nextCursor: string | null }>(
      await root.call('GET', `/api/installation/quotas/projects?${query}`),
    );
    return { slugs: page.items.map(({ slug }) => slug), next: page.nextCursor };
  };
  const first = await list('limit=2');
  assert.deepEqual(first.slugs, ['berta', 'anna']);
  assert.deepEqual((await list(`limit=2&cursor=${first.next}`)).slugs, ['guides']);
  assert.deepEqual((await list('search=ANN')).slugs, ['anna']);
  assert.deepEqual((await list('exceptions=true')).slugs, ['guides']);
  await assertError(
    await root.call('GET', '/api/installation/quotas/projects?cursor=eA'),
    400,
    'invalid_cursor',
  );
  // A default for everybody opens domains to no plan that has none; one for the plan does.
  const mayHave = async () =>
    (
      await json<{ limits: { customDomains: number | null } }>(
        await root.call('GET', '/api/projects/guides'),
      )
    ).limits.customDomains;
  assert.equal(await mayHave(), 0);
  await put('domains/everybody', 5);
  assert.equal(await mayHave(), 0);
  await put('domains/plan:free', 2);
  assert.equal(await mayHave(), 2);
  const add = () =>
    root.call('POST', '/api/projects/guides/domains', { hostname: 'docs.example.com' });
  assert.match(await assertError(await add(), 409, 'conflict'), /^Deploy the project first/);
  await deploy(root, 'guides');
  await put('domains/project:guides', 0);
  assert.equal(
    await assertError(await add(), 409, 'conflict'),
    'This project may have no domains.',
  );
});
