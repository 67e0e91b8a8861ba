import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { ApiToken, CreatedToken } from '../../server/src/accounts/account.ts';
import { SCOPE_NAMES } from '../../server/src/accounts/permissions.ts';
import type { Project } from '../../server/src/projects/project.ts';
import { createProject, joinAs, makeToken } from '../support/project.ts';
import { assertError, json, startService, type Visitor } from '../support/service.ts';

const DAY_MS = 86_400_000;

const make = (user: Visitor, body: object) => user.call('POST', '/api/account/tokens', body);
const statusOf = async (visitor: Visitor) => (await visitor.call('GET', '/api/session')).status;

onBothEngines('a token is named, listed without its secret, and revoked at once', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  const { token, ...made } = await makeToken(ann, 'pets');
  assert.match(token, /^dash_[\w-]{43}$/);
  assert.equal(made.project, 'pets');
  const list = async (path: string) =>
    (await json<{ items: ApiToken[] }>(await ann.call('GET', path))).items;
  assert.deepEqual(await list('/api/account/tokens'), [made]);
  assert.deepEqual(await list('/api/projects/pets/tokens'), [made]);

  const bearer = ann.withToken(token);
  assert.equal(await statusOf(bearer), 200);
  assert.notEqual((await list('/api/account/tokens'))[0]?.lastUsedAt, null);
  assert.equal((await ann.call('DELETE', `/api/account/tokens/${made.id}`)).status, 204);
  const refused = await bearer.call('GET', '/api/session');
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
  assert.match(await assertError(refused, 401, 'unauthorized'), /token is not valid/);
  assert.notEqual((await list('/api/account/tokens'))[0]?.revokedAt, null);
  const again = await ann.call('DELETE', `/api/account/tokens/${made.id}`);
  await assertError(again, 404, 'not_found');
});

onBothEngines('a token ends when it expires', async (t) => {
  let clock = Date.now();
  const service = await startService(t, {}, { now: () => clock });
  const ann = await service.signUp('ann@example.com');
  const { token } = await json<CreatedToken>(
    await make(ann, { name: 'CI', expiresInDays: 2 }),
    201,
  );
  const bearer = ann.withToken(token);
  clock += 2 * DAY_MS - 1;
  assert.equal(await statusOf(bearer), 200);
  clock += 1;
  assert.equal(await statusOf(bearer), 401);
});

onBothEngines('a token for a project reaches that one alone', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  await createProject(ann, 'other');
  const bearer = ann.withToken((await makeToken(ann, 'pets')).token);
  const list = await json<{ items: Project[] }>(await bearer.call('GET', '/api/projects'));
  assert.deepEqual(
    list.items.map(({ slug }) => slug),
    ['pets'],
  );
  await assertError(await bearer.call('GET', '/api/projects/other'), 404, 'not_found');
});

onBothEngines('what no token can be is refused, and never becomes a wider one', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'roots');
  await createProject(root, 'hidden');
  const ann = await joinAs(service, root, 'roots', 'ann@example.com', 'viewer');
  for (const project of ['', 'hidden', 'none', '-', 'a\0b']) {
    const answer = await make(ann, { name: 'CI', project });
    assert.match(await assertError(answer, 404, 'not_found'), /no such project/, project);
  }
  for (const wrong of [
    { name: '' },
    { name: 'a\0' },
    { expiresInDays: 0 },
    { expiresInDays: 1.5 },
  ]) {
    await assertError(await make(ann, { name: 'CI', ...wrong }), 400, 'invalid_request');
  }
  assert.deepEqual(await service.db.selectFrom('api_tokens').select('id').execute(), []);
});

onBothEngines('a token has the scopes that it was made with, and reads', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const ann = await joinAs(service, root, 'pets', 'ann@example.com', 'owner');
  const scopesOf = async (answer: Response) => (await json<CreatedToken>(answer, 201)).scopes;
  assert.deepEqual(await scopesOf(await make(ann, { name: 'CI' })), ['read', 'deploy']);
  const path = '/api/projects/pets/tokens';
  const ofProject = await ann.call('POST', path, { name: 'CI' });
  assert.deepEqual(await scopesOf(ofProject), ['read', 'deploy']);
  const some = await make(ann, { name: 'CI', scopes: ['domains', 'deploy', 'domains'] });
  assert.deepEqual(await scopesOf(some), ['read', 'deploy', 'domains']);
  assert.deepEqual(await scopesOf(await make(ann, { name: 'CI', scopes: [] })), ['read']);
  const { items } = await json<{ items: ApiToken[] }>(await ann.call('GET', '/api/account/tokens'));
  assert.deepEqual(items.map(({ scopes }) => scopes.join(' ')).sort(), [
    'read',
    'read deploy',
    'read deploy',
    'read deploy domains',
  ]);
  for (const scopes of [['god'], ['READ'], 'deploy', [null], ['read deploy']]) {
    const message = await assertError(
      await make(ann, { name: 'CI', scopes }),
      400,
      'invalid_request',
    );
    assert.match(message, /scopes/);
  }
  const above = { name: 'CI', scopes: ['installation'] };
  for (const answer of [
    await make(ann, above),
    await make(root, { ...above, project: 'pets' }),
    await root.call('POST', path, above),
  ]) {
    assert.match(await assertError(answer, 400, 'invalid_request'), /installation's owner/);
  }
  // What a caller may do here is told with their token's bounds.
  const bearer = ann.withToken((await makeToken(ann, 'pets')).token);
  const { you } = await json<Project>(await bearer.call('GET', '/api/projects/pets'));
  assert.equal(you.role, 'owner');
  assert.deepEqual(
    you.can.filter((permission) => !permission.endsWith('.read')),
    ['deploy.create', 'deploy.activate', 'deploy.confirm', 'repository.check'],
  );
});

test('a token makes no tokens and changes no account', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  const scopes = SCOPE_NAMES;
  const bearer = ann.withToken((await makeToken(ann, undefined, scopes)).token);
  const change = { current: 'any', next: 'a new password' };
  for (const answer of [
    await make(bearer, { name: 'more' }),
    await bearer.call('POST', '/api/projects/pets/tokens', { name: 'more' }),
    await bearer.call('POST', '/api/account/password', change),
    await bearer.call('PATCH', '/api/account', { name: 'Eve' }),
  ]) {
    assert.match(await assertError(answer, 403, 'forbidden'), /API token cannot do this/);
  }
});

onBothEngines("nobody revokes another's token, except an owner that of a project", async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const ann = await joinAs(service, root, 'pets', 'ann@example.com', 'editor');
  const whole = await makeToken(ann);
  const scoped = await makeToken(ann, 'pets');
  for (const path of [
    `/api/account/tokens/${whole.id}`,
    `/api/account/tokens/${scoped.id}`,
    `/api/projects/pets/tokens/${whole.id}`,
  ]) {
    await assertError(await root.call('DELETE', path), 404, 'not_found');
  }
  const revoked = await root.call('DELETE', `/api/projects/pets/tokens/${scoped.id}`);
  assert.equal(revoked.status, 204);
  assert.equal(await statusOf(ann.withToken(scoped.token)), 401);
  assert.equal(await statusOf(ann.withToken(whole.token)), 200);
});

test('an Authorization header that is no good token is a 401, cookie or not', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp('ann@example.com');
  const { token } = await makeToken(ann);
  for (const authorization of ['', 'Bearer', `Basic ${token}`, `Bearer ${token}x`, token]) {
    const answer = await ann.call('GET', '/api/session', undefined, { authorization });
    await assertError(answer, 401, 'unauthorized');
  }
  const lowerCase = { authorization: `bearer ${token}` };
  await json(await service.visitor().call('GET', '/api/session', undefined, lowerCase));
});
