import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import type { PasswordLink } from '../../server/src/accounts/account.ts';
import type { CreatedInvitation } from '../../server/src/projects/project.ts';
import { startMailServer } from '../notices/support/mail-server.ts';
import { createProject, idOf, joinAs } from '../support/project.ts';
import { assertError, json, PASSWORD, startService, type Visitor } from '../support/service.ts';
import { lockWaits, UP_TO_DATE } from '../support/store.ts';

const ANN = 'ann@example.com';

const signIn = (visitor: Visitor, email: string, password: string, ip: string) =>
  visitor.call('POST', '/api/session', { email, password }, { 'x-forwarded-for': ip });

onBothEngines('strangers who try passwords keep nobody out of what they are in', async (t) => {
  const service = await startService(t, { trustedProxies: ['127.0.0.1'], signUp: 'open' });
  const ann = await service.signUp(ANN);
  const bob = await service.signUp('bob@example.com');
  // Twenty networks tried ten each: whoever has a /48 has 65,536 of those that are counted as one.
  await service.db.deleteFrom('sign_in_failures').execute();
  await service.db
    .insertInto('sign_in_failures')
    .values({ key: `email:${ANN}`, count: 200, resets_at: Date.now() + 900_000 })
    .execute();
  const elsewhere = await signIn(service.visitor(), ANN, PASSWORD, '10.0.0.1');
  await assertError(elsewhere, 429, 'rate_limited');
  // Ann has a session, and is asked again before a sensitive change.
  const confirm = (password: string) =>
    ann.call('POST', '/api/session/confirmation', { password }, { 'x-forwarded-for': '10.0.0.1' });
  assert.equal((await confirm(PASSWORD)).status, 204);
  const change = { current: PASSWORD, next: 'a new password' };
  assert.equal((await ann.call('POST', '/api/account/password', change)).status, 204);
  // She signs out, and in again in the same browser; another's browser is of no use.
  assert.equal((await ann.call('DELETE', '/api/session')).status, 204);
  assert.equal((await signIn(bob, ANN, change.next, '10.0.0.2')).status, 429);
  await json(await signIn(ann, ANN, change.next, '10.0.0.1'));

  // Whoever has her browser has ten tries as everybody, and whoever has her session as many.
  for (let at = 0; at < 10; at++) {
    assert.equal((await signIn(ann, ANN, `wrong ${at}`, '10.0.0.1')).status, 401);
    assert.equal((await confirm(`wrong ${at}`)).status, 401);
  }
  assert.equal((await signIn(ann, ANN, change.next, '10.0.0.1')).status, 429);
  await assertError(await confirm(change.next), 429, 'rate_limited');
});

onBothEngines('no other way makes the change that would ask again', async (t) => {
  const clock = { now: Date.now() };
  const service = await startService(t, { signUp: 'open' }, { now: () => clock.now });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const bob = await joinAs(service, root, 'pets', 'bob@example.com', 'owner');
  const members = `/api/projects/pets/members/${await idOf(bob)}`;
  const other = `/api/projects/pets/members/${await idOf(root)}`;
  const made = await root.call('POST', '/api/installation/scim-tokens', { name: 'Entra ID' });
  const directory = await json<{ id: string }>(made, 201);
  const group = await json<{ id: string }>(
    await root.call('POST', '/api/installation/groups', { name: 'Owners' }),
    201,
  );
  await service.db
    .updateTable('users')
    .set({ is_provisional: 1 })
    .where('role', '=', 'owner')
    .execute();
  // Whoever sits down at a screen that was left open.
  clock.now += 15 * 60_000;
  const account = { email: 'mallory@example.com', name: 'Mallory', password: 'a password of hers' };
  for (const [what, ask] of [
    ['an owner becomes a viewer', () => root.call('PATCH', members, { role: 'viewer' })],
    ['the other owner becomes an editor', () => bob.call('PATCH', other, { role: 'editor' })],
    [
      'a directory is cut off',
      () => root.call('DELETE', `/api/installation/scim-tokens/${directory.id}`),
    ],
    [
      'a group is called as everybody’s is at the provider',
      () => root.call('PATCH', `/api/installation/groups/${group.id}`, { name: 'Everybody' }),
    ],
    [
      'the account of a first start is taken',
      () => root.call('POST', '/api/account/claim', account),
    ],
  ] as const) {
    assert.match(await assertError(await ask(), 403, 'confirmation_required'), /Confirm/, what);
  }
  await json(
    await root.call('POST', '/api/session', { email: 'root@example.com', password: PASSWORD }),
  );
  await json(await root.call('PATCH', members, { role: 'viewer' }));
  // What takes nothing from an owner goes on without.
  clock.now += 15 * 60_000;
  await json(await root.call('PATCH', members, { role: 'editor' }));
});

test('no stranger fills a mailbox with invitations, however many projects they make', async (t) => {
  const server = await startMailServer(t);
  const mail = { smtpUrl: server.url(), from: 'Docs <docs@example.com>' };
  const service = await startService(t, { signUp: 'open', mail });
  await service.signUp('root@example.com');
  const mallory = await service.signUp('mallory@example.com');
  const mailed: boolean[] = [];
  const invite = async (slug: string, email: string) => {
    const path = `/api/projects/${slug}/invitations`;
    const made = await json<CreatedInvitation>(
      await mallory.call('POST', path, { email, role: 'viewer' }),
      201,
    );
    mailed.push(made.mailed);
    return made.mailError;
  };
  for (let at = 0; at < 11; at++) {
    await createProject(mallory, `p${at}`);
    await invite(`p${at}`, 'victim@example.com');
  }
  assert.deepEqual(mailed, [...Array(10).fill(true), false]);
  assert.equal(server.mails.length, 10);
  // Nor many, with one letter each.
  assert.equal(await invite('p0', 'other@example.com'), null);
  await service.db
    .updateTable('sign_in_failures')
    .set({ count: 50 })
    .where('key', 'like', 'invite-by:%')
    .execute();
  assert.equal(
    await invite('p1', 'third@example.com'),
    'You have mailed too many invitations today.',
  );
  const root = service.visitor();
  await json(
    await root.call('POST', '/api/session', { email: 'root@example.com', password: PASSWORD }),
  );
  const path = '/api/projects/p2/invitations';
  const made = await root.call('POST', path, { email: 'third@example.com', role: 'viewer' });
  assert.equal((await json<CreatedInvitation>(made, 201)).mailed, true, 'others go on');
});

test('no password is taken that is tried first, wherever it is set', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  const made = await root.call('POST', `/api/installation/users/${await idOf(root)}/password-link`);
  const { link } = await json<PasswordLink>(made, 201);
  const secret = link?.split('#')[1];
  for (const password of [
    '1234567890',
    'Password123',
    'qwertyuiop',
    ' QwertyUIOP',
    'aaaaaaaaaaaa',
    'ｑｗｅｒｔｙｕｉｏｐ',
    '1212121212',
  ]) {
    const account = { email: 'ann@example.com', name: 'Ann', password };
    const signedUp = await service.visitor().call('POST', '/api/sign-up', account);
    assert.match(await assertError(signedUp, 400, 'invalid_request'), /tried first/, password);
    const change = { current: PASSWORD, next: password };
    const changed = await root.call('POST', '/api/account/password', change);
    await assertError(changed, 400, 'invalid_request');
    const reset = await root.call('POST', '/api/account-links/password', { secret, password });
    await assertError(reset, 400, 'invalid_request');
  }
});

for (const [what, path, bodyOf] of [
  ['the installation', '/api/installation/owner', (userId: string) => ({ userId })],
  ['a token for a directory', '/api/installation/scim-tokens', () => ({ name: 'Entra ID' })],
  ['a link to a password', '/api/installation/users/:id/password-link', () => undefined],
] as const) {
  test(`whoever hands the installation over gives nobody ${what} by a request under way [PostgreSQL]`, async (t) => {
    const databaseUrl = await (await sharedServer()).copyDatabase(UP_TO_DATE);
    const service = await startService(t, { databaseUrl, signUp: 'open' });
    const root = await service.signUp('root@example.com');
    const bob = await idOf(await service.signUp('bob@example.com'));
    const cid = await idOf(await service.signUp('cid@example.com'));
    const { begun } = await service.db.transaction().execute(async (trx) => {
      await trx.updateTable('users').set({ role: 'user' }).where('role', '=', 'owner').execute();
      await trx.updateTable('users').set({ role: 'owner' }).where('id', '=', cid).execute();
      // It finds them the owner still, and somebody else when it does what it came for.
      const asked = root.call('POST', path.replace(':id', bob), bodyOf(bob));
      await lockWaits(service.db);
      return { begun: asked };
    });
    await assertError(await begun, 403, 'forbidden');
    const owner = await service.db
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'owner')
      .execute();
    assert.deepEqual(owner, [{ id: cid }]);
    for (const table of ['scim_tokens', 'account_links'] as const)
      assert.deepEqual(await service.db.selectFrom(table).selectAll().execute(), []);
  });
}
