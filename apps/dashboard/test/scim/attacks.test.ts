import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { PasswordLink } from '../../server/src/accounts/account.ts';
import { NO_PASSWORD } from '../../server/src/accounts/passwords.ts';
import { json, PASSWORD } from '../support/service.ts';
import { makeGroup, makeUser, patch, startDirectory } from './support/directory.ts';

onBothEngines('nobody who takes the userName of another keeps a directory from them', async (t) => {
  const directory = await startDirectory(t);
  const { scim, service } = directory;
  // Sign-in names are often no addresses that mail reaches.
  const userName = 'ann@acme.onmicrosoft.com';
  const emails = [{ value: 'ann.lee@acme.example', primary: true }];
  const stranger = await service.signUp(userName);
  const before = await scim(
    'GET',
    `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`,
  );
  assert.equal(before.body.totalResults, 1, 'as long as nobody else has it');
  await stranger.call('DELETE', '/api/session');
  await service.db.deleteFrom('users').where('email', '=', userName).execute();

  const id = await makeUser(directory, userName, { emails });
  await service.signUp(userName);
  const found = await scim(
    'GET',
    `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`,
  );
  assert.deepEqual(
    found.body.Resources.map((each: { id: string }) => each.id),
    [id],
  );
  const renamed = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'replace', path: 'displayName', value: 'Ann Lee' }),
  );
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
  const whole = { userName, emails, active: true };
  assert.equal((await scim('PUT', `/Users/${id}`, whole)).status, 200);
  const left = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'replace', path: 'active', value: false }),
  );
  assert.equal(left.status, 200, JSON.stringify(left.body));
  assert.equal(left.body.active, false);
});

onBothEngines('whoever leaves is out, whatever they did to their address before', async (t) => {
  const directory = await startDirectory(t);
  const { scim, service, root } = directory;
  const userName = 'ann@acme.example';
  const emails = [{ value: userName, primary: true }];
  const id = await makeUser(directory, userName, { emails });
  const other = await makeUser(directory, 'bob@acme.example');
  // With a session, which a password that the owner's link sets has begun.
  const link = await json<PasswordLink>(
    await root.call('POST', `/api/installation/users/${id}/password-link`),
    201,
  );
  const ann = service.visitor();
  const secret = link.link?.split('#')[1];
  await ann.call('POST', '/api/account-links/password', { secret, password: PASSWORD });
  await json(await ann.call('POST', '/api/session', { email: userName, password: PASSWORD }));
  // She takes another address, and makes an account with the one that her directory knows.
  const change = { email: 'ann@private.example', password: PASSWORD };
  await json(await ann.call('POST', '/api/account/email', change));
  await service.signUp(userName);

  const kept = await scim('PUT', `/Users/${id}`, { userName, emails, active: true });
  assert.equal(kept.status, 409, 'while she is there');
  const left = await scim('PUT', `/Users/${id}`, { userName, emails, active: false });
  assert.equal(left.status, 200, JSON.stringify(left.body));
  assert.equal(left.body.active, false);
  assert.equal((await ann.call('GET', '/api/session')).status, 401);
  // The same where the directory gives the name of somebody else.
  const taken = { userName: 'ANN@acme.example', emails: [{ value: 'ann@private.example' }] };
  const gone = await scim('PUT', `/Users/${other}`, { ...taken, active: false });
  assert.equal(gone.status, 200, JSON.stringify(gone.body));
  assert.deepEqual([gone.body.userName, gone.body.active], ['bob@acme.example', false]);
});

test('no request of a directory holds up everybody else', async (t) => {
  const directory = await startDirectory(t);
  const { scim, service } = directory;
  const ids = Array.from({ length: 10_000 }, (_, at) => `usr_${`${at}`.padStart(16, 'a')}`);
  for (let start = 0; start < ids.length; start += 1_000) {
    const rows = ids.slice(start, start + 1_000).map((id) => ({
      ...{ id, email: `${id}@acme.example`, name: id, password_hash: NO_PASSWORD },
      ...{ role: 'user' as const, created_at: 1 },
    }));
    await service.db.insertInto('users').values(rows).execute();
  }
  const group = await makeGroup(directory, 'Everybody', ids.slice(0, 2_000));
  const send = (operations: readonly object[]) =>
    scim('PATCH', `/Groups/${group}`, patch(...operations));
  // As directories do it: an operation for each person.
  const added = ids
    .slice(2_000, 3_000)
    .map((value) => ({ op: 'Add', path: 'members', value: [{ value }] }));
  assert.equal((await send(added)).body.members.length, 3_000);
  const removed = ids
    .slice(0, 1_000)
    .map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` }));
  const after = await send(removed);
  assert.deepEqual(
    after.body.members.map(({ value }: { value: string }) => value).sort(),
    ids.slice(1_000, 3_000),
  );
  // And as nobody does it.
  const question = Array.from({ length: 400 }, (_, at) => `value co "${at}"`).join(' or ');
  const slow = await send(Array(200).fill({ op: 'remove', path: `members[${question}]` }));
  assert.deepEqual([slow.status, slow.body.scimType], [413, 'tooMany']);
  const names = Array.from({ length: 520 }, (_, at) => `id co "${at}"`).join(' or ');
  const searched = await scim('POST', '/Users/.search', { filter: names });
  assert.deepEqual([searched.status, searched.body.scimType], [400, 'tooMany']);
  const { members } = (await scim('GET', `/Groups/${group}`)).body;
  assert.equal(members.length, 2_000, 'nothing was changed');
});
