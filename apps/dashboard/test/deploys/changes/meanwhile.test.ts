import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Deploy, DeployChanges } from '../../../server/src/deploys/deploy.ts';
import { createProject, deploy, idOf, joinAs } from '../../support/project.ts';
import { json, type Service, startService, type Visitor } from '../../support/service.ts';

// What happens between the comparison of a deploy and its end: triggers of the database do it at that very moment.

const PROJECT = '/api/projects/pets';

const petsWith = (...paths: string[]) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: Object.fromEntries(
      paths.map((path) => [path, { get: { responses: { 200: { description: 'Done.' } } } }]),
    ),
  });

async function setUp(t: Parameters<typeof startService>[0]) {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  await json(await root.call('PATCH', PROJECT, { holdBreaking: true }));
  return { service, root };
}

/** Does something as soon as a line that begins like this is in a deploy's log. */
const onLine = ({ db }: Service, beginning: string, statement: string) =>
  sql
    .raw(
      `CREATE TRIGGER on_line AFTER INSERT ON deploy_log WHEN NEW.message LIKE '${beginning}%' BEGIN ${statement}; END`,
    )
    .execute(db);

const changesOf = async (someone: Visitor, { id }: Deploy) =>
  json<DeployChanges>(await someone.call('GET', `${PROJECT}/deploys/${id}/changes`));

test('a deploy is compared again where another one went live meanwhile', async (t) => {
  const { service, root } = await setUp(t);
  await deploy(root, 'pets', petsWith('/pets', '/owners'));
  const more = petsWith('/pets', '/owners', '/shops');
  const second = await deploy(root, 'pets', more, '?activate=false');
  await onLine(
    service,
    'Compared the API with that of deploy #1,',
    `UPDATE projects SET live_deploy_id = '${second.id}'`,
  );
  // It breaks nobody who uses #1, and those who use #2.
  const third = await deploy(root, 'pets', petsWith('/pets', '/owners', '/vets'));
  assert.deepEqual([third.live, third.held?.reason], [false, 'breaking']);
  assert.deepEqual(third.comparedWith, { id: second.id, number: 2 });
  const { summary, changes } = await changesOf(root, third);
  assert.deepEqual([summary?.breaking, changes[0]?.operation], [1, 'GET /shops']);
});

test('a reason counts as long as its sender is an owner', async (t) => {
  const { service, root } = await setUp(t);
  const ann = await joinAs(service, root, 'pets', 'ann@example.com', 'viewer');
  const member = `${PROJECT}/members/${await idOf(ann)}`;
  await json(await root.call('PATCH', member, { role: 'owner' }));
  await deploy(ann, 'pets', petsWith('/pets', '/owners'));
  const query = '?allow-breaking=I%20may.';
  const allowed = await deploy(ann, 'pets', petsWith('/pets'), query);
  assert.deepEqual([allowed.live, allowed.changes?.breaking], [true, 1]);
  await onLine(
    service,
    'The build begins.',
    `UPDATE members SET role = 'editor' WHERE user_id = '${await idOf(ann)}'`,
  );
  const demoted = await deploy(ann, 'pets', petsWith('/shops'), query);
  assert.deepEqual([demoted.live, demoted.held?.reason], [false, 'breaking']);
});

test('what cannot be compared fails no deploy, says why, and waits for an owner', async (t) => {
  const { service, root } = await setUp(t);
  const live = await deploy(root, 'pets', petsWith('/pets'));
  await sql`UPDATE blobs SET bytes = ${Buffer.from('{"openapi": 7')} WHERE hash IN (
    SELECT hash FROM blobs WHERE CAST(bytes AS TEXT) LIKE '{%"openapi": "3.1.0"%')`.execute(
    service.db,
  );
  const next = await deploy(root, 'pets', petsWith('/pets', '/owners'));
  assert.deepEqual(
    [next.state, next.live, next.held?.reason],
    ['succeeded', false, 'not_compared'],
  );
  assert.deepEqual([next.changes, next.comparedWith?.id], [null, live.id]);
  assert.match(next.changesProblem ?? '', /^openapi\.json:1: /);
  assert.match(next.held?.message ?? '', /^It could not be compared with deploy #1: openapi\.json/);
  const { summary, problem } = await changesOf(root, next);
  assert.deepEqual([summary, problem], [null, next.changesProblem]);
  const path = `${PROJECT}/deploys/${next.id}/activate`;
  assert.equal((await json<Deploy>(await root.call('POST', path))).live, true);
});
