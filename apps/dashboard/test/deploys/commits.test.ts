import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Deploy, DeploySummary } from '../../server/src/deploys/deploy.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { createProject, deploy, documentTitled } from '../support/project.ts';
import { assertError, json, startService } from '../support/service.ts';

const PATH = '/api/projects/pets/deploys';
const HASH = '9d9cec5b2c4f7e0a9b1c3d5e7f9a1b3c5d7e9f1a';

onBothEngines('a deploy shows the commit that it was made of', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const send = (query: Record<string, string>) =>
    deploy(root, 'pets', documentTitled('Pets'), `?${new URLSearchParams(query)}`);

  assert.equal((await deploy(root, 'pets')).commit, null);
  const made = await send({
    commit: HASH.toUpperCase(),
    'commit-author': 'Адам Ödegård <ada@example.com>',
    'commit-message': 'Описать 猫 и собак 🐕\n\nDetails.',
    'commit-branch': 'ветка/猫',
    repository: 'https://ada:ghp_secret@github.com/ada/pets.git',
    'repository-folder': './docs/',
  });
  const commit = {
    hash: HASH,
    author: 'Адам Ödegård',
    message: 'Описать 猫 и собак 🐕',
    branch: 'ветка/猫',
    url: `https://github.com/ada/pets/commit/${HASH}`,
    repositoryUrl: 'https://github.com/ada/pets',
  };
  assert.deepEqual(made.commit, commit);
  const listed = await json<Page<DeploySummary>>(await root.call('GET', PATH));
  assert.deepEqual(
    listed.items.map((one) => one.commit),
    [commit, null],
  );
  const [row] = await service.db
    .selectFrom('deploys')
    .select('source_commit')
    .where('id', '=', made.id)
    .execute();
  assert.ok(!row?.source_commit?.includes('secret'), 'no secret of an address is stored');

  const little = await send({ commit: 'abcdef1', 'commit-author': '', repository: '' });
  assert.deepEqual(little.commit, {
    hash: 'abcdef1',
    ...{ author: null, message: null, branch: null, url: null, repositoryUrl: null },
  });
  const own = { commit: HASH, repository: 'git@git.example.com:ada/pets.git' };
  assert.equal((await send(own)).commit?.url, null);
  assert.equal(
    (await send({ ...own, 'repository-host': 'gitlab' })).commit?.url,
    `https://git.example.com/ada/pets/-/commit/${HASH}`,
  );
});

onBothEngines('what is for people is shortened, and what is for links is refused', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const call = (query: Record<string, string>) =>
    root.call('POST', `${PATH}?${new URLSearchParams(query)}`, documentTitled('Pets'));

  const { commit } = await json<Deploy>(
    await call({
      commit: HASH,
      'commit-author': `Ada\u0000\u202e ${'a'.repeat(200)}`,
      'commit-message': '👨‍👩‍👧'.repeat(60),
    }),
    202,
  );
  assert.match(commit?.author ?? '', /^Ada a{95}…$/);
  assert.ok((commit?.message?.length ?? 0) <= 200 && commit?.message?.endsWith('👨‍👩‍👧…'));

  const repository = 'https://github.com/ada/pets';
  const refused: [Record<string, string>, RegExp][] = [
    [{ commit: 'main' }, /commit must be the hash of a commit, 7 to 64 hexadecimal/],
    [{ commit: 'a'.repeat(65) }, /commit must be the hash/],
    [{ 'commit-branch': 'main' }, /commit-branch needs commit/],
    [{ repository }, /repository needs commit/],
    [{ commit: HASH, 'commit-branch': 'a\nb' }, /commit-branch must be 1 to 255 characters/],
    [{ commit: HASH, 'commit-branch': '../../evil' }, /commit-branch must be the name of a branch/],
    [{ commit: HASH, 'commit-branch': 'b'.repeat(256) }, /got 256 characters/],
    [{ commit: HASH, repository: 'javascript:alert(1)' }, /repository must be the address/],
    [{ commit: HASH, repository, 'repository-host': 'svn' }, /repository-host/],
    [{ commit: HASH, repository, 'repository-folder': '../x' }, /repository-folder must be/],
    [{ commit: HASH, repository, 'repository-folder': '/x' }, /repository-folder must be/],
    [{ commit: HASH, repository, 'repository-folder': 'x'.repeat(501) }, /repository-folder/],
  ];
  for (const [query, message] of refused)
    assert.match(await assertError(await call(query), 400, 'invalid_request'), message);
  const { items } = await json<Page<DeploySummary>>(await root.call('GET', PATH));
  assert.equal(items.length, 1, 'nothing of a refused upload stays');
});
