import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { SearchResults } from '../../server/src/search/search.ts';
import {
  createProject,
  deploy,
  documentTitled,
  joinAs,
  makeToken,
  setPlan,
} from '../support/project.ts';
import { assertError, json, startService, type Visitor } from '../support/service.ts';
import { putDeploy } from '../support/store.ts';

const HASH = '9d9cec5b2c4f7e0a9b1c3d5e7f9a1b3c5d7e9f1a';

/** What is found, in words: `project pet-shop`, `deploy pet-shop #1`. */
async function find(visitor: Visitor, q: string, project?: string): Promise<string[]> {
  const query = new URLSearchParams({ q, ...(project && { project }) });
  const found = await json<SearchResults>(await visitor.call('GET', `/api/search?${query}`));
  return [
    ...found.projects.map(({ slug }) => `project ${slug}`),
    ...found.deploys.map((one) => `deploy ${one.project.slug} #${one.number}`),
    ...found.domains.map(({ hostname }) => `domain ${hostname}`),
    ...found.people.map(({ email }) => `person ${email}`),
  ];
}

onBothEngines('a search finds what the caller may see, and nothing else', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  const owner = await service.signUp('owner@example.com');
  // The random ids of deploys are searched, too. They have no dash.
  for (const slug of ['pet-shop', 'pet-toys']) await createProject(owner, slug);
  await json(await owner.call('PATCH', '/api/projects/pet-toys', { name: 'Мои Цветы 50%_off' }));
  await setPlan(root, 'pet-shop', 'enterprise');
  const viewer = await joinAs(service, owner, 'pet-shop', 'zoe@example.com', 'viewer');
  const stranger = await service.signUp('stranger@example.com');

  const said = {
    message: '  Birthdays for all\nand more',
    commit: HASH,
    'commit-author': 'Ödegård',
    'commit-message': 'Describe big-cats',
  };
  const first = await deploy(
    owner,
    'pet-shop',
    documentTitled('Pets'),
    `?${new URLSearchParams(said)}`,
  );
  assert.equal(first.message, 'Birthdays for all', 'the first line of what was said');
  assert.deepEqual([first.createdBy, first.createdByName], ['owner@example.com', 'owner']);
  await deploy(owner, 'pet-shop', documentTitled('Pets'), '?branch=feature-y');
  const domain = { hostname: 'bücher.example.com' };
  await json(await owner.call('POST', '/api/projects/pet-shop/domains', domain), 201);

  // By each of what there is to know of them, whatever the case and the order of words.
  for (const q of [
    'birthdays',
    'ALL birth',
    'BIG-CATS',
    'ödegÅrd',
    HASH.slice(0, 9),
    '#1',
    first.id,
  ])
    assert.deepEqual(await find(owner, q), ['deploy pet-shop #1'], q);
  assert.deepEqual(await find(owner, 'feature-'), ['deploy pet-shop #2']);
  assert.deepEqual(await find(owner, 'pet-'), ['project pet-shop', 'project pet-toys']);
  assert.deepEqual(await find(owner, 'pet-t'), ['project pet-toys']);
  for (const q of ['цветы', 'МОИ', '50%_'])
    assert.deepEqual(await find(owner, q), ['project pet-toys'], q);
  assert.deepEqual(await find(owner, 'bücher'), ['domain xn--bcher-kva.example.com']);
  assert.deepEqual(await find(viewer, 'zoe@'), ['person zoe@example.com']);
  assert.deepEqual(await find(owner, 'zoe@'), ['person zoe@example.com']);

  // What is a pattern to a database is a letter here, and an empty search finds nothing.
  for (const q of ['%', '_', '\\', ' ', '\0', "'", 'pet-shopx', 'pet-shop pet-t'])
    assert.deepEqual(
      (await find(owner, q)).filter((found) => found !== 'project pet-toys'),
      [],
      q,
    );

  // Of others nothing is told, not even by the whole id of a deploy.
  for (const q of ['pet-shop', first.id, 'bücher', 'zoe', 'birthdays', 'owner@'])
    assert.deepEqual(await find(stranger, q), [], q);
  assert.deepEqual(await find(stranger, 'birthdays', 'pet-shop'), []);
  assert.deepEqual(await find(viewer, 'pet-toys'), []);
  assert.deepEqual(await find(root, 'birthdays'), ['deploy pet-shop #1']);
  assert.deepEqual(await find(root, 'stranger@'), ['person stranger@example.com']);

  // A token of one project sees no other one, and one of somebody who left sees nothing.
  const { token } = await makeToken(owner, 'pet-shop');
  assert.deepEqual(await find(owner.withToken(token), 'pet-'), ['project pet-shop']);
  assert.deepEqual(await find(owner.withToken(token), 'цветы'), []);

  await assertError(await owner.call('GET', '/api/search'), 400, 'invalid_request');
  const long = `/api/search?q=${'a'.repeat(201)}`;
  await assertError(await owner.call('GET', long), 400, 'invalid_request');
});

onBothEngines(
  'of many deploys the newest of each project are found, and all of the one at hand',
  async (t) => {
    const service = await startService(t);
    const root = await service.signUp('root@example.com');
    await createProject(root, 'pets');
    const { id } = await service.db
      .selectFrom('projects')
      .select('id')
      .where('slug', '=', 'pets')
      .executeTakeFirstOrThrow();
    for (const number of [1, 2]) {
      await putDeploy(service.db, id, number, {
        id: `${'a'.repeat(11)}${number + 1}`,
        search_text: `needle #${number}`,
      });
    }
    // As if 20,000 more had been sent since.
    await service.db.updateTable('projects').set({ last_deploy_number: 20_001 }).execute();
    assert.deepEqual(await find(root, 'needle'), ['deploy pets #2']);
    assert.deepEqual(await find(root, `${'a'.repeat(11)}2`), ['deploy pets #1']);
    await service.db.updateTable('projects').set({ last_deploy_number: 10_002 }).execute();
    await createProject(root, 'others');
    assert.deepEqual(await find(root, 'needle'), []);
    assert.deepEqual(await find(root, 'needle', 'pets'), ['deploy pets #2', 'deploy pets #1']);
  },
);
