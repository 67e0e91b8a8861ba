import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Project } from '../../server/src/projects/project.ts';
import { assertError, json, startService } from '../support/service.ts';

onBothEngines('a project is created, read and listed by its owner', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  const created = await owner.call('POST', '/api/projects', { name: 'Pet store', slug: 'pets' });
  assert.equal(created.headers.get('location'), '/api/projects/pets');
  const project = await json<Project>(created, 201);
  assert.equal(project.plan, 'free');
  assert.equal(project.url, `http://pets.docs.localhost:${service.edgePort}`);
  assert.deepEqual(await json(await owner.call('GET', '/api/projects/pets')), project);
  const list = await json<{ items: Project[] }>(await owner.call('GET', '/api/projects'));
  assert.deepEqual(list.items, [project]);
});

onBothEngines('a slug is given once', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await json(await owner.call('POST', '/api/projects', { name: 'A', slug: 'pets' }), 201);
  const second = await owner.call('POST', '/api/projects', { name: 'B', slug: 'pets' });
  assert.match(await assertError(second, 409, 'conflict'), /pets is taken/);
});
