import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type Engine, onBothEngines, POSTGRESQL } from '@petstore/test-support/engines.ts';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import { sql } from 'kysely';
import { hashPassword } from '../../server/src/accounts/passwords.ts';
import type { Db, Trx } from '../../server/src/store/schema.ts';
import { addApp } from '../accounts/support/factors.ts';
import { assertError, json, PASSWORD, type Service, startService } from '../support/service.ts';
import { lockWaits, UP_TO_DATE } from '../support/store.ts';
import { type HostileProvider, startHostileProvider } from './support/hostile-provider.ts';
import { testBrowser } from './support/test-browser.ts';
import { CLIENT, providerConfig, startTestProvider } from './support/test-provider.ts';

const seconds = () => Math.floor(Date.now() / 1_000);

const problemIn = (path: string) => new URLSearchParams(path.split('?')[1]).get('problem');

/** Both services of these tests: one provider that is as it should be, and one that is not. */
async function startBoth(t: TestContext) {
  const good = await startTestProvider(t);
  const evil = await startHostileProvider(t);
  const service = await startService(t, {
    oidc: [
      good.config({ emailDomains: ['acme.example'] }),
      providerConfig(evil.issuer, {
        ...{ id: 'evil', name: 'Evil', emailDomains: ['evil.example'], groupsClaim: 'groups' },
      }),
    ],
  });
  good.register(service.origin);
  await service.signUp('owner@example.com');
  good.people.set('ann', { email: 'ann@acme.example', email_verified: true, name: 'Ann' });
  good.who = 'ann';
  return { good, evil, service };
}

/** Signs in with the hostile provider in a fresh browser; the problem, or undefined where it signed in. */
async function tryEvil(service: Service): Promise<string | null> {
  const browser = testBrowser();
  const path = await browser.signIn(service.origin, 'evil');
  const who = await browser.who(service.origin);
  const problem = problemIn(path);
  assert.equal(who === null, problem !== null, `${path}: ${who}`);
  return problem;
}

function noneToken(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.`;
}

function hs256(claims: object, secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', kid: 'first' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

test('an ID token that is not the provider’s, for us, now and for this sign-in signs nobody in', async (t) => {
  const { evil, service } = await startBoth(t);
  assert.equal(await tryEvil(service), null, 'as long as it is right');

  const claims: [string, Record<string, unknown>][] = [
    ['another issuer', { iss: 'https://other.example' }],
    ['another audience', { aud: 'another-client' }],
    ['several audiences without azp', { aud: [CLIENT.clientId, 'another-client'] }],
    ['another authorized party', { aud: [CLIENT.clientId, 'x'], azp: 'x' }],
    ['no audience', { aud: undefined }],
    ['expired', { exp: seconds() - 61, iat: seconds() - 400 }],
    ['without an end', { exp: undefined }],
    ['not valid yet', { nbf: seconds() + 120 }],
    ['without a time', { iat: undefined }],
    ['of another sign-in', { nonce: 'of another sign-in' }],
    ['without a nonce', { nonce: undefined }],
    ['without a subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is a number', { sub: 7 }],
    ['a subject with control characters', { sub: 'a\0b' }],
    ['a subject that is too long', { sub: 'x'.repeat(256) }],
  ];
  for (const [what, change] of claims) {
    evil.claims = change;
    assert.equal(await tryEvil(service), 'failed', what);
  }
  evil.reset();

  const other = await generateKeyPair('RS256');
  const ownKey = await exportSPKI((await importJWK(evil.keys[0] ?? {}, 'RS256')) as CryptoKey);
  const tokens: [string, HostileProvider['makeIdToken']][] = [
    ['no signature', (all) => noneToken(all)],
    [
      'another key',
      (all) =>
        new SignJWT(all as Record<string, string>)
          .setProtectedHeader({ alg: 'RS256', kid: 'first' })
          .sign(other.privateKey),
    ],
    [
      'another key that the token brings',
      async (all) =>
        new SignJWT(all as Record<string, string>)
          .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(other.publicKey), kid: 'x' })
          .sign(other.privateKey),
    ],
    ['the client secret as key', (all) => hs256(all, CLIENT.clientSecret)],
    ['the public key as a secret', (all) => hs256(all, ownKey)],
    [
      'a changed payload',
      async (all) => {
        const [head, , signature] = (await evil.sign(all)).split('.');
        const payload = Buffer.from(JSON.stringify({ ...all, sub: 'ann' })).toString('base64url');
        return `${head}.${payload}.${signature}`;
      },
    ],
    ['no JWT', () => 'no.jwt'],
  ];
  for (const [what, make] of tokens) {
    evil.makeIdToken = make;
    assert.equal(await tryEvil(service), 'failed', what);
  }
  evil.reset();

  // Clocks differ.
  for (const skew of [
    { iat: seconds() + 50 },
    { nbf: seconds() + 50 },
    { exp: seconds() - 50, iat: seconds() - 100 },
  ]) {
    evil.claims = skew;
    assert.equal(await tryEvil(service), null, JSON.stringify(skew));
  }
  evil.claims = { aud: [CLIENT.clientId, 'x'], azp: CLIENT.clientId };
  assert.equal(await tryEvil(service), null, 'several audiences, and we are the authorized party');
});

test('an answer counts in the browser that asked, from the provider that was asked, and once', async (t) => {
  const { good, evil, service } = await startBoth(t);
  const { origin } = service;
  /** The address to which the good provider sends a browser back. */
  const answerFor = async (browser = testBrowser()) => {
    let url = await browser.start(origin);
    while (url.origin !== origin) {
      const response = await browser.fetch(url.href);
      await response.arrayBuffer();
      url = new URL(response.headers.get('location') ?? '', url);
    }
    return { url, browser };
  };
  const problemAt = async (browser: ReturnType<typeof testBrowser>, url: URL | string) => {
    const { url: end } = await browser.open(`${url}`);
    return problemIn(end.pathname + end.search);
  };

  // CSRF: the attacker's answer in the victim's browser, which has begun nothing, or its own sign-in.
  const attack = await answerFor();
  assert.equal(await problemAt(testBrowser(), attack.url), 'not_begun_here');
  const victim = await answerFor();
  assert.equal(await problemAt(victim.browser, attack.url), 'not_begun_here');

  // Code injection: the attacker's code with the state of the victim's own sign-in.
  const injected = new URL(victim.url);
  injected.searchParams.set('code', attack.url.searchParams.get('code') ?? '');
  assert.equal(await problemAt(victim.browser, injected), 'failed');
  assert.equal(await victim.browser.who(origin), null);

  // Replay: of a whole answer, with a copy of the cookie of the flow; and of a code in a new flow.
  const { url, browser } = await answerFor();
  const copy = [...browser.cookies(origin)].map(([name, value]) => `${name}=${value}`).join('; ');
  const first = await browser.fetch(url.href);
  assert.equal(first.headers.get('location'), '/');
  const again = await fetch(url, { headers: { cookie: copy }, redirect: 'manual' });
  assert.equal(problemIn(again.headers.get('location') ?? ''), 'used');
  assert.equal(
    again.headers.getSetCookie().some((set) => set.startsWith('dashboard_session=')),
    false,
  );
  const next = await answerFor();
  next.url.searchParams.set('code', url.searchParams.get('code') ?? '');
  assert.equal(await problemAt(next.browser, next.url), 'failed');

  // Mix-up: an answer of one provider at the address of the other one, and a wrong or missing `iss`.
  const mixed = await answerFor();
  const elsewhere = new URL(mixed.url.href.replace('/oidc/acme/', '/oidc/evil/'));
  assert.equal(await problemAt(mixed.browser, elsewhere), 'not_begun_here');
  for (const iss of [good.issuer, 'https://other.example', undefined]) {
    evil.callback = { iss };
    assert.equal(await tryEvil(service), 'failed', `iss: ${iss}`);
  }
  evil.reset();
  assert.equal(evil.exchanges.length, 0, 'no code was given to the other provider');
  // The hostile provider sends the browser on to the good one, to get its code.
  evil.routes.set('/authorize', (request, response) => {
    const query = new URL(request.url ?? '', evil.issuer).searchParams;
    query.set('redirect_uri', `${origin}/api/oidc/acme/callback`);
    response.writeHead(302, { location: `${good.issuer}/auth?${query}` }).end();
  });
  const relayed = await testBrowser().signIn(origin, 'evil');
  assert.equal(problemIn(relayed), 'not_begun_here');
  evil.reset();

  // An answer that is none.
  for (const query of [
    '',
    '?state=',
    '?state=a&state=b',
    '?code=x',
    `?state=${'x'.repeat(3_000)}&code=y`,
  ]) {
    const path = `/api/oidc/acme/callback${query}`;
    assert.equal(await problemAt(testBrowser(), origin + path), 'not_begun_here', query);
  }
  // A flow's cookie of another installation, or one that was changed.
  const changed = await answerFor();
  const jar = changed.browser.cookies(origin);
  for (const [name, value] of jar) jar.set(name, `${value.slice(0, -4)}AAAA`);
  assert.equal(await problemAt(changed.browser, changed.url), 'not_begun_here');
  // HEAD, as a scanner of links sends it, does not use the answer up.
  const scanned = await answerFor();
  const head = await scanned.browser.fetch(scanned.url.href, { method: 'HEAD' });
  assert.equal(head.status, 405);
  assert.equal(await problemAt(scanned.browser, scanned.url), null);
  // A page of another site cannot begin one.
  const foreign = await fetch(`${origin}/api/oidc/acme/start`, {
    ...{ method: 'POST', body: '{}' },
    headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
  });
  assert.equal(foreign.status, 403);
});

test('after signing in the browser goes to a page of the dashboard, whatever the address says', async (t) => {
  const { evil, service } = await startBoth(t);
  const { host } = new URL(service.origin);
  for (const [next, wanted] of [
    ['/projects/a?b=1#c', '/projects/a?b=1'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/..//evil.example', '/'],
    ['https://evil.example', '/'],
    [`http://${host}@evil.example`, '/'],
    ['javascript:alert(1)', '/'],
    ['/\t/evil.example', '/'],
    ['/a\r\nSet-Cookie: x=y', '/aSet-Cookie:%20x=y'],
    [`/${'x'.repeat(1_600)}`, '/'],
    ['', '/'],
  ] as const) {
    assert.equal(await testBrowser().signIn(service.origin, 'evil', next), wanted, next);
  }
  // With the reason of a failure, too.
  evil.callback = { code: undefined, error: 'access_denied' };
  const path = await testBrowser().signIn(service.origin, 'evil', '//evil.example');
  assert.equal(path, '/sign-in?problem=denied&provider=evil');
  evil.callback = {
    code: undefined,
    error: 'server_error',
    error_description: '<script>x</script>\u202e',
  };
  assert.equal(
    await testBrowser().signIn(service.origin, 'evil', '/new'),
    '/sign-in?problem=failed&provider=evil&next=%2Fnew',
  );
});

test('an address alone opens no account, and the subject is who it is', async (t) => {
  const { evil, service } = await startBoth(t);
  const { origin } = service;
  const as = async (claims: Record<string, unknown>) => {
    evil.claims = claims;
    const browser = testBrowser();
    return { path: await browser.signIn(origin, 'evil'), who: await browser.who(origin) };
  };
  // Addresses that the provider has not verified, or does not give.
  const from = { sub: 'm-1', email: 'm@evil.example' };
  for (const email_verified of [false, undefined, 'yes', null, 0, ['true']]) {
    const { path } = await as({ ...from, email_verified });
    assert.equal(problemIn(path), 'email_unverified', `${email_verified}`);
  }
  for (const email of [
    undefined,
    7,
    'no address',
    'a@b\0c.example',
    `${'x'.repeat(300)}@evil.example`,
  ])
    assert.equal(problemIn((await as({ ...from, email })).path), 'email_missing', `${email}`);
  // What the userinfo endpoint has verified is another address.
  evil.userinfo = { sub: 'm-1', email: 'other@evil.example', email_verified: true };
  assert.equal(
    problemIn((await as({ ...from, email_verified: undefined })).path),
    'email_unverified',
  );
  // Or it speaks of somebody else.
  evil.userinfo = { sub: 'somebody else', email: 'm@evil.example', email_verified: true };
  assert.equal(problemIn((await as({ sub: 'm-1', email: undefined })).path), 'failed');
  evil.reset();
  // An address of a domain for which the provider does not speak; and of one below it, or that ends like it.
  for (const email of [
    'x@acme.example',
    'x@sub.evil.example',
    'x@notevil.example',
    'x@evil.example.org',
  ])
    assert.equal(problemIn((await as({ sub: 'm-2', email })).path), 'no_account', email);

  // The address of an account with a password: it is not signed in to.
  // From before the provider spoke for it.
  await service.signUp('victim@example.com', await invite(service, 'victim@example.com'));
  await service.db
    .updateTable('users')
    .set({ email: 'victim@evil.example' })
    .where('email', '=', 'victim@example.com')
    .execute();
  const taken = await as({ sub: 'm-3', email: 'Victim@Evil.example' });
  assert.deepEqual(taken, { path: '/sign-in/link-account', who: null });
  // Of one that another subject of the same provider has.
  assert.equal((await as({ sub: 'm-4', email: 'four@evil.example' })).who, 'four@evil.example');
  const recycled = await as({ sub: 'm-5', email: 'four@evil.example' });
  assert.equal(problemIn(recycled.path), 'other_identity');
  // The subject is who it is, whatever its address becomes.
  assert.equal((await as({ sub: 'm-4', email: 'owner@example.com' })).who, 'four@evil.example');
  assert.equal((await as({ sub: 'm-4', email: undefined })).who, 'four@evil.example');
});

test('nobody takes an address of a provider’s domain by a password', async (t) => {
  const evil = await startHostileProvider(t);
  const service = await startService(t, {
    signUp: 'open',
    oidc: [
      providerConfig(evil.issuer, { emailDomains: ['evil.example', 'xn--bcher-kva.example'] }),
    ],
  });
  const { origin } = service;
  await service.signUp('owner@example.com');
  const stranger = await service.signUp('stranger@example.com');
  const secret = await invite(service, 'new@evil.example');
  // Whoever has it before the one whose it is would be in their groups once a directory links the account.
  for (const email of [
    'new@evil.example',
    'NEW@Evil.Example',
    'new@evil.example.',
    'new@ｅｖｉｌ.example',
    'new@bücher.example',
    'new@BÜCHER.example',
  ]) {
    const account = { email, password: PASSWORD, name: 'New' };
    const made = await stranger.call('POST', '/api/sign-up', account);
    assert.match(
      await assertError(made, 403, 'forbidden'),
      /gets its account by signing in with Acme/,
      email,
    );
    const change = { email, password: PASSWORD };
    const changed = await stranger.call('POST', '/api/account/email', change);
    assert.match(
      await assertError(changed, 403, 'forbidden'),
      /gets its account by signing in with Acme/,
      email,
    );
  }
  // The invitation was shown to whoever made it.
  const account = { email: 'new@evil.example', password: PASSWORD, name: 'New' };
  const invited = await stranger.call('POST', '/api/sign-up', { ...account, invitation: secret });
  await assertError(invited, 403, 'forbidden');
  evil.claims = { sub: 'new', email: 'new@evil.example' };
  const browser = testBrowser();
  await browser.signIn(origin, 'acme');
  assert.equal(await browser.who(origin), 'new@evil.example');
  await json(await browser.call(origin, 'POST', `/api/invitations/${secret}/accept`));
});

const NEXT = 'another horse battery';

/**
 * The database does something once a password was checked: the failed tries are deleted then. Returns what ends that.
 */
async function onceChecked(db: Db, { name }: Engine, statement: string) {
  const trigger = 'CREATE TRIGGER checked BEFORE DELETE ON sign_in_failures';
  const when = `WHEN (OLD.key LIKE 'pair:%')`;
  if (name === POSTGRESQL.name) {
    const does = `AS $$ BEGIN ${statement}; RETURN OLD; END $$`;
    await sql.raw(`CREATE FUNCTION does() RETURNS trigger LANGUAGE plpgsql ${does}`).execute(db);
    await sql.raw(`${trigger} FOR EACH ROW ${when} EXECUTE FUNCTION does()`).execute(db);
    return () => sql`DROP FUNCTION does CASCADE`.execute(db);
  }
  await sql.raw(`${trigger} ${when} BEGIN ${statement}; END`).execute(db);
  return () => sql`DROP TRIGGER checked`.execute(db);
}

onBothEngines(
  'what changes while a password is checked keeps a provider from being linked by it',
  async (t, engine) => {
    const provider = await startTestProvider(t);
    const service = await startService(t, { oidc: [provider.config()], signUp: 'open' });
    const { origin, db } = service;
    provider.register(origin);
    await service.signUp('owner@example.com');
    const email = 'ann@example.com';
    const ann = await service.signUp(email);
    provider.people.set('ann', { email, email_verified: true });
    provider.who = 'ann';
    const linkWhile = async (statement: string, password: string) => {
      const browser = testBrowser();
      assert.equal(await browser.signIn(origin), '/sign-in/link-account');
      const end = await onceChecked(db, engine, statement);
      const linking = await browser.call(origin, 'POST', '/api/oidc/pending-link', { password });
      await end();
      return linking;
    };
    const assertNotLinked = async () => {
      assert.deepEqual(await db.selectFrom('identities').select('id').execute(), []);
      assert.equal(await testBrowser().signIn(origin), '/sign-in/link-account');
    };

    const hash = await hashPassword(NEXT, { memoryKib: 64, passes: 1 });
    const changes = `UPDATE users SET password_hash = '${hash}' WHERE email = '${email}'`;
    await assertError(await linkWhile(changes, PASSWORD), 401, 'unauthorized');
    await assertNotLinked();

    await addApp(ann, Date.now());
    await sql`CREATE TABLE added AS SELECT * FROM authenticator_apps`.execute(db);
    await db.deleteFrom('authenticator_apps').execute();
    const adds = 'INSERT INTO authenticator_apps SELECT * FROM added';
    const factored = await linkWhile(adds, NEXT);
    assert.match(await assertError(factored, 409, 'conflict'), /has a second factor/);
    await assertNotLinked();
  },
);

test('a session that ends in that moment links no provider [PostgreSQL]', async (t) => {
  const provider = await startTestProvider(t);
  const databaseUrl = await POSTGRESQL.createDatabase(t, UP_TO_DATE);
  const service = await startService(t, { databaseUrl, oidc: [provider.config()] });
  const { origin, db } = service;
  provider.register(origin);
  const email = 'owner@example.com';
  await service.signUp(email);
  provider.people.set('eve', { email: 'eve@example.com', email_verified: true });
  provider.who = 'eve';
  for (const end of [
    (trx: Trx) => trx.deleteFrom('sessions').execute(),
    (trx: Trx) => trx.updateTable('users').set({ disabled_at: 1 }).execute(),
  ]) {
    const browser = testBrowser();
    await browser.call(origin, 'POST', '/api/session', { email, password: PASSWORD });
    const begun = await browser.call(origin, 'POST', '/api/account/identities/acme/start');
    const { url } = await json<{ url: string }>(begun);
    const { opening } = await db.transaction().execute(async (trx) => {
      await trx.updateTable('users').set({ name: 'Locked' }).execute();
      await end(trx);
      const opening = browser.open(url);
      await lockWaits(db);
      return { opening };
    });
    assert.equal((await opening).url.search, '?problem=signed_out&provider=acme');
    assert.deepEqual(await db.selectFrom('identities').select('id').execute(), []);
  }
});

test('names and groups of a provider are cleaned, however many there are', async (t) => {
  const { evil, service } = await startBoth(t);
  const cases: [Record<string, unknown>, string][] = [
    [{ name: 'Ann\u202e\u0000\u001b[2J\nAdmin\u200d' }, 'Ann [2J Admin\u200d'],
    [{ name: '\u0000\u0007' }, 'u1'],
    [{ name: 'x'.repeat(5_000) }, 'x'.repeat(100)],
    [{ name: undefined, given_name: 'Ada', family_name: 'L.' }, 'Ada L.'],
    [{ name: { toString: 'x' }, preferred_username: 'ada' }, 'ada'],
  ];
  for (const [at, [claims, wanted]] of cases.entries()) {
    evil.claims = {
      ...{ sub: `n-${at}`, email: `u${at}@evil.example`, ...claims },
      groups: [
        ...Array.from({ length: 10_000 }, (_, number) => `group ${number}`),
        ...['a\0b', 7, null, { name: 'x' }, 'y'.repeat(100_000)],
      ],
    };
    const browser = testBrowser();
    assert.equal(await browser.signIn(service.origin, 'evil'), '/');
    const me = await (await browser.call(service.origin, 'GET', '/api/session')).json();
    assert.equal((me as { name: string }).name, wanted);
  }
});

test('a group at a provider that looks like one here is another one', async (t) => {
  const { evil, service } = await startBoth(t);
  const owner = service.visitor();
  await owner.call('POST', '/api/session', { email: 'owner@example.com', password: PASSWORD });
  for (const name of ['Admins', 'Finance', 'Équipe'])
    await json(await owner.call('POST', '/api/installation/groups', { name }), 201);
  const groupsWith = async (groups: unknown) => {
    evil.claims = { groups };
    assert.equal(await tryEvil(service), null);
    const all = await owner.call('GET', '/api/installation/groups');
    const { items } = await json<{ items: { name: string; members: number }[] }>(all);
    return items.filter(({ members }) => members > 0).map(({ name }) => name);
  };
  // Case, and how a letter is encoded, do not count.
  assert.deepEqual(await groupsWith(['ADMINS', 'E\u0301quipe']), ['Admins', 'Équipe']);
  // At many providers anybody may make a group, of any name that is not taken there.
  for (const name of ['Ａdmins', 'Adm\u2170ns', 'ﬁnance', '𝐀dmins', 'Admins²', 'Admins\u200b'])
    assert.deepEqual(await groupsWith([name]), [], name);
});

test('a discovery document that is huge, slow, a redirect or of another issuer is refused, with the reason', async (t) => {
  const { evil, service } = await startBoth(t);
  const owner = service.visitor();
  await owner.call('POST', '/api/session', { email: 'owner@example.com', password: PASSWORD });
  const check = async () => {
    const response = await owner.call('POST', '/api/installation/sign-in/evil/check');
    const { state, failure } = (await response.json()) as { state: string; failure: string | null };
    return failure === null ? state : failure;
  };
  assert.equal(await check(), 'ready');
  const path = '/.well-known/openid-configuration';
  const host = new URL(evil.issuer).host;
  const chunk = Buffer.alloc(65_536, 32);
  evil.routes.set(path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('error', () => {});
    const more = () => {
      while (!response.destroyed && response.write(chunk)) {}
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  assert.equal(await check(), `${host} answered with more than 1.0 MB.`);
  evil.routes.set(path, (_request, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  );
  assert.match(
    await check(),
    /answered with a redirect \(302\), which is not followed\. Set the issuer/,
  );
  evil.routes.set(path, (_request, response) => response.writeHead(200).end('{"issuer": '));
  assert.match(await check(), /content-type|parsing/i);
  evil.routes.set(path, (_request, response) => response.destroy());
  assert.match(await check(), /could not be asked: the connection failed/);
  evil.routes.clear();
  for (const [change, wanted] of [
    [{ issuer: 'https://other.example' }, /issuer/],
    [{ issuer: undefined }, /issuer/],
    [
      { authorization_endpoint: 'javascript:alert(1)' },
      /authorization_endpoint is not an https address/,
    ],
    [{ end_session_endpoint: 'data:text/html,x' }, /end_session_endpoint is not an https address/],
    [{ token_endpoint: undefined }, /token_endpoint is not an https address/],
    [{ jwks_uri: 'file:///etc/passwd' }, /jwks_uri is not an https address/],
    [{ code_challenge_methods_supported: ['plain'] }, /does not support PKCE with S256/],
    [
      { id_token_signing_alg_values_supported: ['HS256', 'none'] },
      /signs its ID tokens with no public key/,
    ],
  ] as const) {
    evil.document = change;
    assert.match(await check(), wanted, JSON.stringify(change));
  }
  // What was read before is used as long as the new one is wrong.
  assert.equal(await tryEvil(service), null);

  // Endpoints in the private network, which only the operator could name.
  for (const endpoint of [
    'http://127.0.0.2:1/x',
    'http://localhost:1/x',
    'http://10.0.0.1/x',
    'http://[::1]:1/x',
    'http://169.254.169.254/x',
  ]) {
    evil.document = { token_endpoint: endpoint };
    assert.equal(await check(), 'ready');
    assert.equal(await tryEvil(service), 'failed');
    const [, state] = (
      (await (await owner.call('GET', '/api/installation/sign-in')).json()) as {
        items: { failure: string }[];
      }
    ).items;
    assert.match(state?.failure ?? '', /is not an address of the internet/, endpoint);
  }
  evil.document = {};
  assert.equal(await check(), 'ready');
  // Keys that are too many, or a redirect to somebody else's.
  evil.routes.set('/jwks', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"keys": [${'{"kty":"RSA"},'.repeat(100_000)}{}]}`);
  });
  assert.equal(await tryEvil(service), 'failed');
  evil.routes.set('/jwks', (_request, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  );
  assert.equal(await tryEvil(service), 'failed');
  evil.reset();
  assert.equal(await tryEvil(service), null);
});

test('no page that begins one sign-in after the other keeps a browser out', async (t) => {
  const { service } = await startBoth(t);
  const { origin } = service;
  const browser = testBrowser();
  // As a page of another site does it, which leads a window to /sign-in?with=evil again and again.
  for (let at = 0; at < 12; at++) await browser.start(origin, 'evil', `/${'x'.repeat(1_490)}`);
  // Too many cookies would be a 431 until they end.
  assert.equal(await browser.signIn(origin, 'evil'), '/');
  assert.equal(await browser.who(origin), 'mallory@evil.example');
  const flows = [...browser.cookies(origin).keys()].filter((name) => /_oidc_/.test(name));
  assert.equal(flows.length, 3);
});

test('no stranger tells the installation’s owner what a provider failed at', async (t) => {
  const { evil, service } = await startBoth(t);
  const owner = service.visitor();
  await owner.call('POST', '/api/session', { email: 'owner@example.com', password: PASSWORD });
  const shown = async () => {
    const all = await owner.call('GET', '/api/installation/sign-in');
    const { items } = (await all.json()) as {
      items: { id: string; state: string; failure: string | null }[];
    };
    const found = items.find(({ id }) => id === 'evil');
    return found?.failure ?? found?.state;
  };
  assert.equal(await tryEvil(service), null);
  const words = 'Your licence has ended. Go to https://evil.example/renew';
  // What the browser comes back with, its owner writes: here the provider plays a visitor.
  for (const callback of [
    { code: undefined, error: words },
    { code: undefined, error: 'access_denied', error_description: words },
    { code: undefined },
    { code: '' },
    { iss: 'https://evil.example' },
    { response: words },
  ]) {
    evil.callback = callback;
    assert.notEqual(await tryEvil(service), null, JSON.stringify(callback));
    assert.equal(await shown(), 'ready', JSON.stringify(callback));
  }
  // A code that was made up.
  evil.callback = { code: 'made up' };
  evil.routes.set('/token', (_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'invalid_grant', error_description: words }));
  });
  assert.equal(await tryEvil(service), 'failed');
  assert.equal(await shown(), 'ready');
  evil.reset();
  // What may be the fault of the configuration is told by its name alone.
  evil.callback = { code: undefined, error: 'invalid_scope', error_description: words };
  assert.equal(await tryEvil(service), 'failed');
  assert.equal(await shown(), 'A browser came back from the provider with invalid_scope.');
  // And what the provider itself says, in its words.
  evil.reset();
  evil.routes.set('/token', (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'invalid_client', error_description: 'No such secret' }));
  });
  assert.equal(await tryEvil(service), 'failed');
  assert.equal(await shown(), 'The provider answered invalid_client: No such secret.');
});

/** The secret of an invitation of the owner's project. */
async function invite(service: Service, email: string): Promise<string> {
  const owner = service.visitor();
  await owner.call('POST', '/api/session', { email: 'owner@example.com', password: PASSWORD });
  await owner.call('POST', '/api/projects', { name: 'Docs', slug: 'evil-docs' });
  const made = await owner.call('POST', '/api/projects/evil-docs/invitations', {
    email,
    role: 'viewer',
  });
  const { link } = (await made.json()) as { link: string };
  return link.split('/').at(-1) ?? '';
}
