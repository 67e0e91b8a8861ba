import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { SYSTEM } from '../../server/src/audit/actor.ts';
import type { Group, GroupMember, ProjectGroup } from '../../server/src/groups/group.ts';
import { setGroupsOfUser } from '../../server/src/groups/set-groups-of-user.ts';
import { queueDomainNotice } from '../../server/src/notices/queue-notice.ts';
import type { Member, Project } from '../../server/src/projects/project.ts';
import type { SiteAccess } from '../../server/src/site-access/site-access.ts';
import { insertGroup } from '../../server/src/store/groups.ts';
import type { Role } from '../../server/src/store/schema/projects.ts';
import {
  createProject,
  deploy,
  idOf,
  invite,
  joinAs,
  makeToken,
  setPlan,
} from '../support/project.ts';
import { assertError, json, type Service, startService, type Visitor } from '../support/service.ts';

const AT = 1_000;

/** A group that has roles in projects. */
async function makeGroup(
  { db }: Service,
  name: string,
  roles: Readonly<Record<string, Role>>,
): Promise<void> {
  const id = `grp_${name.toLowerCase()}`;
  await db.transaction().execute(async (trx) => {
    const times = { created_at: AT, updated_at: AT };
    const key = name.toLowerCase();
    await insertGroup(trx, {
      id,
      name,
      name_key: key,
      source: 'local',
      external_id: null,
      ...times,
    });
    for (const [slug, role] of Object.entries(roles)) {
      const project = await trx
        .selectFrom('projects')
        .select('id')
        .where('slug', '=', slug)
        .executeTakeFirstOrThrow();
      const row = { group_id: id, project_id: project.id, role, created_at: AT };
      await trx.insertInto('group_roles').values(row).execute();
    }
  });
}

/** What a provider says of somebody when they sign in. */
const setGroups = ({ db }: Service, userId: string, names: string[], source = 'oidc:acme') =>
  db
    .transaction()
    .execute((trx) => setGroupsOfUser(trx, userId, names, source as 'oidc:acme', AT, SYSTEM));

const roleOf = async (who: Visitor) =>
  (await json<Project>(await who.call('GET', '/api/projects/pets'))).you.role;

const slugsOf = async (who: Visitor) => {
  const { items } = await json<{ items: Project[] }>(await who.call('GET', '/api/projects'));
  return items.map(({ slug, you }) => `${slug} ${you.role}`);
};

onBothEngines('a role in a project is the highest of one’s own and of the groups', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  const [owner, ann] = [
    await service.signUp('o@example.com'),
    await service.signUp('a@example.com'),
  ];
  for (const slug of ['pets', 'toys', 'other']) await createProject(owner, slug);
  await makeGroup(service, 'Engineering', { pets: 'editor', toys: 'viewer' });
  await makeGroup(service, 'Leads', { pets: 'owner' });
  await makeGroup(service, 'Readers', { pets: 'viewer' });
  const annId = await idOf(ann);
  await assertError(await ann.call('GET', '/api/projects/pets'), 404, 'not_found');

  // By name without case; what no group is called means nothing.
  await setGroups(service, annId, ['engineering', 'Readers', 'Everyone', 'READERS']);
  assert.deepEqual(await slugsOf(ann), ['pets editor', 'toys viewer']);
  assert.equal((await deploy(ann, 'pets')).state, 'succeeded');
  await assertError(await ann.call('PATCH', '/api/projects/pets', { name: 'x' }), 403, 'forbidden');
  // Each source speaks for itself alone.
  await setGroups(service, annId, ['Leads'], 'oidc:other');
  assert.equal(await roleOf(ann), 'owner');
  await json(await ann.call('PATCH', '/api/projects/pets', { name: 'x' }));
  await setGroups(service, annId, [], 'oidc:other');
  assert.equal(await roleOf(ann), 'editor');

  const members = async () =>
    (await json<{ items: Member[] }>(await owner.call('GET', '/api/projects/pets/members'))).items;
  const [hers] = (await members()).filter(({ userId }) => userId === annId);
  assert.deepEqual(
    [hers?.role, hers?.ownRole, hers?.through.map(({ name, role }) => `${name} ${role}`)],
    ['editor', null, ['Engineering editor', 'Readers viewer']],
  );
  const path = `/api/projects/pets/members/${annId}`;
  const through = await owner.call('PATCH', path, { role: 'owner' });
  assert.match(
    await assertError(through, 409, 'conflict'),
    /^a@example.com has a role here through Engineering, Readers alone/,
  );
  await assertError(await owner.call('DELETE', path), 409, 'conflict');

  // A membership of one's own beside it, lower or higher.
  const secret = await invite(owner, 'pets', 'a@example.com', 'viewer');
  const joined = await json<Project>(await ann.call('POST', `/api/invitations/${secret}/accept`));
  assert.equal(joined.you.role, 'editor');
  const changed = await json<Member>(await owner.call('PATCH', path, { role: 'owner' }));
  assert.deepEqual([changed.role, changed.ownRole], ['owner', 'owner']);
  assert.equal((await members()).length, 2);
  await setGroups(service, annId, []);
  assert.equal(await roleOf(ann), 'owner');
  assert.deepEqual(await slugsOf(root), ['other owner', 'pets owner', 'toys owner']);
});

onBothEngines('people of groups are counted by plans, and owners of groups are told', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  await makeGroup(service, 'Leads', { pets: 'owner' });
  await makeGroup(service, 'Staff', { pets: 'editor' });
  for (const email of ['a@example.com', 'b@example.com']) {
    const id = await idOf(await service.signUp(email));
    // Twice in, and counted once.
    await setGroups(service, id, ['Leads', 'Staff']);
    await setGroups(service, id, ['Leads'], 'oidc:other');
  }
  const full = { email: 'c@example.com', role: 'viewer' };
  const refused = await owner.call('POST', '/api/projects/pets/invitations', full);
  assert.match(await assertError(refused, 409, 'conflict'), /The free plan allows 3 members/);

  const project = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  const notice = { projectId: project.id, hostname: 'docs.example.com', message: 'Verified.' };
  await service.db
    .transaction()
    .execute((trx) => queueDomainNotice(trx, AT, { type: 'domain.verified', ...notice }));
  const told = await service.db.selectFrom('notices').select('email').orderBy('email').execute();
  assert.deepEqual(
    told.map(({ email }) => email),
    ['a@example.com', 'b@example.com', 'owner@example.com'],
  );
});

onBothEngines(
  'strangers neither learn of groups by the readers of a site, nor let any read that they are not in',
  async (t) => {
    const service = await startService(t, { signUp: 'open' });
    const root = await service.signUp('root@example.com');
    const eve = await service.signUp('eve@example.com');
    await createProject(eve, 'pets');
    for (const name of ['Leads', 'Board']) await makeGroup(service, name, {});
    const listed = async (visitor: Visitor) => {
      const path = '/api/projects/pets/access';
      const access = await json<SiteAccess>(await visitor.call('GET', path));
      return [access.groups, access.allGroups].map((groups) => groups.map(({ name }) => name));
    };
    const allow = (visitor: Visitor, ...groups: string[]) =>
      visitor.call('PATCH', '/api/projects/pets/access', { groups });
    assert.deepEqual(await listed(eve), [[], []]);
    const refused = await assertError(await allow(eve, 'grp_board'), 400, 'invalid_request');
    assert.equal(refused, 'groups has grp_board, and there is no such group.');
    await setGroups(service, await idOf(eve), ['Leads']);
    assert.deepEqual(await listed(eve), [[], ['Leads']]);
    await json(await allow(eve, 'grp_leads'));
    // The installation's owner chooses any, and what was chosen stays to be taken back.
    assert.deepEqual(await listed(root), [['Leads'], ['Board', 'Leads']]);
    await json(await allow(root, 'grp_leads', 'grp_board'));
    assert.deepEqual(await listed(eve), [
      ['Board', 'Leads'],
      ['Board', 'Leads'],
    ]);
    await json(await allow(eve, 'grp_board'));
    await json(await allow(eve));
    assert.deepEqual(await listed(eve), [[], ['Leads']]);
  },
);

onBothEngines('what someone made by a group’s role ends with it', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  await makeGroup(service, 'Leads', { pets: 'owner' });
  const ann = await service.signUp('ann@example.com');
  const annId = await idOf(ann);
  await setGroups(service, annId, ['Leads']);
  const token = service.visitor().withToken((await makeToken(ann, 'pets')).token);
  const secret = await invite(ann, 'pets', 'guest@example.com');
  await json(await ann.call('PATCH', '/api/projects/pets', { slug: 'cats' }));
  await json(await ann.call('PATCH', '/api/projects/cats', { slug: 'pets' }));
  await json(await token.call('GET', '/api/projects/pets'));
  await json(await service.visitor().call('GET', `/api/invitations/${secret}`));

  await setGroups(service, annId, []);
  await assertError(await ann.call('GET', '/api/projects/pets'), 404, 'not_found');
  await assertError(await token.call('GET', '/api/projects/pets'), 401, 'unauthorized');
  await assertError(
    await service.visitor().call('GET', `/api/invitations/${secret}`),
    404,
    'not_found',
  );
  const hers = await ann.call('POST', '/api/projects', { name: 'x', slug: 'cats' });
  assert.match(await assertError(hers, 409, 'conflict'), /reserved for its owners/);
  // Back again, she begins anew: the token does not come to life.
  await setGroups(service, annId, ['Leads']);
  await assertError(await token.call('GET', '/api/projects/pets'), 401, 'unauthorized');
  // A group's owner keeps a project from being without one.
  await joinAs(service, root, 'pets', 'bob@example.com', 'viewer');
  await json(
    await root.call('PATCH', `/api/projects/pets/members/${await idOf(owner)}`, { role: 'viewer' }),
  );

  // The last one to leave by their provider's word is let go, and the project has an owner still.
  await setGroups(service, annId, []);
  await assertError(await ann.call('GET', '/api/projects/pets'), 404, 'not_found');
  const { items } = await json<{ items: Member[] }>(
    await root.call('GET', '/api/projects/pets/members'),
  );
  assert.deepEqual(
    items.filter(({ role }) => role === 'owner').map(({ email, ownRole }) => [email, ownRole]),
    [['root@example.com', 'owner']],
  );
  const audit = await json<{ items: { action: string }[] }>(
    await root.call('GET', '/api/projects/pets/audit'),
  );
  assert.equal(audit.items[0]?.action, 'project.hand_over');
});

onBothEngines(
  'two sign-ins and a change of roles at once leave what the last one said',
  async (t) => {
    const service = await startService(t, { signUp: 'open' });
    const root = await service.signUp('root@example.com');
    for (const slug of ['a1', 'b1', 'pets']) await createProject(root, slug);
    await makeGroup(service, 'Zebras', { a1: 'editor', pets: 'viewer' });
    await makeGroup(service, 'Apes', { b1: 'owner', pets: 'editor' });
    const people = await Promise.all(
      ['a', 'b', 'c'].map((name) => service.signUp(`${name}@example.com`)),
    );
    const ids = await Promise.all(people.map(idOf));
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        ids.flatMap((id) => [
          setGroups(service, id, ['Zebras', 'Apes']),
          setGroups(service, id, ['Apes'], 'oidc:other'),
        ]),
      );
      for (const who of people)
        assert.deepEqual(await slugsOf(who), ['a1 editor', 'b1 owner', 'pets editor']);
      await Promise.all(
        ids.flatMap((id) => [setGroups(service, id, []), setGroups(service, id, [], 'oidc:other')]),
      );
      for (const who of people) assert.deepEqual(await slugsOf(who), []);
    }
  },
);

onBothEngines(
  'groups that people change by hand keep to plans and leave no project without an owner',
  async (t) => {
    const service = await startService(t);
    const root = await service.signUp('root@example.com');
    await createProject(root, 'pets');
    const owner = await joinAs(service, root, 'pets', 'owner@example.com', 'owner');
    const editor = await joinAs(service, root, 'pets', 'editor@example.com', 'editor');
    const GROUPS = '/api/installation/groups';
    const made = await root.call('POST', GROUPS, { name: ' Straße ' });
    const { id, name } = await json<Group>(made, 201);
    assert.equal(name, 'Straße');
    assert.match(
      await assertError(await root.call('POST', GROUPS, { name: 'STRAßE' }), 409, 'conflict'),
      /called STRAßE already/,
    );
    await assertError(await owner.call('GET', GROUPS), 403, 'forbidden');
    const put = (who: Visitor, role: string) =>
      who.call('PUT', `/api/projects/pets/groups/${id}`, { role });
    const join = (email: string) => root.call('POST', `${GROUPS}/${id}/members`, { email });
    await assertError(await join('nobody@example.com'), 404, 'not_found');

    // One more person than the plan has room for.
    for (const each of ['a', 'b']) {
      await service.signUp(`${each}@example.com`, await inviteElsewhere(root, each));
      await json(await join(`${each}@example.com`), 201);
    }
    assert.match(
      await assertError(await put(owner, 'editor'), 409, 'conflict'),
      /free plan allows 3 members/,
    );
    await setPlan(root, 'pets', 'pro');
    await assertError(await put(editor, 'editor'), 403, 'forbidden');
    await json(await put(owner, 'editor'));
    const choices = await json<{ items: ProjectGroup[] }>(
      await owner.call('GET', '/api/projects/pets/groups/choices'),
    );
    assert.deepEqual(
      choices.items.map((each) => [each.name, each.members, each.role]),
      [['Straße', 2, 'editor']],
    );

    // No token makes owners, by a group either.
    const token = service.visitor().withToken((await makeToken(owner, 'pets', ['members'])).token);
    assert.match(
      await assertError(await put(token, 'owner'), 403, 'forbidden'),
      /cannot make, change or remove an owner/,
    );
    await json(await put(owner, 'owner'));
    await assertError(
      await token.call('DELETE', `/api/projects/pets/groups/${id}`),
      403,
      'forbidden',
    );
    const everywhere = service
      .visitor()
      .withToken((await makeToken(root, undefined, ['installation'])).token);
    for (const refused of [
      await everywhere.call('POST', `${GROUPS}/${id}/members`, { email: 'editor@example.com' }),
      await everywhere.call('DELETE', `${GROUPS}/${id}`),
    ])
      assert.match(
        await assertError(refused, 403, 'forbidden'),
        /cannot change a group that owns a project/,
      );

    // The group is the only owner: it is not taken away, emptied or deleted.
    for (const email of ['root@example.com', 'owner@example.com']) {
      const { items } = await json<{ items: Member[] }>(
        await root.call('GET', '/api/projects/pets/members'),
      );
      const member = items.find((each) => each.email === email);
      assert.equal(
        (await root.call('DELETE', `/api/projects/pets/members/${member?.userId}`)).status,
        204,
      );
    }
    const { items } = await json<{ items: GroupMember[] }>(
      await root.call('GET', `${GROUPS}/${id}/members`),
    );
    const [a, b] = items.map(({ userId }) => `${GROUPS}/${id}/members/${userId}`);
    assert.equal((await root.call('DELETE', a ?? '')).status, 204);
    for (const refused of [
      await root.call('DELETE', b ?? ''),
      await root.call('DELETE', `${GROUPS}/${id}`),
      await root.call('DELETE', `/api/projects/pets/groups/${id}`),
      await put(root, 'viewer'),
    ])
      assert.match(await assertError(refused, 409, 'conflict'), /needs an owner/);
  },
);

onBothEngines('a cursor that no page of groups gave is refused', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  for (const position of ['', 'a\0b'])
    await assertError(
      await root.call(
        'GET',
        `/api/installation/groups?cursor=${Buffer.from(position).toString('base64url')}`,
      ),
      400,
      'invalid_cursor',
    );
});

/** An invitation to a project that nobody else is in; its secret. */
async function inviteElsewhere(root: Visitor, name: string): Promise<string> {
  await createProject(root, `other-${name}`);
  return invite(root, `other-${name}`, `${name}@example.com`);
}
