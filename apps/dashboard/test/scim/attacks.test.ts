import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { makeUser, patch, startDirectory } from './support/directory.ts';

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
