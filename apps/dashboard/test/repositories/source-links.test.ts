import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { documentTitled } from '../support/project.ts';
import { fetchFromSite } from '../support/site.ts';
import { check, connect, inState, startGitWorld } from './support/repositories.ts';

const files = (text: string) => ({
  'docs/docs.yaml': 'title: Pets\nopenapi: openapi.json\n',
  'docs/start.md': `# Start\n\n${text}\n`,
  'docs/openapi.json': documentTitled('Pets'),
});

test('pages lead to their files in a repository that is read without a key, and to no other one', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, root, pets, service, url } = await startGitWorld(t);
  pets.commit(files('One.'));
  const source = { url, folder: 'docs', provider: 'gitea' } as const;
  await connect(root, source);
  await inState(root, 'ok');
  const page = async () => (await fetchFromSite(`${service.addresses.site('pets')}/start`)).body;
  const edit = `href="${host.origin}/pets/_edit/main/docs/start.md"`;
  assert.ok((await page()).includes(edit));

  host.credentials = 'x-access-token:secret';
  await connect(root, { ...source, access: 'token', token: 'secret', statuses: false });
  pets.commit(files('Two.'));
  await check(root);
  await inState(root, 'ok');
  assert.match(await page(), /Two\./);
  assert.doesNotMatch(await page(), /_edit|docs-source/);
});
