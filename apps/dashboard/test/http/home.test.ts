import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { FirstSteps } from '../../server/src/home/first-steps.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { createProject, deploy, invite, joinAs, makeToken, setPlan } from '../support/project.ts';
import { assertError, json, startService, type Visitor } from '../support/service.ts';

const DAY_MS = 24 * 3_600_000;

const stepsOf = async (visitor: Visitor) => {
  const path = '/api/account/first-steps';
  const { steps, ...rest } = await json<FirstSteps>(await visitor.call('GET', path));
  return { ...rest, steps: steps.map(({ name, done }) => `${done ? '+' : '-'}${name}`).join(' ') };
};

const activityOf = async (visitor: Visitor, query = '') => {
  const page = await visitor.call('GET', `/api/activity${query}`);
  const { items } = await json<Page<AuditEntry>>(page);
  return items.map(({ action, project, target }) => `${action} ${project} ${target}`);
};

onBothEngines('first steps follow from what there is, until somebody puts them away', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  const owner = await service.signUp('owner@example.com');
  assert.deepEqual(await stepsOf(owner), {
    ...{ steps: '-project -deploy -invite', project: null, shown: true },
  });
  assert.equal((await stepsOf(root)).steps, '-project -deploy -domain -invite');

  await createProject(owner, 'pets');
  await setPlan(root, 'pets', 'enterprise');
  assert.deepEqual(await stepsOf(owner), {
    ...{ steps: '+project -deploy -domain -invite', project: 'pets', shown: true },
  });
  await deploy(owner, 'pets');
  const viewer = await joinAs(service, owner, 'pets', 'viewer@example.com', 'viewer');
  assert.equal((await stepsOf(owner)).steps, '+project +deploy -domain +invite');
  // Who only helps in others' projects is not asked to do all that.
  assert.equal((await stepsOf(viewer)).shown, false);
  // Its owner sees all projects, and has none.
  assert.equal((await stepsOf(root)).steps, '-project -deploy -domain -invite');

  const domain = { hostname: 'docs.example.com' };
  await json(await owner.call('POST', '/api/projects/pets/domains', domain), 201);
  assert.equal((await stepsOf(owner)).shown, false, 'all is done');

  const hidden = await root.call('DELETE', '/api/account/first-steps');
  assert.equal(hidden.status, 204);
  assert.equal((await stepsOf(root)).shown, false);
  await assertError(await service.visitor().call('GET', '/api/activity'), 401, 'unauthorized');
});

onBothEngines('activity is of the projects whose log somebody may read', async (t) => {
  let now = Date.now() - 40 * DAY_MS;
  const service = await startService(t, { signUp: 'open' }, { now: () => now });
  const root = await service.signUp('root@example.com');
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'long-ago');
  now += 39 * DAY_MS;
  const again = service.visitor();
  const credentials = { email: 'owner@example.com', password: 'correct horse battery' };
  await json(await again.call('POST', '/api/session', credentials));
  for (const slug of ['pets', 'boats']) await createProject(again, slug);
  await setPlan(root, 'pets', 'pro').catch(() => {});
  const editor = await joinAs(service, again, 'pets', 'editor@example.com', 'editor');
  const viewer = await joinAs(service, again, 'pets', 'viewer@example.com', 'viewer');
  await invite(again, 'boats', 'guest@example.com');

  const ofPets = [
    'invitation.accept pets viewer@example.com',
    'invitation.create pets viewer@example.com',
    'invitation.accept pets editor@example.com',
    'invitation.create pets editor@example.com',
    'project.create pets pets',
  ];
  assert.deepEqual(await activityOf(editor), ofPets);
  assert.deepEqual(await activityOf(viewer), []);
  assert.deepEqual(await activityOf(again), [
    'invitation.create boats guest@example.com',
    ...ofPets.slice(0, -1),
    'project.create boats boats',
    'project.create pets pets',
  ]);
  assert.deepEqual(await activityOf(again, '?limit=1'), [
    'invitation.create boats guest@example.com',
  ]);
  const { token } = await makeToken(again, 'boats');
  assert.deepEqual(await activityOf(again.withToken(token)), [
    'invitation.create boats guest@example.com',
    'project.create boats boats',
  ]);
});
