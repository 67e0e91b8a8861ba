import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyPort } from '@petstore/lab/ports.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import type { Session, User } from '../../server/src/accounts/account.ts';
import type { AuthenticatorAppDraft } from '../../server/src/accounts/factors/factor.ts';
import { createProject, makeToken } from '../support/project.ts';
import {
  assertError,
  json,
  PASSWORD,
  type Service,
  startService,
  type Visitor,
  visitorOf,
} from '../support/service.ts';
import { lockWaits, UP_TO_DATE } from '../support/store.ts';
import { codeOf } from './support/factors.ts';

const DAY_MS = 86_400_000;
const EMAIL = 'ann@example.com';

function signIn(visitor: Visitor, headers = {}, password = PASSWORD): Promise<Response> {
  return visitor.call('POST', '/api/session', { email: EMAIL, password }, headers);
}

async function signedIn(service: Service, headers = {}): Promise<Visitor> {
  const visitor = service.visitor();
  await json(await signIn(visitor, headers));
  return visitor;
}

const statusOf = async (visitor: Visitor) => (await visitor.call('GET', '/api/session')).status;

async function sessionsOf(visitor: Visitor): Promise<Session[]> {
  const answer = await visitor.call('GET', '/api/account/sessions');
  return (await json<{ items: Session[] }>(answer)).items;
}

onBothEngines('sessions are listed, and each can be ended', async (t) => {
  const service = await startService(t);
  const here = await service.signUp(EMAIL);
  const phone = await signedIn(service, { 'user-agent': `Phone ${'x'.repeat(400)}` });
  const tablet = await signedIn(service, { 'user-agent': 'Tablet' });
  const sessions = await sessionsOf(here);
  assert.equal(sessions.filter(({ isCurrent }) => isCurrent).length, 1);
  assert.ok(sessions.every(({ ip }) => ip === '127.0.0.1'));
  const found = sessions.find(({ userAgent }) => userAgent.startsWith('Phone'));
  assert.equal(found?.userAgent.length, 300);

  const ended = await here.call('DELETE', `/api/account/sessions/${found?.id}`);
  assert.equal(ended.status, 204);
  assert.deepEqual([await statusOf(phone), await statusOf(tablet)], [401, 200]);
  const again = await here.call('DELETE', `/api/account/sessions/${found?.id}`);
  await assertError(again, 404, 'not_found');
  assert.equal((await here.call('DELETE', '/api/account/sessions')).status, 204);
  assert.deepEqual([await statusOf(here), await statusOf(tablet)], [200, 401]);
  assert.equal((await sessionsOf(here)).length, 1);
});

onBothEngines("nobody ends another user's session", async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const ann = await service.signUp(EMAIL);
  const bob = await service.signUp('bob@example.com');
  const [session] = await sessionsOf(ann);
  const answer = await bob.call('DELETE', `/api/account/sessions/${session?.id}`);
  await assertError(answer, 404, 'not_found');
  assert.equal(await statusOf(ann), 200);
});

onBothEngines('signing out ends the session and takes the cookie back', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp(EMAIL);
  const answer = await signIn(service.visitor());
  const [cookie = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';');
  const headers = { cookie, origin: service.origin };
  const out = await fetch(`${service.origin}/api/session`, { method: 'DELETE', headers });
  assert.equal(out.status, 204);
  assert.match(
    out.headers.getSetCookie()[0] ?? '',
    /^dashboard_session=;.*Expires=Thu, 01 Jan 1970/,
  );
  // Whoever copied the cookie has nothing either.
  assert.equal((await fetch(`${service.origin}/api/session`, { headers })).status, 401);
  assert.equal(await statusOf(ann), 200);
});

test('the cookie is for this host, HTTP and this site alone', async (t) => {
  const service = await startService(t, { trustedProxies: ['127.0.0.1'] });
  await service.signUp(EMAIL);
  const plain = await signIn(service.visitor());
  const attributes = 'Max-Age=5184000; Path=/; HttpOnly';
  const [set = ''] = plain.headers.getSetCookie();
  assert.match(set, new RegExp(`^dashboard_session=[\\w-]{43}; ${attributes}; SameSite=Lax$`));
  const overTls = { 'x-forwarded-proto': 'https' };
  const visitor = service.visitor();
  const secure = await signIn(visitor, overTls);
  const [secureSet = ''] = secure.headers.getSetCookie();
  assert.match(
    secureSet,
    new RegExp(`^__Host-dashboard_session=[\\w-]{43}; ${attributes}; Secure; SameSite=Lax$`),
  );
  assert.equal((await visitor.call('GET', '/api/session', undefined, overTls)).status, 200);
  // Without TLS nobody is asked for the other cookie: a page of another site may have set it.
  assert.equal(await statusOf(visitor), 401);
});

test('the cookie is for this very host where TLS ends at a proxy that says nothing of it', async (t) => {
  const publicUrl = 'https://dashboard.example.test';
  const port = await anyPort([]);
  await startService(t, { publicUrl, port });
  const own = { origin: publicUrl };
  const visitor = visitorOf(`http://127.0.0.1:${port}`);
  const account = { email: EMAIL, password: PASSWORD, name: 'Ann' };
  assert.equal((await visitor.call('POST', '/api/sign-up', account, own)).status, 202);
  const [set = ''] = (await signIn(visitor, own)).headers.getSetCookie();
  assert.match(
    set,
    /^__Host-dashboard_session=[\w-]{43}; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.equal(await statusOf(visitor), 200);
  // The name that any site beside this one can set is not looked at.
  const secret = set.replace(/^[^=]*=|;.*$/g, '');
  const cookie = `dashboard_session=${secret}`;
  const plain = visitorOf(`http://127.0.0.1:${port}`);
  const answer = await plain.call('GET', '/api/session', undefined, { cookie });
  await assertError(answer, 401, 'unauthorized');
  const out = await visitor.call('DELETE', '/api/session', undefined, own);
  assert.match(
    out.headers.getSetCookie()[0] ?? '',
    /^__Host-dashboard_session=; .*Path=\/; Expires=Thu, 01 Jan 1970.*Secure/,
  );
});

test('of two cookies of one name neither is taken', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const cookieOf = async (email: string) => {
    await service.signUp(email);
    const answer = await service
      .visitor()
      .call('POST', '/api/session', { email, password: PASSWORD });
    return (answer.headers.getSetCookie()[0] ?? '').replace(/;.*$/, '');
  };
  const own = await cookieOf(EMAIL);
  const planted = await cookieOf('eve@example.com');
  const read = (cookie: string) =>
    service.visitor().call('GET', '/api/session', undefined, { cookie });
  for (const cookie of [
    `${planted}; ${own}`,
    `${own}; ${planted}`,
    `${own}; ${own}`,
    `${own};\t${planted} `,
    `${own}; dashboard_session=`,
  ]) {
    const message = await assertError(await read(cookie), 401, 'unauthorized');
    assert.match(message, /two cookies named dashboard_session/);
  }
  // Names that only look like it are others.
  for (const cookie of [
    `theme=dark; ${own}`,
    `Dashboard_Session=x; ${own}`,
    `=dashboard_session=x; ${own}`,
    `__Host-dashboard_session=x; ${own}`,
  ]) {
    assert.equal((await json<User>(await read(cookie))).email, EMAIL);
  }
});

test('only trusted proxies are believed', async (t) => {
  const service = await startService(t);
  await service.signUp(EMAIL);
  const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '6.6.6.6' };
  const answer = await signIn(service.visitor(), forged);
  assert.doesNotMatch(answer.headers.getSetCookie()[0] ?? '', /Secure/);
  const rows = await service.db.selectFrom('sessions').select('ip').execute();
  assert.deepEqual(new Set(rows.map(({ ip }) => ip)), new Set(['127.0.0.1']));
});

onBothEngines('a session ends two weeks after its last use, and after 60 days', async (t) => {
  let clock = Date.now();
  const service = await startService(t, {}, { now: () => clock });
  const idle = await service.signUp(EMAIL);
  const used = await signedIn(service);
  clock += 14 * DAY_MS - 1;
  assert.equal(await statusOf(used), 200);
  clock += 1;
  assert.deepEqual([await statusOf(idle), await statusOf(used)], [401, 200]);
  for (let day = 14; day < 59; day += 9) {
    assert.equal(await statusOf(used), 200);
    clock += 9 * DAY_MS;
  }
  clock += DAY_MS - 1;
  assert.equal(await statusOf(used), 200);
  clock += 1;
  assert.equal(await statusOf(used), 401, 'sixty days are over');
});

onBothEngines('a new password ends the other sessions and needs the current one', async (t) => {
  const service = await startService(t);
  const here = await service.signUp(EMAIL);
  const there = await signedIn(service);
  const change = (current: string, next: string) =>
    here.call('POST', '/api/account/password', { current, next });
  assert.match(
    await assertError(await change('wrong', 'a new password'), 403, 'forbidden'),
    /current password is wrong/,
  );
  await assertError(await change(PASSWORD, 'short'), 400, 'invalid_request');
  assert.equal(await statusOf(there), 200);
  assert.equal((await change(PASSWORD, 'a new password')).status, 204);
  assert.deepEqual([await statusOf(here), await statusOf(there)], [200, 401]);
  await assertError(await signIn(service.visitor()), 401, 'unauthorized');
  await json(await signIn(service.visitor(), {}, 'a new password'));
});

onBothEngines('a new password leaves API tokens as they are, or ends them all', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const ann = await service.signUp(EMAIL);
  const bob = await service.signUp('bob@example.com');
  await createProject(ann, 'pets');
  const tokens = [await makeToken(ann), await makeToken(ann, 'pets'), await makeToken(bob)];
  const statuses = () =>
    Promise.all(tokens.map(({ token }) => statusOf(service.visitor().withToken(token))));
  const change = (more: object) =>
    ann.call('POST', '/api/account/password', { current: PASSWORD, next: PASSWORD, ...more });
  assert.equal((await change({})).status, 204);
  assert.equal((await change({ revokeTokens: false })).status, 204);
  assert.deepEqual(await statuses(), [200, 200, 200]);
  await assertError(await change({ revokeTokens: true, current: 'wrong' }), 403, 'forbidden');
  assert.deepEqual(await statuses(), [200, 200, 200]);
  assert.equal((await change({ revokeTokens: true })).status, 204);
  assert.deepEqual(await statuses(), [401, 401, 200], 'hers end, and nobody else’s');
  assert.equal(await statusOf(ann), 200);
});

test('tries of the current password are limited as sign-ins are', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp(EMAIL);
  const statuses = [];
  for (let at = 0; at < 11; at++) {
    const body = { current: `wrong ${at}`, next: 'a new password' };
    statuses.push((await ann.call('POST', '/api/account/password', body)).status);
  }
  assert.deepEqual(statuses, [...Array(10).fill(403), 429]);
});

async function setApp(late: Visitor): Promise<Response> {
  const app = '/api/account/authenticator-app';
  const drafted = await late.call('POST', `${app}/draft`);
  const { secret, draft } = await json<AuthenticatorAppDraft>(drafted);
  return late.call('PUT', app, { draft, code: codeOf(secret, Date.now()) });
}

for (const [what, ask] of [
  ['sign-in', (late: Visitor) => signIn(late)],
  ['API token', (late: Visitor) => late.call('POST', '/api/account/tokens', { name: 'CI' })],
  [
    'project token',
    (late: Visitor) => late.call('POST', '/api/projects/pets/tokens', { name: 'CI' }),
  ],
  [
    'password',
    (late: Visitor) =>
      late.call('POST', '/api/account/password', { current: PASSWORD, next: 'a new password' }),
  ],
  [
    'address',
    (late: Visitor) =>
      late.call('POST', '/api/account/email', { email: 'eve@example.com', password: PASSWORD }),
  ],
  [
    'claim to a first account',
    (late: Visitor) =>
      late.call('POST', '/api/account/claim', {
        ...{ email: 'eve@example.com', name: 'Eve', password: 'a new password' },
      }),
  ],
  ['authenticator app', setApp],
  ['recovery code', (late: Visitor) => late.call('POST', '/api/account/recovery-codes')],
] as const) {
  test(`no ${what} by the old password outlives its change [PostgreSQL]`, async (t) => {
    const databaseUrl = await (await sharedServer()).copyDatabase(UP_TO_DATE);
    const service = await startService(t, { databaseUrl });
    const late = await service.signUp(EMAIL);
    await createProject(late, 'pets');
    const change = await service.db.transaction().execute(async (trx) => {
      await trx.updateTable('users').set({ password_hash: 'another', is_provisional: 1 }).execute();
      await trx.deleteFrom('sessions').execute();
      // It finds the old password and its session right, and the new one stored when it does what it came for.
      const begun = ask(late);
      await lockWaits(service.db);
      return { begun };
    });
    await assertError(await change.begun, 401, 'unauthorized');
    assert.equal(await statusOf(late), 401);
    assert.deepEqual(await service.db.selectFrom('api_tokens').selectAll().execute(), []);
    assert.deepEqual(await service.db.selectFrom('authenticator_apps').selectAll().execute(), []);
    const users = service.db.selectFrom('users').select(['email', 'password_hash']);
    assert.deepEqual(await users.execute(), [{ email: EMAIL, password_hash: 'another' }]);
  });
}

onBothEngines('of tokens that are made while a new password ends them none is left', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp(EMAIL);
  const other = await signedIn(service);
  const underWay = Promise.withResolvers<void>();
  const makeUntilRefused = async () => {
    while ((await other.call('POST', '/api/account/tokens', { name: 'CI' })).status === 201) {
      underWay.resolve();
    }
  };
  const making = Array.from({ length: 30 }, makeUntilRefused);
  await underWay.promise;
  const body = { current: PASSWORD, next: 'a new password', revokeTokens: true };
  assert.equal((await ann.call('POST', '/api/account/password', body)).status, 204);
  await Promise.all(making);
  const tokens = await service.db.selectFrom('api_tokens').select('revoked_at').execute();
  assert.ok(tokens.length > 0);
  assert.ok(tokens.every(({ revoked_at }) => revoked_at !== null));
});

test('a user can change their name', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp(EMAIL);
  const renamed = await json<User>(await ann.call('PATCH', '/api/account', { name: ' Ann B. ' }));
  assert.equal(renamed.name, 'Ann B.');
  assert.deepEqual(await json(await ann.call('GET', '/api/session')), renamed);
});
