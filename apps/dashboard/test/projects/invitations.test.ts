import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type {
  Invitation,
  MadeInvitation,
  OpenInvitation,
} from '../../server/src/projects/project.ts';
import { accept, createProject, invite, joinAs } from '../support/project.ts';
import { assertError, json, type Service, startService, type Visitor } from '../support/service.ts';

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

onBothEngines('a link is good once, for the invited address alone', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const body = { email: ' Guest@Example.com', role: 'editor' };
  const { link, ...made } = await json<MadeInvitation>(await root.call('POST', PATH, body), 201);
  assert.deepEqual([made.email, made.state, made.invitedBy], [GUEST, 'open', 'root@example.com']);
  const [, secret = ''] =
    new RegExp(`^${service.origin}/invitations/([\\w-]{43})$`).exec(link) ?? [];
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
      const made = await json<MadeInvitation>(answer, 201);
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
