import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Member, Project } from '../../server/src/projects/project.ts';
import { accept, createProject, idOf, invite, joinAs, setPlan } from '../support/project.ts';
import { assertError, json, startService, type Visitor } from '../support/service.ts';

async function rolesOf(who: Visitor): Promise<string[]> {
  const answer = await who.call('GET', '/api/projects/pets/members');
  const { items } = await json<{ items: Member[] }>(answer);
  return items.map(({ email, role }) => `${email.replace('@example.com', '')} ${role}`);
}

const giveRole = (who: Visitor, userId: string, role: string) =>
  who.call('PATCH', `/api/projects/pets/members/${userId}`, { role });
const remove = (who: Visitor, userId: string) =>
  who.call('DELETE', `/api/projects/pets/members/${userId}`);

onBothEngines('an owner changes roles and removes members, with effect at once', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const ann = await joinAs(service, root, 'pets', 'ann@example.com', 'viewer');
  const bob = await joinAs(service, root, 'pets', 'bob@example.com', 'editor');
  assert.deepEqual(await rolesOf(ann), ['root owner', 'ann viewer', 'bob editor']);
  const [annId, bobId] = [await idOf(ann), await idOf(bob)];

  const changed = await json<Member>(await giveRole(root, annId, 'owner'));
  assert.deepEqual([changed.role, changed.isYou], ['owner', false]);
  const seen = await json<Project>(await ann.call('GET', '/api/projects/pets'));
  assert.ok(seen.you.role === 'owner' && seen.you.can.includes('member.write'));
  assert.equal((await remove(ann, bobId)).status, 204);
  await assertError(await bob.call('GET', '/api/projects/pets'), 404, 'not_found');
  await assertError(await remove(ann, bobId), 404, 'not_found');
  await assertError(await giveRole(ann, bobId, 'viewer'), 404, 'not_found');
  const wrong = await giveRole(ann, annId, 'god');
  assert.match(
    await assertError(wrong, 400, 'invalid_request'),
    /role must be one of owner, editor, viewer/,
  );
});

onBothEngines('every member may leave, and take nobody along', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const ann = await joinAs(service, root, 'pets', 'ann@example.com', 'viewer');
  const bob = await joinAs(service, root, 'pets', 'bob@example.com', 'editor');
  await assertError(await remove(bob, await idOf(ann)), 403, 'forbidden');
  await assertError(await giveRole(bob, await idOf(bob), 'owner'), 403, 'forbidden');
  assert.equal((await remove(ann, await idOf(ann))).status, 204);
  assert.equal((await remove(bob, await idOf(bob))).status, 204);
  assert.deepEqual(await rolesOf(root), ['root owner']);
});

onBothEngines('the last owner stays, also when two demote each other at once', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'roots');
  const ann = await joinAs(service, root, 'roots', 'ann@example.com', 'viewer');
  await createProject(ann, 'pets');
  const annId = await idOf(ann);
  for (const answer of [
    await giveRole(ann, annId, 'viewer'),
    await remove(ann, annId),
    // Above all roles, and still not without an owner.
    await giveRole(root, annId, 'editor'),
    await remove(root, annId),
  ]) {
    assert.match(await assertError(answer, 409, 'conflict'), /needs an owner/);
  }
  await json(await giveRole(ann, annId, 'owner'));

  const bob = await joinAs(service, ann, 'pets', 'bob@example.com', 'owner');
  const bobId = await idOf(bob);
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all([
      giveRole(ann, bobId, 'viewer'),
      giveRole(bob, annId, 'viewer'),
    ]);
    assert.deepEqual(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await rolesOf(root)).filter((line) => line.endsWith('owner')).length, 1);
    for (const id of [annId, bobId]) await json(await giveRole(root, id, 'owner'));
  }
});

onBothEngines("a plan's bound on members counts open invitations", async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const path = '/api/projects/pets/invitations';
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const body = { email: `guest${at}@example.com`, role: 'viewer' };
      const { status } = await root.call('POST', path, body);
      return status;
    }),
  );
  assert.deepEqual(statuses.sort(), [201, 201, ...Array(6).fill(409)]);
  const full = await root.call('POST', path, { email: 'more@example.com', role: 'viewer' });
  assert.match(await assertError(full, 409, 'conflict'), /The free plan allows 3 members/);
  await setPlan(root, 'pets', 'pro');
  await invite(root, 'pets', 'more@example.com');
});

onBothEngines(
  'of ten who accept at the same time, as many as the plan allows are in',
  async (t) => {
    const service = await startService(t, { signUp: 'open' });
    const root = await service.signUp('root@example.com');
    await createProject(root, 'pets');
    await setPlan(root, 'pets', 'pro');
    const emails = Array.from({ length: 10 }, (_, at) => `guest${at}@example.com`);
    const guests = await Promise.all(emails.map((email) => service.signUp(email)));
    const secrets = await Promise.all(emails.map((email) => invite(root, 'pets', email)));
    await setPlan(root, 'pets', 'free');
    const answers = await Promise.all(
      guests.map((guest, at) => guest.call('POST', `/api/invitations/${secrets[at]}/accept`)),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(200), count(409)], [2, 8]);
    assert.equal((await rolesOf(root)).length, 3);
    // Who found no room can accept once there is some.
    await setPlan(root, 'pets', 'pro');
    const left = answers.findIndex(({ status }) => status === 409);
    await accept(guests[left] as Visitor, secrets[left] ?? '');
  },
);
