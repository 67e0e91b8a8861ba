import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { MovedAddress } from '../../server/src/projects/moved-address.ts';
import type { Project } from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { findProject } from '../../server/src/store/projects.ts';
import { createProject, deploy, documentTitled } from '../support/project.ts';
import { assertError, json, PASSWORD, startService } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';

const DAY_MS = 24 * 3_600_000;

onBothEngines('the address of a former slug leads to the project for 90 days', async (t) => {
  let later = 0;
  const service = await startService(t, { signUp: 'open' }, { now: () => Date.now() + later });
  await service.signUp('root@example.com');
  const owner = await service.signUp('owner@example.com');
  const stranger = await service.signUp('stranger@example.com');
  await createProject(owner, 'pets');
  const live = await deploy(owner, 'pets', documentTitled('Pets'));
  const branch = await deploy(owner, 'pets', documentTitled('Branch'), '?branch=feature');
  const at = (host: string, path = '/') =>
    fetchFromSite(`http://${host}:${service.edgePort}${path}`);
  const hostOf = (url: string | null) => new URL(url ?? '').hostname;
  assert.equal((await at('pets.docs.localhost')).status, 200);
  await json(await owner.call('PATCH', '/api/projects/pets', { slug: 'cats' }));

  const port = service.edgePort;
  const moved = await at('pets.docs.localhost', '/a/b?c=d&e=%20');
  assert.equal(moved.status, 308);
  assert.equal(moved.headers.location, `http://cats.docs.localhost:${port}/a/b?c=d&e=%20`);
  // It ends one day, so that no browser may remember it.
  assert.equal(moved.headers['cache-control'], 'no-store');
  for (const url of [live.url, branch.branchUrl]) {
    const preview = await at(hostOf(url), '/x');
    assert.equal(preview.status, 308);
    const host = hostOf(url).replace('pets--', 'cats--');
    assert.equal(preview.headers.location, `http://${host}:${port}/x`);
  }
  assert.equal((await at('pets--nothing.docs.localhost')).status, 404);

  // Programs that read follow; what changes something is told the name, and strangers nothing.
  const read = await json<Project>(await owner.call('GET', '/api/projects/pets'));
  assert.equal(read.slug, 'cats');
  const refused = await owner.call('POST', '/api/projects/pets/deploys', documentTitled('Pets'));
  assert.match(await assertError(refused, 404, 'not_found'), /it is cats now/);
  const told = await assertError(
    await stranger.call('GET', '/api/projects/pets'),
    404,
    'not_found',
  );
  assert.ok(!told.includes('cats'));

  const list = async () =>
    (await json<Page<MovedAddress>>(await owner.call('GET', '/api/projects/cats/moved-addresses')))
      .items;
  const [former] = await list();
  assert.equal(former?.slug, 'pets');
  assert.ok(Math.abs(Date.parse(former?.until ?? '') - Date.now() - 90 * DAY_MS) < 60_000);

  // Another move: both lead to where the project is now.
  await json(await owner.call('PATCH', '/api/projects/cats', { slug: 'lions' }));
  for (const slug of ['pets', 'cats']) {
    const { headers } = await at(`${slug}.docs.localhost`);
    assert.equal(headers.location, `http://lions.docs.localhost:${port}/`);
  }
  // The owner ends one, which stays reserved.
  const end = () => owner.call('DELETE', '/api/projects/lions/moved-addresses/pets');
  assert.equal((await end()).status, 204);
  await assertError(await end(), 404, 'not_found');
  assert.equal((await at('pets.docs.localhost')).status, 404);
  const taken = await stranger.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' });
  await assertError(taken, 409, 'conflict');

  // Its owner takes the other one for a new project: what was there is forgotten.
  await createProject(owner, 'cats');
  await deploy(owner, 'cats', documentTitled('Cats'));
  await timeUntil(async () => (await at('cats.docs.localhost')).status === 200);

  // After 90 days an address leads nowhere.
  await json(await owner.call('PATCH', '/api/projects/lions', { slug: 'tigers' }));
  later = 91 * DAY_MS;
  const again = service.visitor();
  await json(
    await again.call('POST', '/api/session', { email: 'owner@example.com', password: PASSWORD }),
  );
  assert.equal((await at('lions.docs.localhost')).status, 404);
  await assertError(await again.call('GET', '/api/projects/lions'), 404, 'not_found');
});

onBothEngines(
  'whoever takes an address after its time is shown there, whatever edges remember',
  async (t) => {
    let later = 0;
    const service = await startService(t, { signUp: 'open' }, { now: () => Date.now() + later });
    await service.signUp('root@example.com');
    const owner = await service.signUp('owner@example.com');
    const another = { email: 'another@example.com', password: PASSWORD };
    const next = await service.signUp(another.email);
    await createProject(owner, 'pets');
    await deploy(owner, 'pets', documentTitled('Pets'));
    await json(await owner.call('PATCH', '/api/projects/pets', { slug: 'cats' }));
    const at = () => fetchFromSite(`http://pets.docs.localhost:${service.edgePort}/`);
    assert.equal((await at()).status, 308);
    // What has ended is not deleted at once.
    later = 91 * DAY_MS;
    await json(await next.call('POST', '/api/session', another));
    await createProject(next, 'pets');
    await deploy(next, 'pets', documentTitled('Others'));
    await timeUntil(async () => (await at()).status === 200);
    // Edges that had asked before hear of it, by the project to which the address led.
    const former = (await findProject(service.db, 'cats', null))?.project;
    const told = await service.db
      .selectFrom('site_changes')
      .select('at')
      .where('project_id', '=', former?.id ?? '')
      .where('at', '>', Date.now() + 90 * DAY_MS)
      .execute();
    assert.equal(told.length, 1);
  },
);
