import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Member, Project } from '../../server/src/projects/project.ts';
import { createProject, idOf, joinAs, makeToken } from '../support/project.ts';
import { assertError, json, PASSWORD } from '../support/service.ts';
import {
  assertScimError,
  ENTERPRISE,
  GROUP,
  makeGroup,
  makeUser,
  patch,
  startDirectory,
  USER,
} from './support/directory.ts';

// What Entra ID and Okta send, by their public documentation.

onBothEngines('Entra ID makes, changes, disables and deletes a user', async (t) => {
  const { scim, service, root } = await startDirectory(t);
  const none = await scim('GET', '/Users?filter=userName+eq+%22Ann%40example.com%22');
  assert.deepEqual([none.status, none.body.totalResults, none.body.Resources], [200, 0, []]);
  const made = await scim('POST', '/Users', {
    schemas: [USER, ENTERPRISE],
    externalId: '0a21f0f2',
    userName: 'Ann@example.com',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'ann@example.com' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Ann Lee', familyName: 'Lee', givenName: 'Ann' },
    roles: [],
    [ENTERPRISE]: { department: 'Docs', manager: 'someone' },
  });
  assert.equal(made.status, 201);
  const { id, meta } = made.body;
  assert.deepEqual(
    [made.headers.get('location'), made.headers.get('etag')],
    [meta.location, meta.version],
  );
  assert.deepEqual(
    [made.body.userName, made.body.active, made.body.displayName, made.body.externalId],
    ['Ann@example.com', true, 'Ann Lee', '0a21f0f2'],
  );
  assert.deepEqual(made.body[ENTERPRISE], { department: 'Docs', manager: { value: 'someone' } });
  const [found] = (await scim('GET', '/Users?filter=USERNAME eq "aNN@example.com"')).body.Resources;
  assert.equal(found.id, id);
  const byMail = 'emails[type eq "work"].value eq "ann@example.com"';
  assert.equal(
    (await scim('GET', `/Users?filter=${encodeURIComponent(byMail)}`)).body.totalResults,
    1,
  );

  const changed = await scim(
    'PATCH',
    `/Users/${id}`,
    patch(
      { op: 'Replace', path: 'name.familyName', value: 'Lind' },
      { op: 'Replace', path: 'displayName', value: 'Ann Lind' },
      { op: 'Add', path: 'title', value: 'Writer' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555 0100' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'Lind@example.com' },
      { op: 'Add', path: `${ENTERPRISE}:employeeNumber`, value: '7' },
      { op: 'Replace', path: `${ENTERPRISE}:manager`, value: 'boss' },
    ),
  );
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.deepEqual(changed.body.name, {
    formatted: 'Ann Lee',
    familyName: 'Lind',
    givenName: 'Ann',
  });
  assert.deepEqual(changed.body.emails, [
    { primary: true, type: 'work', value: 'Lind@example.com' },
  ]);
  assert.deepEqual(changed.body.phoneNumbers, [{ type: 'mobile', value: '+1 555 0100' }]);
  assert.deepEqual(changed.body[ENTERPRISE], {
    ...{ department: 'Docs', manager: { value: 'boss' }, employeeNumber: '7' },
  });
  const people = await json<{ items: { id: string; email: string; name: string }[] }>(
    await root.call('GET', '/api/installation/users'),
  );
  const ann = people.items.find((each) => each.id === id);
  assert.deepEqual([ann?.email, ann?.name], ['lind@example.com', 'Ann Lind']);

  const off = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'Replace', path: 'active', value: 'False' }),
  );
  assert.equal(off.body.active, false);
  assert.equal((await scim('GET', `/Users/${id}`)).body.active, false);
  assert.equal((await scim('GET', '/Users?filter=active eq false')).body.totalResults, 1);
  const on = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'replace', value: { active: 'True', 'name.givenName': 'A.' } }),
  );
  assert.deepEqual([on.body.active, on.body.name.givenName], [true, 'A.']);

  assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204);
  assertScimError(await scim('GET', `/Users/${id}`), 404);
  assertScimError(await scim('DELETE', `/Users/${id}`), 404);
  const audit = await service.db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'token_name'])
    .execute();
  const byDirectory = audit.filter(({ actor }) => actor === 'directory');
  assert.ok(byDirectory.every(({ token_name }) => token_name === 'Entra ID'));
  for (const action of [
    'account.create',
    'account.email',
    'account.rename',
    'account.disable',
    'account.enable',
    'account.remove',
  ]) {
    assert.ok(
      byDirectory.some((entry) => entry.action === action),
      action,
    );
  }
});

onBothEngines('Entra ID fills a group, which gives its people their roles', async (t) => {
  const directory = await startDirectory(t);
  const { scim, root } = directory;
  await createProject(root, 'pets');
  const [a, b] = [
    await makeUser(directory, 'a@example.com'),
    await makeUser(directory, 'b@example.com'),
  ];
  const group = (
    await scim('POST', '/Groups', {
      ...{
        schemas: [
          GROUP,
          'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
        ],
      },
      ...{ externalId: '8aa1a0c0', displayName: 'Engineering', meta: { resourceType: 'Group' } },
    })
  ).body;
  const { id } = group;
  assert.deepEqual(
    [group.displayName, group.externalId, group.members],
    ['Engineering', '8aa1a0c0', []],
  );
  const found = await scim(
    'GET',
    '/Groups?excludedAttributes=members&filter=displayName eq "engineering"',
  );
  assert.deepEqual(
    found.body.Resources.map((each: { id: string; members: unknown }) => [each.id, each.members]),
    [[id, undefined]],
  );
  const add = patch({
    op: 'Add',
    path: 'members',
    value: [{ value: a }, { value: b }, { value: a }],
  });
  assert.equal((await scim('PATCH', `/Groups/${id}`, add)).body.members.length, 2);
  await json(await root.call('PUT', `/api/projects/pets/groups/${id}`, { role: 'editor' }));
  const { items } = await json<{ items: Member[] }>(
    await root.call('GET', '/api/projects/pets/members'),
  );
  assert.deepEqual(
    items
      .map(({ email, role, through }) => [email, role, ...through.map(({ name }) => name)])
      .sort(),
    [
      ['a@example.com', 'editor', 'Engineering'],
      ['b@example.com', 'editor', 'Engineering'],
      ['root@example.com', 'owner'],
    ],
  );
  // Entra ID names those that shall go in the value, and not in a filter.
  const remove = patch({ op: 'Remove', path: 'members', value: [{ value: a }] });
  assert.deepEqual(
    (await scim('PATCH', `/Groups/${id}`, remove)).body.members.map(
      ({ value }: { value: string }) => value,
    ),
    [b],
  );
  // What names nobody removes nobody.
  for (const value of [[], [{}]]) {
    const nobody = await scim(
      'PATCH',
      `/Groups/${id}`,
      patch({ op: 'remove', path: 'members', value }),
    );
    assert.equal(nobody.body.members.length, 1);
  }
  const filtered = patch(
    { op: 'remove', path: `members[value eq "${b}"]` },
    { op: 'replace', path: 'displayName', value: 'Makers' },
  );
  const empty = await scim('PATCH', `/Groups/${id}`, filtered);
  assert.deepEqual([empty.body.displayName, empty.body.members], ['Makers', []]);
  assert.equal((await scim('DELETE', `/Groups/${id}`)).status, 204);
  assertScimError(await scim('GET', `/Groups/${id}`), 404);
});

onBothEngines(
  'Okta looks for its people, links those that are there, and pushes groups',
  async (t) => {
    const directory = await startDirectory(t);
    const { scim, service, root } = directory;
    const ann = await service.signUp('ann@example.com');
    const annId = await idOf(ann);
    assert.equal((await scim('GET', '/Users?startIndex=1&count=2')).body.itemsPerPage, 2);
    // Whoever is here already is found by the address, and changed: a second account is not made.
    const taken = await scim('POST', '/Users', { schemas: [USER], userName: 'ANN@example.com' });
    assert.match(assertScimError(taken, 409, 'uniqueness'), /ann@example.com is here already/);
    const [found] = (
      await scim('GET', '/Users?filter=userName eq "ann@example.com"&startIndex=1&count=100')
    ).body.Resources;
    assert.equal(found.id, annId);
    const put = await scim('PUT', `/Users/${annId}`, {
      ...{ schemas: [USER], id: annId, userName: 'ann@example.com', externalId: '00u1' },
      name: { givenName: 'Ann', familyName: 'Lee' },
      emails: [{ primary: true, value: 'ann@example.com', type: 'work' }],
      ...{
        displayName: 'Ann Lee',
        locale: 'en-US',
        groups: [],
        password: 'Correct-Horse-1',
        active: true,
      },
    });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    assert.deepEqual(
      [put.body.externalId, put.body.locale, put.body.password],
      ['00u1', 'en-US', undefined],
    );
    const linked = await service.db
      .selectFrom('audit_log')
      .select('target')
      .where('action', '=', 'account.link')
      .execute();
    assert.deepEqual(
      linked.map(({ target }) => target),
      ['ann@example.com'],
    );
    // A password that is sent is nobody's: she signs in as before.
    const session = await service
      .visitor()
      .call('POST', '/api/session', { email: 'ann@example.com', password: PASSWORD });
    assert.equal(session.status, 200);

    // The group was prepared by hand, with its role; the directory takes it over.
    await createProject(root, 'pets');
    const local = await json<{ id: string }>(
      await root.call('POST', '/api/installation/groups', { name: 'Écrivains' }),
      201,
    );
    await json(await root.call('PUT', `/api/projects/pets/groups/${local.id}`, { role: 'viewer' }));
    assertScimError(
      await scim('POST', '/Groups', { schemas: [GROUP], displayName: 'ÉCRIVAINS' }),
      409,
      'uniqueness',
    );
    const [group] = (
      await scim('GET', `/Groups?filter=${encodeURIComponent('displayName eq "écrivains"')}`)
    ).body.Resources;
    assert.equal(group.id, local.id);
    const pushed = await scim(
      'PATCH',
      `/Groups/${group.id}`,
      patch(
        { op: 'replace', value: { id: group.id, displayName: 'Écrivains' } },
        { op: 'add', path: 'members', value: [{ value: annId, display: 'ann@example.com' }] },
      ),
    );
    assert.equal(pushed.status, 200, JSON.stringify(pushed.body));
    assert.equal(
      (await json<Project>(await ann.call('GET', '/api/projects/pets'))).you.role,
      'viewer',
    );
    const refused = await root.call('PATCH', `/api/installation/groups/${group.id}`, {
      name: 'Others',
    });
    assert.match(await assertError(refused, 409, 'conflict'), /comes from your directory/);
    // A push of members replaces them all; one that does not name them leaves them.
    const rename = await scim('PUT', `/Groups/${group.id}`, {
      schemas: [GROUP],
      displayName: 'Writers',
    });
    assert.deepEqual([rename.body.displayName, rename.body.members.length], ['Writers', 1]);
    const whole = await scim('PUT', `/Groups/${group.id}`, {
      schemas: [GROUP],
      displayName: 'Writers',
      members: [],
    });
    assert.deepEqual(whole.body.members, []);
    await assertError(await ann.call('GET', '/api/projects/pets'), 404, 'not_found');
  },
);

onBothEngines(
  'who leaves the company is out everywhere at once, and projects keep an owner',
  async (t) => {
    const directory = await startDirectory(t);
    const { scim, service, root } = directory;
    const ann = await service.signUp('ann@example.com');
    const annId = await idOf(ann);
    await createProject(ann, 'pets');
    await createProject(root, 'toys');
    const token = service.visitor().withToken((await makeToken(ann)).token);
    const group = await makeGroup(directory, 'Owners', [annId]);
    await json(await root.call('PUT', `/api/projects/toys/groups/${group}`, { role: 'owner' }));
    await joinAs(service, ann, 'pets', 'bob@example.com', 'viewer');

    await scim('PATCH', `/Users/${annId}`, patch({ op: 'replace', value: { active: false } }));
    await assertError(await ann.call('GET', '/api/session'), 401, 'unauthorized');
    await assertError(await token.call('GET', '/api/projects'), 401, 'unauthorized');
    const signIn = { email: 'ann@example.com', password: PASSWORD };
    await assertError(
      await service.visitor().call('POST', '/api/session', signIn),
      403,
      'forbidden',
    );
    // A group of owners without anybody who can sign in is no way in: root stays the last owner.
    const last = await root.call('DELETE', `/api/projects/toys/members/${await idOf(root)}`);
    assert.match(await assertError(last, 409, 'conflict'), /needs an owner/);

    await scim('PATCH', `/Users/${annId}`, patch({ op: 'replace', value: { active: true } }));
    await json(await token.call('GET', '/api/projects'));
    assert.equal((await scim('DELETE', `/Users/${annId}`)).status, 204);
    await assertError(await token.call('GET', '/api/projects'), 401, 'unauthorized');
    const { items } = await json<{ items: Member[] }>(
      await root.call('GET', '/api/projects/pets/members'),
    );
    assert.deepEqual(items.map(({ email, ownRole }) => [email, ownRole]).sort(), [
      ['bob@example.com', 'viewer'],
      ['root@example.com', 'owner'],
    ]);
    // The directory's token ends as fast.
    const tokens = await json<{ items: { id: string; lastUsedAt: string | null }[] }>(
      await root.call('GET', '/api/installation/scim-tokens'),
    );
    assert.ok(tokens.items[0]?.lastUsedAt);
    assert.equal(
      (await root.call('DELETE', `/api/installation/scim-tokens/${tokens.items[0]?.id}`)).status,
      204,
    );
    assertScimError(await scim('GET', '/Users'), 401);
  },
);
