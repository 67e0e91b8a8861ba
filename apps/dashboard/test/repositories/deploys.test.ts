import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { documentTitled } from '../support/project.ts';
import { json } from '../support/service.ts';
import { titleAt } from '../support/site.ts';
import { check, connect, deploysOf, inState, PETS, startGitWorld } from './support/repositories.ts';

const skip = WITHOUT_GIT;

onBothEngines(
  'a connected repository is deployed and goes live, and so is each push',
  async (t) => {
    const { root, pets, service, url } = await startGitWorld(t);
    const connected = await connect(root, { url });
    assert.equal(connected.branch, 'main');
    await inState(root, 'ok');
    const head = pets.commit({ 'openapi.json': documentTitled('Pets two') });
    await check(root);
    const repository = await inState(root, 'ok');
    const [second, first] = await deploysOf(root);
    assert.equal(first?.commit?.author, 'Ada Lovelace');
    assert.equal(second?.commit?.hash, head);
    assert.ok(second?.live);
    assert.equal(
      second.sourceName,
      'pets',
      'the repository, and not the archive that was made of it',
    );
    assert.equal(repository.branches[0]?.commit, head);
    assert.match(await titleAt(service.addresses.site('pets')), /Pets two/);
  },
);

const withPaths = (...paths: string[]) =>
  JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1' } },
    paths: Object.fromEntries(
      paths.map((path) => [path, { get: { responses: { 200: { description: 'Done.' } } } }]),
    ),
  });

test('what breaks clients waits for an owner, as every deploy of the project', {
  skip,
}, async (t) => {
  const { pets, root, url } = await startGitWorld(t);
  pets.commit({ 'openapi.json': withPaths('/cats', '/dogs') });
  await json(await root.call('PATCH', PETS, { holdBreaking: true }));
  await connect(root, { url });
  await inState(root, 'ok');
  pets.commit({ 'openapi.json': withPaths('/cats') });
  await check(root);
  const { state, branches } = await inState(root, 'held');
  assert.match(state.message, /1 breaking/);
  assert.match(state.remedy, /owner/);
  const [deploy] = await deploysOf(root);
  assert.equal(deploy?.live, false);
  const allowed = { code: 'operation-removed', reason: 'Nobody has a dog.', until: '2999-12-31' };
  await json(await root.call('POST', `${PETS}/change-exceptions`, allowed), 201);
  const { state: ready } = await inState(root, 'held');
  assert.match(ready.message, /is built, and waits to be put live/);
  await json(await root.call('POST', `${PETS}/deploys/${branches[0]?.deploy?.id}/activate`));
  await inState(root, 'ok');
});

test('a document takes along the files of its repository, and no others', { skip }, async (t) => {
  const { pets, root, url } = await startGitWorld(t);
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths: {} },
    components: {
      schemas: {
        Cat: { $ref: '../shared/cat.json' },
        // It is there, which nobody may learn: the file that says what this package is.
        Host: { $ref: `../../../../../../../../../../..${ROOT}/package.json` },
      },
    },
  };
  pets.commit({
    'specs/openapi.json': JSON.stringify(document),
    'shared/cat.json': '{"type":"object","description":"A cat."}',
  });
  await connect(root, { url, folder: 'specs/openapi.json' });
  await inState(root, 'ok', 'deploy_failed');
  const [deploy] = await deploysOf(root);
  assert.ok(deploy);
  const log = await json<{ items: { message: string }[] }>(
    await root.call('GET', `${PETS}/deploys/${deploy.id}/log`),
  );
  const lines = log.items.map(({ message }) => message).join('\n');
  assert.match(lines, /^Fetched [0-9a-f]{12} of the branch main/);
  assert.match(lines, /shared\/cat\.json/);
  assert.doesNotMatch(lines, /spool|petstore-test|is not sent|petstore-workspace/);
});
