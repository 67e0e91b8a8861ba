import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { engineOf, onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { EndedAccess, Person, PersonDetails } from '../../server/src/installation/person.ts';
import type { Member } from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { dashboard } from '../support/dashboard-program.ts';
import { createProject, idOf, invite, joinAs, makeToken } from '../support/project.ts';
import { assertError, json, PASSWORD, startService, type Visitor } from '../support/service.ts';
import { UP_TO_DATE } from '../support/store.ts';

const USERS = '/api/installation/users';

const end = async (root: Visitor, id: string, how: string, body?: unknown) =>
  json<EndedAccess>(await root.call('POST', `${USERS}/${id}/${how}`, body));

const items = async <T>(someone: Visitor, path: string) =>
  (await json<Page<T>>(await someone.call('GET', path))).items;

/** Root, and Ann, who owns `pets` alone, edits `cats`, and has tokens for both. */
async function company(t: TestContext, overrides: Parameters<typeof startService>[1] = {}) {
  const service = await startService(t, { signUp: 'open', ...overrides });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'cats');
  const ann = await joinAs(service, root, 'cats', 'ann@example.com', 'editor');
  await createProject(ann, 'pets');
  const forCats = service.visitor().withToken((await makeToken(ann, 'cats')).token);
  const scopes = ['read', 'projects'] as const;
  const forAll = service.visitor().withToken((await makeToken(ann, undefined, scopes)).token);
  return { service, root, ann, annId: await idOf(ann), forCats, forAll };
}

const statuses = (...visitors: Visitor[]) =>
  Promise.all(visitors.map(async (v) => (await v.call('GET', '/api/projects')).status));

onSharedEngines(
  'an account that another process disables or removes is out at once, and its programs are named',
  async (t) => {
    const databaseUrl = await engineOf(t).createDatabase(t, UP_TO_DATE);
    const { service, root, ann, forCats, forAll } = await company(t, { databaseUrl });
    const folder = await temporaryFolder(t);
    const users = (...args: string[]) =>
      dashboard(folder, ['users', ...args], { DASHBOARD_DATABASE_URL: databaseUrl });
    const signIn = () =>
      service
        .visitor()
        .call('POST', '/api/session', { email: 'ann@example.com', password: PASSWORD });
    await json(await forAll.call('PATCH', '/api/projects/pets', { name: 'Pets' }));
    await json(await forCats.call('GET', '/api/projects/cats'));

    const disabled = await users('disable', '--email', 'Ann@example.com');
    assert.equal(disabled.code, 0, disabled.stderr);
    assert.match(
      disabled.stdout,
      /^Disabled ann@example\.com: 1 session ended, and its API tokens/,
    );
    assert.match(disabled.stdout, /"for a test", used in cats, last at 2/);
    assert.match(disabled.stdout, /"for a test" \(all projects\), used in pets, last at 2/);
    assert.match(
      disabled.stdout,
      /No owner of pets can sign in now; the owner of the installation/,
    );
    assert.deepEqual(await statuses(ann, forCats, forAll), [401, 401, 401]);
    const refused = await assertError(await signIn(), 403, 'forbidden');
    assert.match(refused, /This account is disabled\. Ask the owner of this installation/);
    // The installation's owner has a way in.
    assert.equal((await root.call('PATCH', '/api/projects/pets', { name: 'Cats' })).status, 200);

    const enabled = await users('enable', '--email', 'ann@example.com');
    assert.match(enabled.stdout, /^Enabled ann@example\.com/);
    assert.deepEqual(await statuses(ann, forCats, forAll), [401, 200, 200]);
    assert.equal((await signIn()).status, 200);

    const alone = await users('remove', '--email', 'ann@example.com');
    assert.deepEqual([alone.code, alone.stdout], [1, '']);
    assert.match(alone.stderr, /ann@example\.com is the only owner of pets\. Say who takes over/);
    assert.equal((await forAll.call('GET', '/api/projects')).status, 200);
    const removed = await users(
      ...['remove', '--email', 'ann@example.com', '--hand-over-to', 'root@example.com'],
    );
    assert.match(removed.stdout, /^Removed ann@example\.com: 1 session ended/);
    assert.match(removed.stdout, /root@example\.com owns pets now\./);
    assert.match(removed.stdout, /\(all projects\), used in pets/);
    assert.deepEqual(await statuses(ann, forCats, forAll), [401, 401, 401]);
    await assertError(await signIn(), 401, 'unauthorized');

    const told = await items<AuditEntry>(root, '/api/projects/pets/audit?limit=100');
    assert.ok(
      told.some(({ actor, action }) => `${actor} ${action}` === 'ann@example.com project.update'),
    );
    const [ended, handed] = told;
    assert.deepEqual([ended?.action, ended?.target], ['member.remove', 'ann@example.com']);
    assert.deepEqual([handed?.action, handed?.target], ['project.hand_over', 'root@example.com']);
  },
);

onBothEngines('the owner of the installation finds people, and ends accounts', async (t) => {
  const { service, root, ann, annId, forAll } = await company(t);
  const bob = await joinAs(service, ann, 'pets', 'bob@example.com', 'viewer');
  const bobId = await idOf(bob);
  await bob.call('PATCH', '/api/account', { name: 'Бо́рис Ångström' });
  const emails = async (query = '') =>
    (await items<Person>(root, USERS + query)).map(({ email }) => email);
  assert.deepEqual(await emails(), ['ann@example.com', 'bob@example.com', 'root@example.com']);
  assert.deepEqual(await emails('?search=ANN'), ['ann@example.com']);
  assert.deepEqual(await emails(`?search=${encodeURIComponent(' борис angs')}`), [
    'bob@example.com',
  ]);
  assert.deepEqual(await emails('?search=%25'), []);
  const first = await json<Page<Person>>(await root.call('GET', `${USERS}?limit=2`));
  assert.deepEqual(await emails(`?limit=2&cursor=${first.nextCursor}`), ['root@example.com']);
  const [listed] = first.items;
  assert.deepEqual([listed?.projects, listed?.tokens, listed?.disabledAt], [1, 2, null]);
  assert.ok(Date.parse(listed?.lastSeenAt ?? '') > Date.now() - 60_000);

  await joinAs(service, ann, 'pets', 'zoe@example.com', 'editor');
  await json(await forAll.call('GET', '/api/projects'));
  const details = await json<PersonDetails>(await root.call('GET', `${USERS}/${annId}`));
  assert.deepEqual(
    details.memberships.map(({ project, role, isOnlyOwner, heirs }) => [
      ...[project, role, isOnlyOwner],
      heirs.map(({ email }) => email),
    ]),
    [
      ['cats', 'editor', false, ['root@example.com']],
      ['pets', 'owner', true, ['zoe@example.com', 'root@example.com', 'bob@example.com']],
    ],
  );
  assert.deepEqual(
    details.usedTokens.map(({ name, projects }) => [name, projects]),
    [['for a test', []]],
  );

  // Nobody else may, and no token.
  for (const path of [USERS, `${USERS}/${annId}`]) {
    await assertError(await ann.call('GET', path), 403, 'forbidden');
  }
  const token = service
    .visitor()
    .withToken((await makeToken(root, undefined, ['installation'])).token);
  assert.equal((await token.call('GET', USERS)).status, 200);
  await assertError(await token.call('POST', `${USERS}/${annId}/disable`), 403, 'forbidden');

  const rootId = await idOf(root);
  for (const [how, body] of [['disable'], ['remove', {}]] as const) {
    const message = await assertError(
      await root.call('POST', `${USERS}/${rootId}/${how}`, body),
      409,
      'conflict',
    );
    assert.match(
      message,
      /owns the installation .* Hand the installation to another account first/,
    );
  }
  const missing = await root.call('POST', `${USERS}/${annId}/remove`, {});
  assert.match(await assertError(missing, 409, 'conflict'), /only owner of pets/);
  for (const to of [annId, 'usr_nobody']) {
    const handOver = [{ project: 'pets', to }];
    const refused = await root.call('POST', `${USERS}/${annId}/remove`, { handOver });
    await assertError(refused, 400, 'invalid_request');
  }
  assert.equal((await ann.call('GET', '/api/projects/pets')).status, 200);

  const removed = await end(root, annId, 'remove', { handOver: [{ project: 'pets', to: bobId }] });
  assert.deepEqual(removed.handedOver, [{ project: 'pets', to: 'bob@example.com' }]);
  assert.deepEqual(removed.usedTokens.length, 1);
  assert.deepEqual(await statuses(ann, forAll), [401, 401]);
  const members = await items<Member>(bob, '/api/projects/pets/members');
  assert.deepEqual(
    members.map(({ email, role }) => `${email} ${role}`),
    ['bob@example.com owner', 'zoe@example.com editor'],
  );
  assert.equal((await root.call('GET', `${USERS}/${annId}`)).status, 404);
  await assertError(await root.call('POST', `${USERS}/${annId}/enable`), 404, 'not_found');
});

onBothEngines('nobody who is disabled counts as an owner, or lets others in', async (t) => {
  const { service, root, ann, annId } = await company(t);
  const bob = await joinAs(service, ann, 'pets', 'bob@example.com', 'owner');
  const secret = await invite(bob, 'pets', 'eve@example.com');
  const roots = await invite(root, 'cats', 'eve@example.com');
  const bobId = await idOf(bob);
  const bobs = await end(root, bobId, 'disable');
  assert.deepEqual([bobs.sessions, bobs.ownerless], [1, []]);
  // The link was handed out while he was in.
  assert.equal((await service.visitor().call('GET', `/api/invitations/${secret}`)).status, 404);
  // Those of others stay open.
  assert.equal((await service.visitor().call('GET', `/api/invitations/${roots}`)).status, 200);
  // Ann is the only one left who can act.
  for (const [method, body] of [['DELETE'], ['PATCH', { role: 'viewer' }]] as const) {
    const refused = await ann.call(method, `/api/projects/pets/members/${annId}`, body);
    const message = await assertError(refused, 409, 'conflict');
    assert.match(message, /needs an owner who can sign in\. Make another member an owner first/);
  }
  const found = await items<Member>(ann, '/api/projects/pets/members');
  assert.deepEqual(
    found.map(({ email, isDisabled }) => [email, isDisabled]),
    [
      ['ann@example.com', false],
      ['bob@example.com', true],
    ],
  );
  assert.deepEqual((await end(root, annId, 'disable')).ownerless, ['pets']);
  // Twice is once.
  assert.deepEqual((await end(root, annId, 'disable')).sessions, 0);
  await json(await root.call('POST', `${USERS}/${bobId}/enable`));
  const again = service.visitor();
  const credentials = { email: 'bob@example.com', password: PASSWORD };
  await json(await again.call('POST', '/api/session', credentials));
  assert.equal((await again.call('GET', '/api/projects/pets/members')).status, 200);
});

onBothEngines('the installation has one owner, who can hand it over', async (t) => {
  const { root, ann, annId } = await company(t);
  const hand = (who: Visitor, userId: string) =>
    who.call('POST', '/api/installation/owner', { userId });
  await assertError(await hand(ann, annId), 403, 'forbidden');
  await end(root, annId, 'disable');
  await assertError(await hand(root, annId), 409, 'conflict');
  await json(await root.call('POST', `${USERS}/${annId}/enable`));
  await assertError(await hand(root, 'usr_nobody'), 404, 'not_found');
  assert.equal((await hand(root, annId)).status, 204);
  await assertError(await root.call('GET', USERS), 403, 'forbidden');
  assert.equal((await root.call('GET', '/api/projects/cats')).status, 200);
});
