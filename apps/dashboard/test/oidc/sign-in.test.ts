import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { sql } from 'kysely';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Identity, SignedOut, SignInProvider } from '../../server/src/oidc/sign-in.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { addApp } from '../accounts/support/factors.ts';
import { invite } from '../support/project.ts';
import { assertError, json, PASSWORD, type Service, startService } from '../support/service.ts';
import { startHostileProvider } from './support/hostile-provider.ts';
import { testBrowser } from './support/test-browser.ts';
import { CLIENT, providerConfig, startTestProvider } from './support/test-provider.ts';

const OWNER = 'owner@example.com';

const problemIn = (path: string) => new URLSearchParams(path.split('?')[1]).get('problem');

async function auditOf(service: Service): Promise<string[]> {
  const owner = service.visitor();
  await owner.call('POST', '/api/session', { email: OWNER, password: PASSWORD });
  const page = await json<Page<AuditEntry>>(await owner.call('GET', '/api/audit?limit=100'));
  return page.items.map(({ action, actor, target }) => `${action} ${target} by ${actor}`).reverse();
}

onBothEngines('whoever an allowed domain has gets an account at the first sign-in', async (t) => {
  const provider = await startTestProvider(t);
  const service = await startService(t, {
    oidc: [
      provider.config({
        emailDomains: ['acme.example'],
        groupsClaim: 'groups',
        scopes: 'openid email profile groups',
      }),
    ],
  });
  const { origin } = service;
  provider.register(origin);
  provider.people.set('ann', {
    email: 'Ann@acme.example',
    email_verified: true,
    name: 'Ann A.',
    groups: ['Editors', 'unknown'],
  });
  provider.who = 'ann';
  // The first account owns the installation, and no provider makes that.
  assert.equal(problemIn(await testBrowser().signIn(origin)), 'no_owner_yet');
  await service.signUp(OWNER);
  await service.db
    .insertInto('groups')
    .values({
      id: 'grp_1',
      name: 'editors',
      name_key: 'editors',
      external_id: null,
      source: 'local',
      created_at: 0,
      updated_at: 0,
    })
    .execute();
  const members = async () =>
    (await service.db.selectFrom('group_members').select('source').execute()).map(
      ({ source }) => source,
    );

  const browser = testBrowser();
  assert.equal(await browser.signIn(origin, 'acme', '/new?x=1#y'), '/new?x=1');
  assert.equal(await browser.who(origin), 'ann@acme.example');
  const me = await json<{ name: string }>(await browser.call(origin, 'GET', '/api/session'));
  assert.equal(me.name, 'Ann A.');
  assert.deepEqual(await members(), ['oidc:acme']);
  // No cookie of the flow is left.
  assert.deepEqual([...browser.cookies(origin).keys()], ['dashboard_session']);

  // The next time it is the same account, with the groups of now.
  provider.people.set('ann', { email: 'ann@acme.example', email_verified: true, groups: [] });
  assert.equal(await testBrowser().signIn(origin), '/');
  assert.deepEqual(await members(), []);
  const users = await service.db.selectFrom('users').selectAll().orderBy('created_at').execute();
  assert.deepEqual(
    users.map(({ email }) => email),
    [OWNER, 'ann@acme.example'],
  );
  // No password opens it.
  const guess = await service
    .visitor()
    .call('POST', '/api/session', { email: 'ann@acme.example', password: '!' });
  await assertError(guess, 401, 'unauthorized');
  assert.deepEqual((await auditOf(service)).slice(2, -1), [
    'account.create ann@acme.example by ann@acme.example',
    'identity.link ann@acme.example by ann@acme.example',
    'group.members editors by ann@acme.example',
    'session.begin ann@acme.example by ann@acme.example',
    'group.members editors by ann@acme.example',
    'session.begin ann@acme.example by ann@acme.example',
  ]);

  // Whoever says no there, and whoever is disabled here.
  provider.who = null;
  assert.equal(
    await testBrowser().signIn(origin, 'acme', '/new'),
    '/sign-in?problem=denied&provider=acme&next=%2Fnew',
  );
  provider.who = 'ann';
  await service.db
    .updateTable('users')
    .set({ disabled_at: 1 })
    .where('email', '=', 'ann@acme.example')
    .execute();
  assert.equal(problemIn(await testBrowser().signIn(origin)), 'disabled');
});

onBothEngines(
  'an account with a password is linked by that password, or by its owner',
  async (t) => {
    const provider = await startTestProvider(t);
    const service = await startService(t, { oidc: [provider.config()] });
    const { origin } = service;
    provider.register(origin);
    const owner = await service.signUp(OWNER);
    provider.people.set('o', { email: OWNER, email_verified: true });
    provider.who = 'o';

    const browser = testBrowser();
    const link = (password: string) =>
      browser.call(origin, 'POST', '/api/oidc/pending-link', { password });
    await assertError(await link(PASSWORD), 404, 'not_found');
    assert.equal(await browser.signIn(origin, 'acme', '/new'), '/sign-in/link-account');
    assert.equal(await browser.who(origin), null);
    const open = await json(await browser.call(origin, 'GET', '/api/oidc/pending-link'));
    assert.deepEqual(open, { provider: 'Acme', email: OWNER });
    await assertError(await link('wrong password'), 401, 'unauthorized');
    assert.equal(await browser.who(origin), null);
    // Afterwards the browser signs in with the provider, and comes to where it was going.
    const { url } = await json<{ url: string }>(await link(PASSWORD));
    const { url: end } = await browser.open(url);
    assert.equal(end.pathname, '/new');
    assert.equal(await browser.who(origin), OWNER);
    await assertError(await link(PASSWORD), 404, 'not_found');

    // Unlinked: not in the session that began with it, but in another one.
    const list = async () =>
      json<Page<Identity>>(await owner.call('GET', '/api/account/identities'));
    const [identity] = (await list()).items;
    assert.equal(identity?.providerName, 'Acme');
    const path = `/api/account/identities/${identity?.id}`;
    assert.match(
      await assertError(await browser.call(origin, 'DELETE', path), 409, 'conflict'),
      /You are signed in with this one/,
    );
    assert.equal((await owner.call('DELETE', path)).status, 204);
    assert.equal(await browser.who(origin), null, 'the sessions that began with it have ended');
    assert.deepEqual((await list()).items, []);

    // Linked by whoever is signed in: in this browser, in this session, and to nobody else.
    const linking = testBrowser();
    await linking.call(origin, 'POST', '/api/session', { email: OWNER, password: PASSWORD });
    const start = async (of: typeof linking) =>
      (
        await json<{ url: string }>(
          await of.call(origin, 'POST', '/api/account/identities/acme/start'),
        )
      ).url;
    provider.people.set('other', { email: 'somebody@else.example', email_verified: false });
    provider.who = 'other';
    const begun = await start(linking);
    await linking.call(origin, 'DELETE', '/api/session');
    assert.equal((await linking.open(begun)).url.search, '?problem=signed_out&provider=acme');
    await linking.call(origin, 'POST', '/api/session', { email: OWNER, password: PASSWORD });
    const linked = await linking.open(await start(linking));
    assert.equal(linked.url.pathname + linked.url.search, '/account/security?linked=acme');
    assert.equal(await testBrowser().signIn(origin), '/');
    const guest = testBrowser();
    await service.signUp('guest@example.com', await invited(service, owner, 'guest@example.com'));
    await guest.call(origin, 'POST', '/api/session', {
      email: 'guest@example.com',
      password: PASSWORD,
    });
    assert.equal(
      (await guest.open(await start(guest))).url.search,
      '?problem=identity_taken&provider=acme',
    );
    const actions = (await auditOf(service)).filter((entry) => entry.startsWith('identity.'));
    assert.deepEqual(actions, [
      `identity.link ${OWNER} by ${OWNER}`,
      `identity.unlink ${OWNER} by ${OWNER}`,
      `identity.link ${OWNER} by ${OWNER}`,
    ]);
  },
);

test('an invitation, or an account that nobody could sign in to yet, is enough', async (t) => {
  const provider = await startTestProvider(t);
  const config = provider.config({ emailDomains: ['acme.example'] });
  const service = await startService(t, { oidc: [config] });
  const { origin } = service;
  provider.register(origin);
  const owner = await service.signUp(OWNER);
  provider.people.set('guest', { email: 'guest@else.example', email_verified: true });
  provider.who = 'guest';
  assert.equal(problemIn(await testBrowser().signIn(origin)), 'no_account');
  const secret = await invited(service, owner, 'guest@else.example');
  const browser = testBrowser();
  assert.equal(
    await browser.signIn(origin, 'acme', `/invitations/${secret}`),
    `/invitations/${secret}`,
  );
  const accepted = await browser.call(origin, 'POST', `/api/invitations/${secret}/accept`);
  assert.equal(accepted.status, 200);
  // It is the only way in.
  const { items } = await json<Page<Identity>>(
    await browser.call(origin, 'GET', '/api/account/identities'),
  );
  const only = await browser.call(origin, 'DELETE', `/api/account/identities/${items[0]?.id}`);
  assert.match(await assertError(only, 409, 'conflict'), /only way in/);

  // As SCIM makes them: by the provider of the domain, and by no other one.
  const made = { name: 'New', password_hash: '!', role: 'user' as const, created_at: 0 };
  await service.db
    .insertInto('users')
    .values([
      { ...made, id: 'usr_1', email: 'new@acme.example' },
      { ...made, id: 'usr_2', email: 'new@else.example' },
    ])
    .execute();
  provider.people.set('new', { email: 'new@acme.example', email_verified: true });
  provider.people.set('elsewhere', { email: 'new@else.example', email_verified: true });
  provider.who = 'new';
  assert.equal(await testBrowser().signIn(origin), '/');
  provider.who = 'elsewhere';
  assert.equal(problemIn(await testBrowser().signIn(origin)), 'account_exists');
});

onBothEngines(
  'where a provider is required, nothing else signs in but the operator’s link',
  async (t) => {
    const acme = await startTestProvider(t);
    const evil = await startHostileProvider(t);
    const before = await startService(t, {
      oidc: [
        acme.config({ emailDomains: ['acme.example'], required: 'domains' }),
        providerConfig(evil.issuer, { id: 'evil', emailDomains: ['acme.example'] }),
      ],
    });
    const { origin, db } = before;
    acme.register(origin);
    const boss = { email: 'boss@acme.example', password: PASSWORD };
    // The first account is made with a password, whatever is required.
    await before.visitor().call('POST', '/api/sign-up', { ...boss, name: 'Boss' });
    const refused = async (path: string, body: object, who = before.visitor()) =>
      assert.match(
        await assertError(await who.call('POST', path, body), 403, 'forbidden'),
        /boss@acme\.example signs in with Acme, and in no other way/,
      );
    await refused('/api/session', boss);
    await refused('/api/session', { ...boss, password: 'wrong password' });
    await refused('/api/sign-up', { ...boss, name: 'Boss' });
    await refused('/api/forgotten-password', { email: boss.email });
    // Another provider is no way in, whatever it says.
    evil.claims = { email: 'boss@acme.example', sub: 'boss' };
    assert.equal(problemIn(await testBrowser().signIn(origin, 'evil')), 'other_provider');
    // Addresses of other domains go on with passwords.
    await assertError(
      await before.visitor().call('POST', '/api/session', { email: OWNER, password: PASSWORD }),
      401,
      'unauthorized',
    );

    // The way in: the account was made with a password, and is linked by it, or by the operator's link.
    acme.people.set('boss', { email: 'boss@acme.example', email_verified: true });
    acme.who = 'boss';
    assert.equal(await testBrowser().signIn(origin), '/sign-in/link-account');
    const { makeSignInLink } = await import('../../server/src/accounts/sign-in-links.ts');
    const { OPERATOR } = await import('../../server/src/audit/actor.ts');
    const user = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    const newLink = async () => {
      const made = await makeSignInLink(
        { db, now: Date.now, addresses: () => before.addresses },
        user,
        OPERATOR,
      );
      assert.equal(made.link.split('#')[0], `${origin}/sign-in/once`);
      return made.link.split('#')[1];
    };
    const replaced = await newLink();
    const secret = await newLink();
    const use = (of: string | undefined, browser = testBrowser()) =>
      browser.call(origin, 'POST', '/api/session/link', { secret: of });
    await assertError(await use(replaced), 404, 'not_found');
    await assertError(await use('guessed'), 404, 'not_found');
    const browser = testBrowser();
    const both = await Promise.all([use(secret, browser), use(secret)]);
    assert.equal(both.filter(({ status }) => status === 200).length, 1, 'it works once');
    const other = testBrowser();
    await use(await newLink(), other);
    assert.equal(await other.who(origin), boss.email);
    await refused(
      '/api/account/password',
      { current: PASSWORD, next: 'another password' },
      { ...before.visitor(), call: (method, path, body) => other.call(origin, method, path, body) },
    );
    const { url } = await json<{ url: string }>(
      await other.call(origin, 'POST', '/api/account/identities/acme/start'),
    );
    assert.equal((await other.open(url)).url.search, '?linked=acme');
    const linked = testBrowser();
    assert.equal(await linked.signIn(origin), '/');
    assert.equal(await linked.who(origin), boss.email);

    // Programs do not sign in, so their tokens go on: the owner is told whose.
    const { token } = await json<{ token: string }>(
      await linked.call(origin, 'POST', '/api/account/tokens', { name: 'CI' }),
      201,
    );
    const program = before.visitor().withToken(token);
    assert.equal((await program.call('GET', '/api/projects')).status, 200);
    const holdersOf = async () =>
      (
        await json<{ items: SignInProvider[] }>(
          await linked.call(origin, 'GET', '/api/installation/sign-in'),
        )
      ).items.map(({ id, tokenHolders }) => [id, tokenHolders] as const);
    const [[, [holder]], [, ofEvil]] = (await holdersOf()) as [
      readonly [string, SignInProvider['tokenHolders']],
      readonly [string, SignInProvider['tokenHolders']],
    ];
    assert.deepEqual([holder?.email, holder?.tokens, ofEvil], [boss.email, 1, []]);
    assert.ok(holder?.lastUsedAt && holder.signedInAt);
    await db.updateTable('api_tokens').set({ revoked_at: 1 }).execute();
    assert.deepEqual((await holdersOf())[0]?.[1], [], 'tokens that have ended');
    await db.updateTable('api_tokens').set({ revoked_at: null }).execute();

    // Whoever could change the address could leave.
    const change = await linked.call(origin, 'POST', '/api/account/email', {
      email: 'boss@else.example',
      password: PASSWORD,
    });
    assert.match(
      await assertError(change, 403, 'forbidden'),
      /Your address is that of your account at Acme/,
    );

    // Sessions that began before in another way have ended: it is asked at each request.
    await db.updateTable('sessions').set({ method: 'password' }).execute();
    assert.equal(await linked.who(origin), null);
    for (const [method, lives] of [
      ['provider:acme', true],
      ['provider:acme+code', true],
      ['provider:evil', false],
      ['provider:gone', false],
      ['passkey', false],
      ['link', true],
    ] as const) {
      await db.updateTable('sessions').set({ method }).execute();
      assert.equal((await linked.who(origin)) !== null, lives, method);
    }
  },
);

onBothEngines('what a provider ends has ended here', async (t) => {
  const provider = await startTestProvider(t);
  const evil = await startHostileProvider(t);
  const service = await startService(t, {
    oidc: [
      provider.config({ emailDomains: ['acme.example'] }),
      providerConfig(evil.issuer, { id: 'evil', name: 'Evil', emailDomains: ['evil.example'] }),
    ],
  });
  const { origin } = service;
  provider.register(origin);
  await service.signUp(OWNER);
  provider.people.set('ann', { email: 'ann@acme.example', email_verified: true });
  provider.who = 'ann';

  // Signing out here leads to signing out there, which ends the other session of the same browser there as well.
  const one = testBrowser();
  await one.signIn(origin);
  const two = testBrowser();
  for (const [name, value] of one.cookies(provider.issuer))
    two.cookies(provider.issuer).set(name, value);
  await two.signIn(origin);
  assert.equal(await two.who(origin), 'ann@acme.example');
  const out = await json<SignedOut>(await one.call(origin, 'DELETE', '/api/session'));
  assert.equal(out.provider, 'Acme');
  assert.equal(await one.who(origin), null);
  const asked = await one.open(out.url);
  const form = await asked.response.text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '';
  const action = /action="([^"]+)"/.exec(form)?.[1] ?? '';
  const confirmed = await one.fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ xsrf, logout: 'yes' }),
  });
  assert.equal(new URL(confirmed.headers.get('location') ?? '').pathname, '/sign-in');
  assert.equal(await two.who(origin), null, 'the provider told it by the back channel');

  // The log-out tokens of a hostile world.
  const send = (
    token: string | undefined,
    type = 'application/x-www-form-urlencoded',
    id = 'evil',
  ) =>
    fetch(`${origin}/api/oidc/${id}/backchannel-logout`, {
      ...{ method: 'POST', headers: { 'content-type': type } },
      body: `${new URLSearchParams(token === undefined ? {} : { logout_token: token })}`,
    });
  const browser = testBrowser();
  await browser.signIn(origin, 'evil');
  const seconds = Math.floor(Date.now() / 1_000);
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
  const [idToken] = [
    await evil.sign({
      iss: evil.issuer,
      aud: CLIENT.clientId,
      sub: 'mallory',
      iat: seconds,
      exp: seconds + 60,
      nonce: 'x',
      jti: '1',
    }),
  ];
  const bad: [string, string | undefined, RegExp][] = [
    ['none', undefined, /must be in the form/],
    ['no JWT', 'x', /logout_token/],
    ['an ID token', idToken, /no log-out/],
    ['with a nonce', await evil.logoutToken({ nonce: 'x' }), /nonce/],
    ['of another issuer', await evil.logoutToken({ iss: provider.issuer }), /iss/],
    ['for another client', await evil.logoutToken({ aud: 'x' }), /aud/],
    ['without a jti', await evil.logoutToken({ jti: undefined }), /jti/],
    ['without an iat', await evil.logoutToken({ iat: undefined }), /iat/],
    ['without an end', await evil.logoutToken({ exp: undefined }), /exp/],
    ['expired', await evil.logoutToken({ exp: seconds - 61, iat: seconds - 100 }), /exp/],
    ['old', await evil.logoutToken({ iat: seconds - 700, exp: seconds + 600 }), /iat/],
    ['of the future', await evil.logoutToken({ iat: seconds + 120 }), /iat/],
    ['without events', await evil.logoutToken({ events: undefined }), /no log-out/],
    ['with another event', await evil.logoutToken({ events: { x: {} } }), /no log-out/],
    [
      'with an event that is a text',
      await evil.logoutToken({ events: { [EVENT]: 'x' } }),
      /no log-out/,
    ],
    ['of nobody', await evil.logoutToken({ sub: undefined }), /neither sub nor sid/],
    ['of another kind', await evil.logoutToken({}, { typ: 'at+jwt' }), /another kind/],
    [
      'unsigned',
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await evil.logoutToken()).split('.')[1]}.`,
      /logout_token/,
    ],
  ];
  for (const [what, token, wanted] of bad) {
    const message = await assertError(await send(token), 400, 'invalid_request');
    assert.match(message, wanted, what);
  }
  await assertError(
    await send(await evil.logoutToken(), 'application/json'),
    415,
    'unsupported_media_type',
  );
  await assertError(await send(await evil.logoutToken(), undefined, 'gone'), 404, 'not_found');
  // One provider ends no sessions of another, nor those that began with a password, nor another person's.
  const third = testBrowser();
  await third.signIn(origin);
  assert.equal((await send(await evil.logoutToken({ sub: 'ann' }))).status, 200);
  assert.equal(
    (await send(await evil.logoutToken({ sub: undefined, sid: 'another session' }))).status,
    200,
  );
  assert.equal(await third.who(origin), 'ann@acme.example');
  assert.equal(await browser.who(origin), 'mallory@evil.example');
  // By its own session, and by the person; each token once.
  const token = await evil.logoutToken({ sub: undefined, sid: 'session-1' }, {});
  const ended = await send(token);
  assert.equal(ended.status, 200);
  assert.equal(ended.headers.get('cache-control'), 'no-store');
  assert.equal(await browser.who(origin), null);
  assert.match(await assertError(await send(token), 400, 'invalid_request'), /used before/);
  await browser.signIn(origin, 'evil');
  assert.equal((await send(await evil.logoutToken({ sid: undefined }))).status, 200);
  assert.equal(await browser.who(origin), null);
  const ends = (await auditOf(service)).filter((entry) => entry.startsWith('session.end mallory'));
  assert.deepEqual(ends, Array(2).fill('session.end mallory@evil.example by Evil'));
});

onBothEngines('what is under way with a provider ends with what it ends', async (t) => {
  const evil = await startHostileProvider(t);
  const service = await startService(t, {
    oidc: [providerConfig(evil.issuer, { emailDomains: ['evil.example'] })],
  });
  const { origin, db } = service;
  const root = await service.signUp(OWNER);
  await addApp(root, Date.now());
  const policy = { secondFactor: 'everyone', afterProvider: true };
  await json(await root.call('PUT', '/api/installation/security', policy));
  const logOut = async (claims = {}, token = evil.logoutToken(claims)) =>
    fetch(`${origin}/api/oidc/acme/backchannel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: await token }),
    });
  const draft = (browser: ReturnType<typeof testBrowser>) =>
    browser.call(origin, 'POST', '/api/session/set-up/authenticator-app/draft');

  // A sign-in that waits for the second factor has no session yet, and must not become one afterwards.
  const waiting = testBrowser();
  assert.equal(await waiting.signIn(origin), '/sign-in?next=%2F');
  assert.equal((await draft(waiting)).status, 200);
  assert.equal((await logOut({ sid: 'another session', sub: undefined })).status, 200);
  assert.equal((await draft(waiting)).status, 200);
  assert.equal((await logOut({ sid: 'session-1', sub: undefined })).status, 200);
  await assertError(await draft(waiting), 401, 'unauthorized');

  // Nor one of an account that the provider was unlinked from meanwhile.
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'user')
    .executeTakeFirstOrThrow();
  await db.updateTable('security_policy').set({ second_factor: 'optional' }).execute();
  const linked = testBrowser();
  await linked.signIn(origin);
  await json(await linked.call(origin, 'POST', '/api/account/tokens', { name: 'CI' }), 201);
  await db.updateTable('security_policy').set({ second_factor: 'everyone' }).execute();
  const late = testBrowser();
  await late.signIn(origin);
  // In the browser that unlinks it, the session began in another way.
  await db.updateTable('users').set({ password_hash: 'some' }).where('id', '=', id).execute();
  await db
    .updateTable('sessions')
    .set({ method: 'password', identity_id: null })
    .where('user_id', '=', id)
    .execute();
  const all = await linked.call(origin, 'GET', '/api/account/identities');
  const [identity] = (await json<{ items: { id: string }[] }>(all)).items;
  const gone = await linked.call(origin, 'DELETE', `/api/account/identities/${identity?.id}`);
  assert.equal(gone.status, 204);
  await assertError(await draft(late), 401, 'unauthorized');
});

test('an identity that is unlinked in the middle of its sign-in signs nobody in', async (t) => {
  const evil = await startHostileProvider(t);
  const service = await startService(t, {
    oidc: [providerConfig(evil.issuer, { emailDomains: ['evil.example'] })],
  });
  const { origin, db } = service;
  const root = await service.signUp(OWNER);
  await addApp(root, Date.now());
  await testBrowser().signIn(origin);
  const identity = await db.selectFrom('identities').selectAll().executeTakeFirstOrThrow();
  const sessions = async () =>
    (await db.selectFrom('sessions').select('id').where('identity_id', '=', identity.id).execute())
      .length;
  assert.equal(await sessions(), 1);
  // Right after the sign-in has found it.
  await sql`CREATE TRIGGER unlinked AFTER UPDATE OF last_used_at ON identities
    BEGIN DELETE FROM identities; END`.execute(db);
  for (const secondFactor of ['optional', 'everyone']) {
    const policy = { secondFactor, afterProvider: true };
    await json(await root.call('PUT', '/api/installation/security', policy));
    const late = testBrowser();
    assert.equal(problemIn(await late.signIn(origin)), 'signed_out');
    assert.equal(await late.who(origin), null);
    const pending = await db.selectFrom('pending_sign_ins').selectAll().execute();
    assert.deepEqual([await sessions(), pending], [1, []]);
    await db.insertInto('identities').values(identity).execute();
  }
});

test('a log-out that fails half way is done when the provider tells it again', async (t) => {
  const evil = await startHostileProvider(t);
  const service = await startService(t, {
    oidc: [providerConfig(evil.issuer, { emailDomains: ['evil.example'] })],
  });
  const { origin, db } = service;
  await service.signUp(OWNER);
  const browser = testBrowser();
  await browser.signIn(origin);
  const token = await evil.logoutToken();
  const logOut = async () => {
    const body = new URLSearchParams({ logout_token: token });
    return (await fetch(`${origin}/api/oidc/acme/backchannel-logout`, { method: 'POST', body }))
      .status;
  };
  await sql`CREATE TRIGGER full BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'no space'); END`.execute(
    db,
  );
  assert.equal(await logOut(), 500);
  await sql`DROP TRIGGER full`.execute(db);
  assert.equal(await logOut(), 200);
  assert.equal(await browser.who(origin), null);
  assert.equal(await logOut(), 400);

  // A provider may tell of a session of its own though its ID tokens name none: then all of the person end.
  evil.claims = { sid: undefined };
  await browser.signIn(origin);
  const told = new URLSearchParams({ logout_token: await evil.logoutToken({ sid: 'some' }) });
  await fetch(`${origin}/api/oidc/acme/backchannel-logout`, { method: 'POST', body: told });
  assert.equal(await browser.who(origin), null);
});

test('a provider that is away at the start is found later, and one that changes its keys goes on', async (t) => {
  let clock = Date.now();
  const evil = await startHostileProvider(t);
  const provider = await startTestProvider(t);
  const path = '/.well-known/openid-configuration';
  const away = () => evil.routes.set(path, (_request, response) => response.writeHead(503).end());
  away();
  const service = await startService(
    t,
    {
      oidc: [
        providerConfig(evil.issuer, { id: 'evil', emailDomains: ['evil.example'] }),
        provider.config({ emailDomains: ['acme.example'] }),
      ],
    },
    { now: () => clock },
  );
  const { origin } = service;
  provider.register(origin);
  const owner = await service.signUp(OWNER);
  const state = async () => {
    const page = await json<Page<SignInProvider>>(
      await owner.call('GET', '/api/installation/sign-in'),
    );
    return page.items[0];
  };
  const begun = await testBrowser().call(origin, 'POST', '/api/oidc/evil/start', {});
  assert.match(await assertError(begun, 503, 'unavailable'), /Acme cannot be reached right now/);
  assert.match((await state())?.failure ?? '', /unexpected HTTP response status code/);
  // Whoever clicks again does not add to its trouble.
  const asked = evil.requests.length;
  await testBrowser().call(origin, 'POST', '/api/oidc/evil/start', {});
  assert.equal(evil.requests.length, asked);
  evil.reset();
  clock += 3_000;
  assert.equal(await testBrowser().signIn(origin, 'evil'), '/');
  assert.deepEqual(
    [(await state())?.state, (await state())?.failure, (await state())?.people],
    ['ready', null, 1],
  );
  // What it said is kept for a day, also while it is away.
  away();
  clock += 20 * 3_600_000;
  assert.equal(await testBrowser().signIn(origin, 'evil'), '/');
  clock += 5 * 3_600_000;
  const later = await testBrowser().call(origin, 'POST', '/api/oidc/evil/start', {});
  await assertError(later, 503, 'unavailable');

  provider.people.set('ann', { email: 'ann@acme.example', email_verified: true });
  provider.who = 'ann';
  assert.equal(await testBrowser().signIn(origin), '/');
  await provider.rotateKeys();
  // Its keys were read just now: those who come in the next seconds wait for nothing, and are asked to try again.
  const rotated = await testBrowser().signIn(origin);
  assert.ok(['/', '/sign-in?problem=failed&provider=acme'].includes(rotated));
});

test('whoever signed in a while ago proves to the provider that they still sit there', async (t) => {
  let clock = Date.now();
  const evil = await startHostileProvider(t);
  const oidc = [providerConfig(evil.issuer, { emailDomains: ['evil.example'] })];
  const service = await startService(t, { oidc }, { now: () => clock });
  const { origin } = service;
  await service.signUp(OWNER);
  const browser = testBrowser();
  await browser.signIn(origin);
  const makeToken = () => browser.call(origin, 'POST', '/api/account/tokens', { name: 'CI' });
  assert.equal((await makeToken()).status, 201);
  clock += 16 * 60_000;
  await assertError(await makeToken(), 403, 'confirmation_required');
  const how = await browser.call(origin, 'GET', '/api/session/confirmation');
  const { ways, providers } = await json<{ ways: string[]; providers: object[] }>(how);
  assert.deepEqual([ways, providers], [[], [{ id: 'acme', name: 'Acme' }]]);
  const confirm = async (claims: object) => {
    evil.claims = { ...claims };
    const start = '/api/session/confirmation/providers/acme/start';
    const begun = await browser.call(origin, 'POST', start, { next: '/account/tokens' });
    const { url } = await json<{ url: string }>(begun);
    const { searchParams } = new URL(url);
    assert.deepEqual([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0']);
    const { url: end } = await browser.open(url);
    return end.pathname + end.search;
  };
  const refused = '/account/security?problem=not_confirmed&provider=acme';
  // It did not ask again, or somebody else was there.
  assert.equal(await confirm({ auth_time: clock / 1_000 - 70 }), refused);
  assert.equal(await confirm({ sub: 'somebody else' }), refused);
  await assertError(await makeToken(), 403, 'confirmation_required');
  assert.equal(await confirm({ auth_time: Math.ceil(clock / 1_000) }), '/account/tokens');
  assert.equal((await makeToken()).status, 201);
});

test('a sign-in that the provider’s own open session answers confirms nothing', async (t) => {
  const clock = Date.now();
  const evil = await startHostileProvider(t);
  const oidc = [providerConfig(evil.issuer, { emailDomains: ['evil.example'] })];
  const service = await startService(t, { oidc }, { now: () => clock });
  const { origin } = service;
  await service.signUp(OWNER);
  /** Signs in anew, and makes a token with what that is worth. */
  const tryWith = async (auth_time: number | undefined) => {
    evil.claims = { auth_time };
    const browser = testBrowser();
    const url = await browser.start(origin);
    // So that a provider tells when (OpenID Connect Core 1.0, section 2).
    assert.equal(url.searchParams.get('max_age'), `${60 * 86_400}`);
    await browser.open(url.href);
    return browser.call(origin, 'POST', '/api/account/tokens', { name: 'CI' });
  };
  const now = Math.floor(clock / 1_000);
  assert.equal((await tryWith(now)).status, 201);
  assert.equal((await tryWith(now - 14 * 60)).status, 201);
  // Whoever sits at a screen that was left open signs out, presses the button, and nobody asks them anything.
  await assertError(await tryWith(now - 16 * 60), 403, 'confirmation_required');
  assert.equal((await tryWith(now + 30)).status, 201, 'its clock is ahead of ours');
  assert.equal((await tryWith(now - 0.0005)).status, 201, 'RFC 7519 allows fractions');
  const sessions = await service.db.selectFrom('sessions').select('confirmed_at').execute();
  for (const { confirmed_at } of sessions) assert.ok(Number.isInteger(confirmed_at));
  // One that does not tell is believed.
  assert.equal((await tryWith(undefined)).status, 201);
});

test('the cookies of a sign-in are bound to the browser and the host, and end in minutes', async (t) => {
  const evil = await startHostileProvider(t);
  let clock = Date.now();
  const service = await startService(
    t,
    {
      oidc: [providerConfig(evil.issuer, { emailDomains: ['evil.example'] })],
      publicUrl: 'https://dash.example',
      trustedProxies: ['127.0.0.1'],
    },
    { now: () => clock },
  );
  const local = `http://127.0.0.1:${new URL(service.localUrl).port}`;
  const over = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'dash.example' };
  const post = (path: string, body: object, headers: Record<string, string> = over) =>
    fetch(local + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, origin: 'https://dash.example', 'content-type': 'application/json' },
    });
  assert.equal(
    (await post('/api/sign-up', { email: OWNER, password: PASSWORD, name: 'Owner' })).status,
    202,
  );
  const start = async () => {
    const response = await post('/api/oidc/acme/start', {});
    const [set = '', ...more] = response.headers.getSetCookie();
    assert.equal(more.length, 0);
    assert.match(
      set,
      /^__Host-dashboard_oidc_[0-9a-f]{16}=v1\.[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const { url } = (await response.json()) as { url: string };
    const back = await fetch(url, { redirect: 'manual' });
    const answer = new URL(back.headers.get('location') ?? '');
    assert.equal(answer.origin, 'https://dash.example');
    return { cookie: set.split(';')[0] ?? '', path: answer.pathname + answer.search };
  };
  const finish = async ({ path, cookie }: { path: string; cookie: string }) => {
    const response = await fetch(local + path, {
      redirect: 'manual',
      headers: { ...over, cookie },
    });
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    return response;
  };
  // A session that somebody planted is not the one that begins.
  const first = await start();
  const done = await finish({
    ...first,
    cookie: `${first.cookie}; __Host-dashboard_session=planted`,
  });
  assert.equal(done.headers.get('location'), '/');
  const sets = done.headers.getSetCookie();
  assert.ok(
    sets.some((set) =>
      /^__Host-dashboard_session=(?!planted).{43}; .*HttpOnly; Secure; SameSite=Lax$/.test(set),
    ),
    sets.join(),
  );
  assert.ok(sets.some((set) => set.startsWith(`${first.cookie.split('=')[0]}=;`)));
  // Two of the name, one without the prefix, and one that is ten minutes old.
  const twice = await start();
  const problemOf = async (answer: Promise<Response>) =>
    problemIn((await answer).headers.get('location') ?? '');
  assert.equal(
    await problemOf(finish({ ...twice, cookie: `${twice.cookie}; ${twice.cookie}` })),
    'not_begun_here',
  );
  assert.equal(
    await problemOf(finish({ ...twice, cookie: twice.cookie.replace('__Host-', '') })),
    'not_begun_here',
  );
  const late = await start();
  clock += 10 * 60_000;
  assert.equal(await problemOf(finish(late)), 'not_begun_here');
  // At another address the cookie would be another one's.
  const elsewhere = await post(
    '/api/oidc/acme/start',
    {},
    { ...over, 'x-forwarded-host': 'other.example' },
  );
  assert.match(
    await assertError(elsewhere, 409, 'conflict'),
    /Open the dashboard at https:\/\/dash\.example/,
  );
});

/** The secret of an invitation to a project of the owner's. */
async function invited(
  _service: Service,
  owner: Parameters<typeof invite>[0],
  email: string,
): Promise<string> {
  await owner.call('POST', '/api/projects', { name: 'Guests', slug: 'guests' });
  return invite(owner, 'guests', email);
}
