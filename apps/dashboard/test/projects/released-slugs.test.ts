import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { newClaim } from '../../server/src/domains/claim.ts';
import { insertDomain } from '../../server/src/store/domains.ts';
import { pruneDatabase } from '../../server/src/store/maintenance.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { fillEarlierDatabase } from '../support/earlier-database.ts';
import { createProject, idOf, joinAs, makeToken, setPlan } from '../support/project.ts';
import { assertError, json, PASSWORD, startService, type Visitor } from '../support/service.ts';
import { openTestDatabase, putProject } from '../support/store.ts';

const DAY_MS = 86_400_000;

/** When the service's clock begins: no test lasts until the next day. */
const NOON = Date.UTC(2026, 0, 15, 12);

/** A dashboard whose clock the test sets, with its owner and two who have nothing to do with each other. */
async function setUp(t: TestContext) {
  let later = NOON - Date.now();
  const service = await startService(t, { signUp: 'open' }, { now: () => Date.now() + later });
  const root = await service.signUp('root@example.com');
  const owner = await service.signUp('owner@example.com');
  const stranger = await service.signUp('stranger@example.com');
  return {
    ...{ service, root, owner, stranger },
    async wait(days: number, ...visitors: readonly (readonly [Visitor, string])[]) {
      later += days * DAY_MS;
      for (const [visitor, email] of visitors) {
        await json(await visitor.call('POST', '/api/session', { email, password: PASSWORD }));
      }
    },
  };
}

const make = (visitor: Visitor, slug: string) =>
  visitor.call('POST', '/api/projects', { name: slug, slug });

const move = (visitor: Visitor, from: string, to: string) =>
  visitor.call('PATCH', `/api/projects/${from}`, { slug: to });

const remove = (visitor: Visitor, slug: string) =>
  visitor.call('DELETE', `/api/projects/${slug}`, { confirm: slug });

onBothEngines('a slug that a project gave up is nobody else’s for 90 days', async (t) => {
  const { owner, stranger, root, wait } = await setUp(t);
  for (const slug of ['deleted', 'moved']) await createProject(owner, slug);
  await createProject(stranger, 'strange');
  assert.equal((await remove(owner, 'deleted')).status, 204);
  assert.equal((await move(owner, 'moved', 'elsewhere')).status, 200);

  const until = new Date(NOON + 90 * DAY_MS).toISOString().slice(0, 10);
  const assertReserved = async () => {
    for (const slug of ['deleted', 'moved']) {
      for (const refused of [make(stranger, slug), move(stranger, 'strange', slug)]) {
        const message = await assertError(await refused, 409, 'conflict');
        assert.match(message, new RegExp(`^The slug ${slug} was another project's, .* ${until} `));
      }
    }
    assert.equal((await make(root, 'deleted')).status, 409, 'nor the installation’s owner’s');
  };
  await assertReserved();
  await wait(89, [stranger, 'stranger@example.com'], [root, 'root@example.com']);
  await assertReserved();
  await wait(2, [stranger, 'stranger@example.com']);
  assert.equal((await make(stranger, 'deleted')).status, 201);
  assert.equal((await move(stranger, 'strange', 'moved')).status, 200);
});

onBothEngines('whoever owned a project takes its slug back, and so does the project', async (t) => {
  const { service, owner, stranger } = await setUp(t);
  await createProject(owner, 'pets');
  const second = await joinAs(service, owner, 'pets', 'second@example.com', 'owner');
  await joinAs(service, owner, 'pets', 'viewer@example.com', 'viewer');
  const viewer = service.visitor();
  await viewer.call('POST', '/api/session', { email: 'viewer@example.com', password: PASSWORD });

  assert.equal((await remove(owner, 'pets')).status, 204);
  assert.equal((await make(viewer, 'pets')).status, 409, 'who could only read it is a stranger');
  assert.equal((await make(second, 'pets')).status, 201);
  // The reservation ended with that, and is another now.
  assert.equal((await remove(second, 'pets')).status, 204);
  assert.equal((await make(owner, 'pets')).status, 409);
  assert.equal((await make(second, 'pets')).status, 201);

  const editor = await joinAs(service, second, 'pets', 'editor@example.com', 'owner');
  assert.equal((await move(second, 'pets', 'animals')).status, 200);
  assert.equal((await make(stranger, 'pets')).status, 409);
  assert.equal((await move(editor, 'animals', 'pets')).status, 200);
  assert.equal((await make(stranger, 'animals')).status, 409);
});

onBothEngines('a token of one project takes no slug of another', async (t) => {
  const { owner, service } = await setUp(t);
  await createProject(owner, 'shared');
  await createProject(owner, 'mine');
  assert.equal((await move(owner, 'shared', 'moved')).status, 200);
  const { token } = await makeToken(owner, 'mine', ['projects']);
  assert.equal((await move(service.visitor().withToken(token), 'mine', 'shared')).status, 409);
  assert.equal((await move(owner, 'mine', 'shared')).status, 200);
});

onBothEngines('a former owner takes none of the project’s slugs', async (t) => {
  const { service, owner, root } = await setUp(t);
  await createProject(owner, 'pets');
  await setPlan(root, 'pets', 'enterprise');
  const removed = await joinAs(service, owner, 'pets', 'removed@example.com', 'owner');
  const demoted = await joinAs(service, owner, 'pets', 'demoted@example.com', 'owner');
  const stays = await joinAs(service, owner, 'pets', 'stays@example.com', 'owner');
  const member = async (user: Visitor) => `/api/projects/animals/members/${await idOf(user)}`;
  assert.equal((await move(removed, 'pets', 'animals')).status, 200);
  assert.equal((await owner.call('DELETE', await member(removed))).status, 204);
  await json(await owner.call('PATCH', await member(demoted), { role: 'editor' }));
  assert.equal((await make(removed, 'pets')).status, 409);
  assert.equal((await make(demoted, 'pets')).status, 409);
  assert.equal((await remove(owner, 'animals')).status, 204);
  for (const slug of ['pets', 'animals']) {
    assert.equal((await make(removed, slug)).status, 409, slug);
    assert.equal((await make(stays, slug)).status, 201, slug);
  }
});

onBothEngines('who asks in the moment in which a slug is given up does not get it', async (t) => {
  const { owner, stranger } = await setUp(t);
  for (let round = 0; round < 5; round++) {
    const slug = `pets${round}`;
    await createProject(owner, slug);
    const given = round % 2 === 0 ? remove(owner, slug) : move(owner, slug, `moved${round}`);
    const asked = await Promise.all(Array.from({ length: 12 }, () => make(stranger, slug)));
    assert.ok((await given).ok);
    assert.deepEqual(
      asked.map(({ status }) => status),
      asked.map(() => 409),
    );
    assert.equal((await make(stranger, slug)).status, 409);
  }
});

onBothEngines('two projects that want each other’s slug at once are both refused', async (t) => {
  const { owner } = await setUp(t);
  for (const slug of ['left', 'right']) await createProject(owner, slug);
  for (let round = 0; round < 5; round++) {
    const swapped = await Promise.all([
      ...[move(owner, 'left', 'right'), move(owner, 'right', 'left')],
      ...[move(owner, 'left', 'right'), move(owner, 'right', 'left')],
    ]);
    assert.deepEqual(
      swapped.map(({ status }) => status),
      [409, 409, 409, 409],
    );
  }
});

onBothEngines('a claim’s target is given to nobody, whatever became of the claim', async (t) => {
  const database = await openTestDatabase(t);
  const { db } = database;
  const at = Date.now();
  await putProject(db, 'pets');
  const actor = { name: 'ann@example.com' };
  const claim = newClaim('pets', 'docs.example.test', at, actor);
  await db.transaction().execute((trx) => insertDomain(trx, claim));
  await db.deleteFrom('projects').execute();
  await pruneDatabase(database, () => at + 10_000 * DAY_MS, new AbortController().signal);
  const again = newClaim('pets', 'docs.example.test', at, actor);
  await putProject(db, 'pets');
  await assert.rejects(
    db
      .transaction()
      .execute((trx) => insertDomain(trx, { ...again, target_label: claim.target_label })),
  );
});

onBothEngines('reservations that have ended are removed, and no others', async (t) => {
  const { service, owner, wait } = await setUp(t);
  for (const slug of ['early', 'late']) await createProject(owner, slug);
  assert.equal((await remove(owner, 'early')).status, 204);
  await wait(10, [owner, 'owner@example.com']);
  assert.equal((await remove(owner, 'late')).status, 204);
  const { db } = service;
  const database = { db, engine: 'postgres', close: async () => {} } as const;
  await pruneDatabase(database, () => NOON + 95 * DAY_MS, new AbortController().signal);
  const rows = await db.selectFrom('reserved_labels').select(['label', 'owner_ids']).execute();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ label: 'late', owner_ids: JSON.stringify([await idOf(owner)]) }],
  );
});

onSharedEngines('the targets of a database that is migrated are reserved', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const made = newClaim('pets', 'docs.example.test', 1, { name: 'ann@example.com' });
  // The columns that there were then.
  const { id, project_id, hostname, target_label, proof, link_secret } = made;
  const { created_at, created_by_email } = made;
  const claim = {
    ...{ id, project_id, hostname, target_label, proof, link_secret, created_at, created_by_email },
    ...{ holds: 0, hsts_include_subdomains: 0 },
  };
  await fillEarlierDatabase(url, '0004_token_scopes', async (db) => {
    await putProject(db, 'pets');
    await db.insertInto('domains').values(claim).execute();
  });
  const after = await openDatabase(url, 1);
  cleanUp(t, after.close);
  const rows = await after.db.selectFrom('reserved_labels').selectAll().execute();
  const forEver = { reserved_until: null, project_id: null, owner_ids: '[]', redirects: 1 };
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ label: claim.target_label, ...forEver }],
  );
});
