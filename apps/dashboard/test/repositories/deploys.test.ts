import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { documentTitled } from '../support/project.ts';
import { titleAt } from '../support/site.ts';
import { check, connect, deploysOf, inState, startGitWorld } from './support/repositories.ts';

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
    assert.equal(repository.branches[0]?.commit, head);
    assert.match(await titleAt(service.addresses.site('pets')), /Pets two/);
  },
);
