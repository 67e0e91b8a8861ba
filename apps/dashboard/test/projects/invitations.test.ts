import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type {
  CreatedInvitation,
  Invitation,
  OpenInvitation,
} from '../../server/src/projects/project.ts';
import {
  accept,
  createProject,
  idOf,
  invite,
  joinAs,
  makeToken,
  setPlan,
} from '../support/project.ts';
import {
  assertError,
  json,
  PASSWORD,
  type Service,
  startService,
  type Visitor,
} from '../support/service.ts';

const DAY_MS = 86_400_000;
const PATH = '/api/projects/pets/invitations';
const GUEST = 'guest@example.com';

async function statesOf(owner: Visitor): Promise<string[]> {
  const { items } = await json<{ items: Invitation[] }>(await owner.call('GET', PATH));
  return items.map(({ email, state }) => `${email.replace('@example.com', '')} ${state}`);
}

async function assertClosed(service: Service, secret: string): Promise<void> {
  const answer = await service.visitor().call('GET', `/api/invitations/${secret}`);
  await assertError(answer, 404, 'not_found');
}

onBothEngines(
  'whoever was given a project meanwhile does not lose it by an invitation',
  async (t) => {
    const service = await startService(t, { signUp: 'open' });
    const root = await service.signUp('root@example.com');
    const ann = await service.signUp('ann@example.com');
    await createProject(ann, 'pets');
    const guest = await service.signUp(GUEST);
    // By the owner of the installation: the invitation does not end with Ann's account.
    const secret = await invite(root, 'pets', GUEST);
    const handOver = [{ project: 'pets', to: await idOf(guest) }];
    const remove = `/api/installation/users/${await idOf(ann)}/remove`;
    assert.equal((await root.call('POST', remove, { handOver })).status, 200);
    assert.equal((await accept(guest, secret)).you.role, 'owner');
    assert.deepEqual(await statesOf(guest), ['guest accepted']);
  },
);

onBothEngines('a link is good once, for the invited address alone', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const body = { email: ' Guest@Example.com', role: 'editor' };
  const { link, ...made } = await json<CreatedInvitation>(await root.call('POST', PATH, body), 201);
  assert.deepEqual([made.email, made.state, made.invitedBy], [GUEST, 'open', 'root@example.com']);
  const [, secret = ''] =
    new RegExp(`^${service.origin}/invitations/([\\w-]{43})$`).exec(link ?? '') ?? [];
  const open = await json<OpenInvitation>(
    await service.visitor().call('GET', `/api/invitations/${secret}`),
  );
  assert.deepEqual(open, {
    project: 'pets',
    slug: 'pets',
    email: GUEST,
    role: 'editor',
    invitedBy: 'root@example.com',
    expiresAt: made.expiresAt,
  });

  const other = await service.signUp('other@example.com');
  const refused = await other.call('POST', `/api/invitations/${secret}/accept`);
  assert.match(await assertError(refused, 403, 'forbidden'), /is for guest@.* signed in as other@/);
  const guest = await service.signUp(GUEST);
  const tries = await Promise.all(
    [1, 2, 3].map(() => guest.call('POST', `/api/invitations/${secret}/accept`)),
  );
  assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 404, 404]);
  assert.equal((await guest.call('GET', '/api/projects/pets')).status, 200);
  assert.deepEqual(await statesOf(root), ['guest accepted']);
  await assertClosed(service, secret);
  const withdrawn = await root.call('DELETE', `${PATH}/${made.id}`);
  await assertError(withdrawn, 404, 'not_found');
});

onBothEngines('a link is good for a week', async (t) => {
  let clock = Date.now();
  const service = await startService(t, {}, { now: () => clock });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const secret = await invite(root, 'pets', GUEST);
  clock += 7 * DAY_MS - 1;
  const guest = await service.signUp(GUEST, secret);
  clock += 1;
  await assertClosed(service, secret);
  const late = await guest.call('POST', `/api/invitations/${secret}/accept`);
  await assertError(late, 404, 'not_found');
  assert.deepEqual(await statesOf(root), ['guest expired']);
});

onBothEngines(
  'a link ends when it is revoked, or another for the same address is made',
  async (t) => {
    const service = await startService(t, { signUp: 'open' });
    const root = await service.signUp('root@example.com');
    await createProject(root, 'pets');
    const guest = await service.signUp(GUEST);
    const first = await invite(root, 'pets', GUEST, 'viewer');
    const second = await invite(root, 'pets', GUEST, 'editor');
    await assertClosed(service, first);
    const { items } = await json<{ items: Invitation[] }>(await root.call('GET', PATH));
    const { id } = items.find(({ state }) => state === 'open') as Invitation;
    assert.equal((await root.call('DELETE', `${PATH}/${id}`)).status, 204);
    await assertError(await root.call('DELETE', `${PATH}/${id}`), 404, 'not_found');
    await assertClosed(service, second);
    const late = await guest.call('POST', `/api/invitations/${second}/accept`);
    await assertError(late, 404, 'not_found');

    // However many are made at the same time, one is open.
    await Promise.all([1, 2, 3, 4].map(() => invite(root, 'pets', GUEST)));
    const open = (await statesOf(root)).filter((line) => line === 'guest open');
    assert.equal(open.length, 1);
  },
);

onBothEngines('a member is not invited, and an invitation says nothing of accounts', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  await service.signUp('known@example.com');
  const answers = await Promise.all(
    ['known', 'unknown'].map(async (name) => {
      const body = { email: `${name}@example.com`, role: 'viewer' };
      const answer = await root.call('POST', PATH, body);
      const made = await json<CreatedInvitation>(answer, 201);
      return [Object.keys(made), made.role, made.state];
    }),
  );
  assert.deepEqual(answers[0], answers[1]);
  const again = await root.call('POST', PATH, { email: 'ROOT@example.com', role: 'viewer' });
  assert.match(await assertError(again, 409, 'conflict'), /root@example\.com is a member already/);
  for (const wrong of [{ email: 'x' }, { email: 'a b@c' }, { role: 'god' }, { role: null }]) {
    const body = { email: GUEST, role: 'viewer', ...wrong };
    await assertError(await root.call('POST', PATH, body), 400, 'invalid_request');
  }
});

onBothEngines("another project's invitation is nobody's business", async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'roots');
  const ann = await joinAs(service, root, 'roots', 'ann@example.com', 'viewer');
  await createProject(ann, 'pets');
  const secret = await invite(root, 'roots', GUEST);
  const rows = await service.db
    .selectFrom('invitations')
    .select('id')
    .where('email', '=', GUEST)
    .execute();
  const answer = await ann.call('DELETE', `${PATH}/${rows[0]?.id}`);
  await assertError(answer, 404, 'not_found');
  await accept(await service.signUp(GUEST, secret), secret);
});

/** A project with two owners beside the installation's; the second is about to invite. */
async function twoOwners(service: Service) {
  const root = await service.signUp('root@example.com');
  await createProject(root, 'roots');
  const ann = await joinAs(service, root, 'roots', 'ann@example.com', 'viewer');
  await createProject(ann, 'pets');
  await setPlan(root, 'pets', 'pro');
  const eve = await joinAs(service, ann, 'pets', 'eve@example.com', 'owner');
  const evePath = `/api/projects/pets/members/${await idOf(eve)}`;
  return { root, ann, eve, evePath };
}

onBothEngines('an invitation ends with the right of its creator', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const { root, ann, eve, evePath } = await twoOwners(service);
  const guest = await service.signUp(GUEST);
  const ends: [name: string, end: () => Promise<Response>, again: () => Promise<unknown>][] = [
    [
      'demoted',
      () => ann.call('PATCH', evePath, { role: 'editor' }),
      async () => json(await ann.call('PATCH', evePath, { role: 'owner' })),
    ],
    [
      'removed',
      () => ann.call('DELETE', evePath),
      async () => accept(eve, await invite(ann, 'pets', 'eve@example.com', 'owner')),
    ],
    [
      'gone of their own will',
      () => eve.call('DELETE', evePath),
      async () => accept(eve, await invite(ann, 'pets', 'eve@example.com', 'owner')),
    ],
  ];
  for (const [name, end, again] of ends) {
    const theirs = await invite(eve, 'pets', GUEST, 'owner');
    const others = await invite(ann, 'pets', 'other@example.com');
    assert.ok((await end()).ok, name);
    await assertClosed(service, theirs);
    const late = await guest.call('POST', `/api/invitations/${theirs}/accept`);
    await assertError(late, 404, 'not_found');
    assert.ok((await statesOf(ann)).includes('guest revoked'), name);
    assert.equal((await service.visitor().call('GET', `/api/invitations/${others}`)).status, 200);
    // It does not come back with the right.
    await again();
    await assertClosed(service, theirs);
  }
  // The installation's owner has an owner's rights without being a member.
  const above = await invite(root, 'pets', GUEST, 'viewer');
  await accept(guest, above);
});

onBothEngines('nobody signs up by an invitation whose maker was removed', async (t) => {
  const service = await startService(t);
  const { ann, eve, evePath } = await twoOwners(service);
  const invitation = await invite(eve, 'pets', GUEST, 'owner');
  assert.equal((await ann.call('DELETE', evePath)).status, 204);
  const body = { email: GUEST, password: PASSWORD, name: 'Guest', invitation };
  const answer = await service.visitor().call('POST', '/api/sign-up', body);
  await assertError(answer, 403, 'forbidden');
});

onBothEngines('an invitation of an account that is gone, or of no owner, is closed', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const { eve } = await twoOwners(service);
  const guest = await service.signUp(GUEST);
  // As they were left by a version that did not end them, or by whoever changes the database by hand.
  const assertRefused = async (secret: string) => {
    await assertClosed(service, secret);
    const answer = await guest.call('POST', `/api/invitations/${secret}/accept`);
    await assertError(answer, 404, 'not_found');
  };
  const first = await invite(eve, 'pets', GUEST, 'owner');
  const eveId = await idOf(eve);
  const roles = service.db.updateTable('members').where('user_id', '=', eveId);
  await roles.set({ role: 'editor' }).execute();
  await assertRefused(first);
  await roles.set({ role: 'owner' }).execute();
  const second = await invite(eve, 'pets', GUEST, 'owner');
  await service.db.deleteFrom('users').where('id', '=', eveId).execute();
  await assertRefused(second);
});

onBothEngines('who accepts while the inviter is removed is in before, or not at all', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const { ann, eve, evePath } = await twoOwners(service);
  const guest = await service.signUp(GUEST);
  const guestId = await idOf(guest);
  for (let round = 0; round < 6; round++) {
    const secret = await invite(eve, 'pets', GUEST, 'editor');
    const [accepted, made, removed] = await Promise.all([
      guest.call('POST', `/api/invitations/${secret}/accept`),
      eve.call('POST', PATH, { email: 'more@example.com', role: 'owner' }),
      ann.call('DELETE', evePath),
    ]);
    assert.equal(removed.status, 204);
    assert.ok([200, 404].includes(accepted.status), `${accepted.status}`);
    assert.ok([201, 404].includes(made.status), `${made.status}`);
    const isIn = (await guest.call('GET', '/api/projects/pets')).status === 200;
    assert.equal(isIn, accepted.status === 200);
    const left = (await statesOf(ann)).filter((line) => line.endsWith(' open'));
    assert.deepEqual(left, [], 'none is left open');
    if (isIn) await ann.call('DELETE', `/api/projects/pets/members/${guestId}`);
    await accept(eve, await invite(ann, 'pets', 'eve@example.com', 'owner'));
  }
});

onBothEngines('an invitation created with a token ends with the token', async (t) => {
  let clock = Date.now();
  const service = await startService(t, { signUp: 'open' }, { now: () => clock });
  const { ann } = await twoOwners(service);
  const guest = await service.signUp(GUEST);
  for (const path of ['/api/account/tokens', '/api/projects/pets/tokens']) {
    const { id, token } = await makeToken(ann, 'pets', ['members']);
    const secret = await invite(ann.withToken(token), 'pets', GUEST, 'editor');
    assert.equal((await ann.call('DELETE', `${path}/${id}`)).status, 204);
    await assertClosed(service, secret);
    const late = await guest.call('POST', `/api/invitations/${secret}/accept`);
    await assertError(late, 404, 'not_found');
  }
  const body = { name: 'CI', scopes: ['members'], expiresInDays: 1 };
  const short = await json<{ token: string }>(
    await ann.call('POST', '/api/account/tokens', body),
    201,
  );
  const secret = await invite(ann.withToken(short.token), 'pets', GUEST, 'editor');
  clock += DAY_MS;
  await assertClosed(service, secret);
});

onBothEngines('tokens for a project end with the membership of whose they are', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const { ann, eve, evePath } = await twoOwners(service);
  const here = await makeToken(eve, 'pets');
  const everywhere = await makeToken(eve);
  assert.equal((await ann.call('DELETE', evePath)).status, 204);
  assert.equal((await eve.withToken(here.token).call('GET', '/api/session')).status, 401);
  const bearer = eve.withToken(everywhere.token);
  await assertError(await bearer.call('GET', '/api/projects/pets'), 404, 'not_found');
  // Back again, with what is given now and nothing else.
  await accept(eve, await invite(ann, 'pets', 'eve@example.com', 'viewer'));
  assert.equal((await eve.withToken(here.token).call('GET', '/api/session')).status, 401);
  assert.equal((await bearer.call('GET', '/api/projects/pets')).status, 200);
});
