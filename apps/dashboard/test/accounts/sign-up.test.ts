import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Installation, User } from '../../server/src/accounts/account.ts';
import { createProject, invite } from '../support/project.ts';
import { assertError, json, PASSWORD, type Service, startService } from '../support/service.ts';

const account = (email: string, more = {}) => ({ email, password: PASSWORD, name: 'Ann', ...more });

async function modeOf(service: Service): Promise<string> {
  const answer = await service.visitor().call('GET', '/api/installation');
  return (await json<Installation>(answer)).signUp;
}

onBothEngines('of ten who sign up first at the same time, one owns the installation', async (t) => {
  const service = await startService(t);
  assert.equal(await modeOf(service), 'first');
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      service.visitor().call('POST', '/api/sign-up', account(`user${at}@example.com`)),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [202, ...Array(9).fill(403)]);
  const users = await service.db.selectFrom('users').select('role').execute();
  assert.deepEqual(
    users.map(({ role }) => role),
    ['owner'],
  );
  assert.equal(await modeOf(service), 'invitation');
});

onBothEngines(
  'where sign-up is open, those who come second at the same time have an account too',
  async (t) => {
    const service = await startService(t, { signUp: 'open' });
    const emails = Array.from({ length: 5 }, (_, at) => `user${at}@example.com`);
    const users = await Promise.all(emails.map((email) => service.signUp(email)));
    const who = await Promise.all(
      users.map(async (user) => json<User>(await user.call('GET', '/api/session'))),
    );
    assert.deepEqual(who.map(({ email }) => email).sort(), emails);
    assert.equal(who.filter(({ isInstallationOwner }) => isInstallationOwner).length, 1);
    assert.equal(await modeOf(service), 'open');
  },
);

onBothEngines('by invitation, the invited address alone can sign up', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const invitation = await invite(root, 'pets', 'guest@example.com');
  const tries: [object, RegExp][] = [
    [account('guest@example.com'), /by invitation/],
    [account('guest@example.com', { invitation: 'wrong' }), /was used, was revoked, or has exp/],
    [account('other@example.com', { invitation }), /is for guest@example\.com/],
  ];
  for (const [body, why] of tries) {
    const answer = await service.visitor().call('POST', '/api/sign-up', body);
    assert.match(await assertError(answer, 403, 'forbidden'), why);
  }
  await service.signUp('Guest@Example.com ', invitation);
});

onBothEngines('signing up with an address that has an account changes nothing', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  await service.signUp('ann@example.com');
  const someone = service.visitor();
  const other = account(' ANN@example.com', { password: 'another password' });
  const [again, fresh] = [
    await someone.call('POST', '/api/sign-up', other),
    await someone.call('POST', '/api/sign-up', account('new@example.com')),
  ];
  assert.deepEqual([again.status, await again.text()], [fresh.status, await fresh.text()]);
  assert.deepEqual(namesOf(again), namesOf(fresh));
  await assertError(await someone.call('POST', '/api/session', other), 401, 'unauthorized');
  const { length } = await service.db.selectFrom('users').select('id').execute();
  assert.equal(length, 2);
});

const namesOf = ({ headers }: Response) => [...headers.keys()].sort();

test('what an account cannot be is refused with the reason', async (t) => {
  const service = await startService(t);
  const someone = service.visitor();
  const table: [object, RegExp][] = [
    [{ password: 'x'.repeat(9) }, /password must be 10 to 200 characters long; it has 9/],
    [{ password: 'x'.repeat(201) }, /password must be 10 to 200 characters long; it has 201/],
    [{ password: 1_234_567_890 }, /password must be text/],
    [{ email: 'ann' }, /email must be an e-mail address/],
    [{ email: 'ann @example.com' }, /email must be an e-mail address/],
    [{ email: 'ann\0@example.com' }, /email must be an e-mail address/],
    [{ email: `${'a'.repeat(250)}@b.c` }, /email must be/],
    [{ name: '   ' }, /name must be 1 to 100 characters long/],
    [{ name: 'a\u0000b' }, /name must be 1 to 100 .* without control characters/],
    [{ name: 'a\ud800b' }, /without control characters/],
    [{ name: 'a\u202eb' }, /without control characters/],
    [{ name: 'n'.repeat(101) }, /name must be at most 100/],
    [{ name: undefined }, /name is required/],
  ];
  for (const [wrong, why] of table) {
    const body = account('ann@example.com', wrong);
    const answer = await someone.call('POST', '/api/sign-up', body);
    assert.match(await assertError(answer, 400, 'invalid_request'), why);
  }
  // Ten emoji are ten characters; joiners are part of names.
  const odd = account('ann@example.com', {
    password: '🐈🐕🐎🐄🐖'.repeat(2),
    name: '👩‍🚀 می‌خواهم',
  });
  await json(await someone.call('POST', '/api/sign-up', odd), 202);
});

test('sign-ups from one address are limited', async (t) => {
  const service = await startService(t);
  await service.signUp('root@example.com');
  const statuses = [];
  for (let at = 0; at < 20; at++) {
    const body = account(`user${at}@example.com`);
    statuses.push((await service.visitor().call('POST', '/api/sign-up', body)).status);
  }
  assert.deepEqual(statuses, [...Array(19).fill(403), 429]);
});
