import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { createHmac, hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { sql } from 'kysely';
import {
  hashPassword,
  PASSWORD_COST,
  type PasswordCost,
} from '../../../server/src/accounts/passwords.ts';
import type { AccessSource } from '../../../server/src/edge/access/access-source.ts';
import type { SiteAccess } from '../../../server/src/edge/access/site-access.ts';
import { readPublicKey } from '../../../server/src/site-access/read-public-key.ts';
import { readerSource } from '../../../server/src/site-access/reader-source.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { insertSiteKey, setSiteAccess } from '../../../server/src/store/site-access.ts';
import { openTestDatabase, putProject } from '../../support/store.ts';
import { exchange } from '../support/edge.ts';
import { MemorySource, SITE } from '../support/memory-source.ts';
import {
  askSession,
  deploySecurely,
  handshake,
  openSession,
  startSecureEdge,
} from '../support/secure-edge.ts';
import {
  type Answer,
  type AskAt,
  askAt,
  makeSigner,
  sendPassword,
  sessionOf,
} from './support/private-site.ts';

const PASSWORD = 'a shared password';
const CHEAP = { memoryKib: 64, passes: 1 };

const portal = makeSigner('portal');
const elliptic = makeSigner('elliptic', 'ES256');

/**
 * An edge with the private sites `a.test` and `b.test`, of two projects with the same password and keys, both with a
 * certificate, and `c.test`, which is plain and private, of the first project too.
 */
async function startPrivateEdge(t: TestContext, passwordCost: PasswordCost = CHEAP) {
  const { db } = await openTestDatabase(t);
  const access: AccessSource = readerSource({ db, now: Date.now, passwordCost });
  const source = new MemorySource();
  const accessOf = (projectId: string, origin: string): SiteAccess => ({
    ...{ origin, name: 'Pets', look: undefined, hasPassword: true },
    keys: [portal, elliptic].map(({ kid, publicKey }) => {
      const { algorithm, jwk } = readPublicKey(publicKey);
      return { id: `${projectId} ${kid}`, kid, algorithm, publicKey: jwk };
    }),
    dashboard: 'https://dashboard.test',
  });
  for (const projectId of ['one', 'two']) {
    await putProject(db, projectId);
    const password_hash = await hashPassword(PASSWORD, passwordCost);
    await db.transaction().execute(async (trx) => {
      await setSiteAccess(trx, projectId, { password_hash, password_id: 'x', password_at: 1 });
      for (const { kid } of [portal, elliptic])
        await insertSiteKey(trx, {
          ...{ id: `${projectId} ${kid}`, project_id: projectId, kid, algorithm: 'EdDSA' },
          ...{ public_key: '', created_at: 1, created_by_email: '' },
        });
    });
  }
  const put = async (host: string, projectId: string) =>
    deploySecurely(source, host, SITE, {
      projectId,
      access: accessOf(projectId, `https://${host}`),
    });
  await put('a.test', 'one');
  await put('b.test', 'two');
  source.deploy('c.test', SITE, { projectId: 'one', access: accessOf('one', 'http://c.test') });
  const edge = await startSecureEdge(t, { source, access });
  const plain = askAt(t, edge.port);
  return { ...edge, source, db, plain, accessOf };
}

/** Signs in over TLS by HTTP/1.1; the answer. `name`: how the browser writes the host. */
async function secureForm(port: number, host: string, body: string, name = host): Promise<Answer> {
  const socket = await handshake(port, { servername: host, ALPNProtocols: ['http/1.1'] });
  const sent = request({
    ...{ path: '/_access/sign-in', method: 'POST', createConnection: () => socket },
    headers: { 'content-length': body.length, host: name, origin: `https://${name}` },
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const { statusCode: status, headers, rawHeaders } = response;
  return { status, headers, rawHeaders, body: await buffer(response) };
}

const FORM = `${new URLSearchParams({ password: PASSWORD, to: '/guides/start' })}`;

test('over TLS the cookie is of this host alone, and no form is taken without TLS', async (t) => {
  const { httpsPort, askSecurely, plain } = await startPrivateEdge(t);
  const answer = await secureForm(httpsPort, 'a.test', FORM);
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.location, 'https://a.test/guides/start');
  // The last dot says that a name is whole; it is the same host.
  assert.equal((await secureForm(httpsPort, 'a.test', FORM, 'a.test.')).status, 303);
  assert.match(
    answer.headers['set-cookie']?.[0] ?? '',
    /^__Host-site_access=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
  );
  const cookie = sessionOf(answer) ?? '';
  const ask = (host: string) => askSecurely('/guides/start', { host, headers: { cookie } });
  assert.equal((await ask('a.test')).status, 200);
  assert.equal((await ask('b.test')).status, 401, 'the cookie of one site on another');
  const session = await openSession(t, httpsPort);
  const h2 = (headers: Record<string, string>) =>
    askSession(session, { ':path': '/guides/start', ...headers });
  assert.equal((await h2({ cookie })).status, 200);
  assert.equal((await h2({})).status, 401);
  assert.equal((await h2({ cookie: cookie.replace('__Host-', '') })).status, 401);
  // Without TLS all of it leads to TLS, and a form to nothing.
  const led = await plain('a.test', '/guides/start?x=1');
  assert.deepEqual([led.status, led.headers.location], [301, 'https://a.test/guides/start?x=1']);
  assert.equal((await plain('a.test', '/nothing')).headers.location, 'https://a.test/nothing');
  const form = await sendPassword(plain, 'a.test', PASSWORD);
  assert.deepEqual([form.status, form.headers['set-cookie']], [405, undefined]);
});

test('no spelling of a host or a path leads past the gate, over either version of HTTP', async (t) => {
  const { httpsPort, port, plain, source } = await startPrivateEdge(t);
  source.forgetAsked();
  const paths = [
    ...['//guides/start', '/./guides/start', '/guides/../guides/start', '/GUIDES/START'],
    ...[
      '/guides/%73tart',
      '/%67uides/start',
      '/guides/start/',
      '/guides/start?x',
      '/guides/start.md',
    ],
    ...['/_access/../guides/start', '/_access/sign-in/../../guides/start', '/_access/', '/_access'],
    ...['/_access/%73ign-out', '/.well-known/api-catalog', '/.well-known/../guides/start'],
    ...[
      'http://c.test/guides/start',
      'http://C.TEST:80/guides/start',
      'http://c.test./guides/start',
    ],
  ];
  for (const path of paths) {
    for (const host of ['c.test', 'C.Test', 'c.test.', 'c.test:1234']) {
      const answer = await plain(host, path);
      // What no file's path can be is a 404 for everybody, public or not.
      assert.ok(answer.status === 401 || path.startsWith('/.well-known/..'), `${host} ${path}`);
      assert.doesNotMatch(answer.body.toString(), /Guide|text<\/p>/, `${host} ${path}`);
    }
  }
  // The host of the target counts, so no other one lends its cookie.
  const session = sessionOf(await sendPassword(plain, 'c.test', PASSWORD)) ?? '';
  const reader = await plain('c.test', '/guides/start', { headers: { cookie: session } });
  assert.equal(reader.status, 200);
  const absolute = `GET http://a.test/guides/start HTTP/1.1\r\nHost: c.test\r\nCookie: ${session}\r\nConnection: close\r\n\r\n`;
  assert.match(await exchange(port, absolute), /^HTTP\/1\.1 301 .*Location: https:\/\/a\.test\//s);
  const two = `GET /guides/start HTTP/1.1\r\nHost: c.test\r\nHost: a.test\r\nCookie: ${session}\r\nConnection: close\r\n\r\n`;
  assert.match(await exchange(port, two), /^HTTP\/1\.1 400 /);

  const h2 = await openSession(t, httpsPort);
  const cookie = sessionOf(await secureForm(httpsPort, 'a.test', FORM)) ?? '';
  const smuggled = [
    [{ ':authority': 'b.test', cookie }, 421],
    [{ ':authority': 'a.test', host: 'b.test', cookie }, 400],
    [{ ':authority': 'a.test.', cookie }, 200],
    [{ ':authority': 'A.TEST', cookie }, 200],
    [{ ':authority': 'c.test', cookie }, 421],
  ] as const;
  for (const [headers, status] of smuggled) {
    const answer = await askSession(h2, { ...headers, ':path': '/guides/start' });
    assert.equal(answer.status, status, JSON.stringify(headers));
  }
});

test('before somebody may read, nothing of what they ask for is looked up', async (t) => {
  const { plain, source } = await startPrivateEdge(t);
  await plain('c.test', '/');
  source.forgetAsked();
  for (const path of ['/guides/start', '/nothing', '/old', '/mcp', '/_site/proxy', '/sitemap.xml'])
    for (const headers of [{}, { accept: 'text/html' }, { range: 'bytes=0-1' }])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'])
        assert.equal((await plain('c.test', path, { method, headers })).status, 401);
  const { changesAfter: _polls, ...asked } = source.asked;
  assert.ok(
    Object.values(asked).every((count) => count === 0),
    JSON.stringify(asked),
  );
});

test('what was public before is gone from connections, tags and parts at once', async (t) => {
  const { port, source, invalidate, plain, accessOf } = await startPrivateEdge(t);
  source.deploy('d.test', SITE, { projectId: 'one' });
  /** Asks on a connection of its own, as plainly as the fast path wants it. */
  const openConnection = () => {
    const socket = connect(port, '127.0.0.1');
    cleanUp(t, () => socket.destroy());
    socket.setEncoding('latin1');
    return async (headers = '') => {
      socket.write(`GET /guides/start HTTP/1.1\r\nHost: d.test\r\n${headers}\r\n`);
      const [text] = (await once(socket, 'data')) as [string];
      return text;
    };
  };
  const get = openConnection();
  const first = await plain('d.test', '/guides/start');
  const { etag } = first.headers;
  assert.ok(etag);
  assert.match(await get(`If-None-Match: ${etag}\r\n`), /^HTTP\/1\.1 304 /, 'the fast path has it');
  source.deploy('d.test', SITE, { projectId: 'one', access: accessOf('one', 'http://d.test') });
  invalidate(['one']);
  const then = await get(`If-None-Match: ${etag}\r\n`);
  assert.match(then, /^HTTP\/1\.1 401 /);
  assert.doesNotMatch(then, /etag/i);
  for (const headers of [
    { 'if-none-match': etag },
    { 'if-none-match': '*' },
    { 'if-match': etag },
    { range: 'bytes=0-9', 'if-range': etag },
    { range: 'bytes=99999999-' },
  ] satisfies Record<string, string>[])
    assert.equal((await plain('d.test', '/guides/start', { headers })).status, 401);
  // A reader gets it whole, whatever copy they kept from before, and may not keep it.
  const cookie = sessionOf(await sendPassword(plain, 'd.test', PASSWORD)) ?? '';
  const read = await plain('d.test', '/guides/start', {
    headers: { cookie, 'if-none-match': etag },
  });
  assert.equal(read.status, 200);
  assert.equal(read.headers['cache-control'], 'private, no-store');
  assert.match(read.headers.vary ?? '', /Authorization, Cookie$/);
  const another = await openConnection()();
  assert.match(another, /^HTTP\/1\.1 401 /, 'what memory has by now is for readers alone');
  // Public again: as it was.
  source.deploy('d.test', SITE, { projectId: 'one' });
  invalidate(['one']);
  assert.equal((await plain('d.test', '/guides/start')).headers.etag, etag);
  const link = await plain('d.test', '/_access/link?token=x&to=/guides/start');
  assert.deepEqual([link.status, link.headers.location], [303, 'https://d.test/guides/start']);
});

test('signing in leads to this site alone, and only its own page sends the form', async (t) => {
  const { plain } = await startPrivateEdge(t);
  const elsewhere = [
    ...['//evil.test', '/\\evil.test', 'https://evil.test', '\\\\evil.test', '/\t/evil.test', ''],
    ...['javascript:alert(1)', '/x\r\nSet-Cookie: a=b', `/${'x'.repeat(5_000)}`, '/é'],
  ];
  for (const to of elsewhere) {
    const answer = await sendPassword(plain, 'c.test', PASSWORD, to);
    assert.deepEqual([answer.status, answer.headers.location], [303, 'http://c.test/'], to);
  }
  const begun = await plain('c.test', '/_access/account?to=//evil.test');
  const url = new URL(begun.headers.location ?? '');
  assert.equal(url.origin, 'https://dashboard.test');
  assert.equal(url.searchParams.get('to'), '/');
  for (const headers of [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: 'http://a.c.test' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const answer = await sendPassword(plain, 'c.test', PASSWORD, '/', headers);
    assert.deepEqual([answer.status, answer.headers['set-cookie']], [403, undefined]);
  }
  const long = await plain('c.test', '/_access/sign-in', {
    method: 'POST',
    body: 'a'.repeat(20_000),
  });
  assert.equal(long.status, 413);
  // What a visitor asked for is text in the page, and nothing else.
  const page = await plain('c.test', '/"><script>alert(1)</script>', {
    headers: { accept: 'text/html' },
  });
  assert.doesNotMatch(page.body.toString(), /<script>/);
  assert.match(
    String(page.headers['content-security-policy']),
    /^default-src 'none'; style-src 'sha256-/,
  );
});

test('a page of another origin loads nothing with the cookie of a reader, and is told nothing', async (t) => {
  const { plain } = await startPrivateEdge(t);
  const cookie = sessionOf(await sendPassword(plain, 'c.test', PASSWORD)) ?? '';
  const ask = (path: string, site: string, mode: string, dest: string) =>
    plain('c.test', path, {
      headers: {
        ...{ cookie, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
      },
    });
  const isolation = (answer: Answer) =>
    ['cross-origin-opener-policy', 'cross-origin-resource-policy'].map(
      (name) => answer.headers[name],
    );
  for (const path of ['/guides/start', '/pets.md', '/logo.svg', '/nothing', '/old']) {
    for (const site of ['same-site', 'cross-site']) {
      for (const [mode, dest] of [
        ['no-cors', 'image'],
        ['no-cors', 'script'],
        ['no-cors', 'empty'],
        ['cors', 'empty'],
        ['navigate', 'iframe'],
        ['navigate', 'object'],
      ] as const)
        assert.equal((await ask(path, site, mode, dest)).status, 401, `${path} ${site} ${dest}`);
      // Who follows a link from there.
      const followed = await ask(path, site, 'navigate', 'document');
      assert.notEqual(followed.status, 401, path);
      assert.deepEqual(isolation(followed), ['same-origin-allow-popups', 'same-origin'], path);
    }
    for (const site of ['same-origin', 'none'])
      assert.notEqual((await ask(path, site, 'no-cors', 'image')).status, 401);
    const denied = await plain('c.test', path);
    assert.deepEqual(isolation(denied), ['same-origin-allow-popups', 'same-origin'], path);
  }
});

/** Ann, who is signed in to the dashboard. */
async function putSession(db: Db): Promise<void> {
  await db
    .insertInto('users')
    .values({
      ...{ id: 'ann', email: 'ann', name: 'Ann', password_hash: '', role: 'owner' },
      created_at: 0,
    })
    .execute();
  await db
    .insertInto('sessions')
    .values({
      ...{ id: 'ses', token_hash: 'ses', user_id: 'ann', created_at: 0, last_seen_at: 0 },
      ...{ expires_at: Date.now() + 1e9, ip: '', user_agent: '' },
    })
    .execute();
}

/** A ticket that the dashboard gave to the browser with this attempt. */
async function putTicket(db: Db, attempt: string, change = {}): Promise<string> {
  const ticket = `ticket-${randomUUID()}`;
  await db
    .insertInto('site_tickets')
    .values({
      ...{ ticket_hash: hash('sha256', ticket, 'hex'), project_id: 'one', host: 'c.test' },
      ...{ session_id: 'ses', state: hash('sha256', attempt, 'base64url') },
      expires_at: Date.now() + 60_000,
      ...change,
    })
    .execute();
  return ticket;
}

/** A browser that left for the dashboard to sign in. */
async function beginSignIn(plain: AskAt) {
  const left = await plain('c.test', '/_access/account');
  const cookie = left.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { cookie, attempt: cookie.split('=')[1] ?? '' };
}

test('a ticket is good once, on its host, in the browser that asked, for a minute', async (t) => {
  const { plain, db } = await startPrivateEdge(t);
  await putSession(db);
  const issue = (attempt: string, change = {}) => putTicket(db, attempt, change);
  const begin = () => beginSignIn(plain);
  const { cookie, attempt } = await begin();
  const redeem = (ticket: string, headers: Record<string, string> = { cookie }, method = 'GET') =>
    plain('c.test', `/_access/ticket?ticket=${ticket}&to=/guides/start`, { headers, method });

  const good = await issue(attempt);
  assert.equal(
    (await redeem(good, { cookie }, 'HEAD')).status,
    401,
    'a look at it uses nothing up',
  );
  const back = await redeem(good);
  assert.deepEqual([back.status, back.headers.location], [303, 'http://c.test/guides/start']);
  const session = sessionOf(back) ?? '';
  assert.equal((await plain('c.test', '/', { headers: { cookie: session } })).status, 200);
  assert.equal((await redeem(good)).status, 401, 'twice');
  const again = await redeem(good, { cookie: session });
  assert.equal(again.headers.location, 'http://c.test/guides/start', 'whoever is in goes on');

  const other = await begin();
  assert.equal((await redeem(await issue(attempt), { cookie: other.cookie })).status, 401);
  assert.equal((await redeem(await issue(attempt), {})).status, 401, 'without the cookie');
  const doubled = { cookie: `${cookie}; ${other.cookie}` };
  assert.equal((await redeem(await issue(attempt), doubled)).status, 401, 'with two of them');
  assert.equal((await redeem(await issue(attempt, { host: 'a.test' }))).status, 401);
  assert.equal((await redeem(await issue(attempt, { project_id: 'two' }))).status, 401);
  assert.equal((await redeem(await issue(attempt, { expires_at: Date.now() - 1 }))).status, 401);
  // Whoever gives a browser a session of their own choice has not signed it in.
  const fixed = `site_access=${'A'.repeat(43)}`;
  const signedIn = await sendPassword(plain, 'c.test', PASSWORD, '/', { cookie: fixed });
  assert.notEqual(sessionOf(signedIn), fixed);
  assert.equal((await plain('c.test', '/', { headers: { cookie: fixed } })).status, 401);
});

test('a signed token is what it says, signed as its key signs, and a link is exchanged once', async (t) => {
  const { plain } = await startPrivateEdge(t);
  const aud = 'http://c.test';
  const open = (token: string, method = 'GET') =>
    plain('c.test', `/_access/link?token=${token}&to=/guides/start`, { method });
  const readUntil = Math.floor(Date.now() / 1_000) + 7_200;
  const good = await portal.sign({ aud, read_until: readUntil });
  assert.equal((await open(good, 'HEAD')).status, 401);
  const secondsLeft = () => Math.floor(readUntil - Date.now() / 1_000);
  const most = secondsLeft();
  const opened = await open(good);
  assert.equal(opened.status, 303);
  const [, maxAge] = /Max-Age=(\d+);/.exec(opened.headers['set-cookie']?.[0] ?? '') ?? [];
  assert.ok(Number(maxAge) <= most && Number(maxAge) >= secondsLeft(), `${maxAge} of ${most}`);
  assert.equal((await open(good)).status, 401, 'twice');

  // The other form of the same signature is the same link (ES256 has two).
  const signed = await elliptic.sign({ aud });
  assert.equal((await open(signed)).status, 303);
  assert.equal((await open(otherForm(signed))).status, 401);

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 60;
  const [, body = '', signature = ''] = (await portal.sign({ aud })).split('.');
  const byPublicKey = (() => {
    const text = `${part({ alg: 'HS256', kid: 'portal' })}.${part({ aud, exp })}`;
    return `${text}.${createHmac('sha256', portal.publicKey).update(text).digest('base64url')}`;
  })();
  const forged: Record<string, string> = {
    'no algorithm': `${part({ alg: 'none', kid: 'portal' })}.${part({ aud, exp })}.`,
    'the public key as a shared one': byPublicKey,
    'the algorithm of another key': `${part({ alg: 'ES256', kid: 'portal' })}.${body}.${signature}`,
    'another key': await elliptic.sign({ aud }, { kid: 'portal' }),
    'no key': await portal.sign({ aud }, { kid: undefined }),
    'an unknown extension': await portal.sign({ aud }, { crit: ['x'], x: 1 }).catch(() => ''),
    'another body': `${signed.split('.')[0]}.${part({ aud, exp })}.${signed.split('.')[2]}`,
    'no audience': await portal.sign({}),
    'another port': await portal.sign({ aud: 'http://c.test:81' }),
    'a longer name': await portal.sign({ aud: 'http://c.test.evil.test' }),
    TLS: await portal.sign({ aud: 'https://c.test' }),
    'the future': await portal.sign({ aud, nbf: exp + 3_600 }),
    'no end of reading': await portal.sign({ aud, read_until: 'never' }),
    'an end of reading that is too late': await portal.sign({ aud, read_until: exp + 8 * 86_400 }),
    'an end of reading that is over': await portal.sign({ aud, read_until: exp - 3_600 }),
    'no text': 'x',
    'three parts': 'a.b.c',
    'too much': await portal.sign({ aud, more: 'x'.repeat(5_000) }),
  };
  for (const [what, token] of Object.entries(forged)) {
    const answer = await open(token);
    assert.equal(answer.status, 401, what);
    assert.equal(answer.headers['set-cookie'], undefined, what);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await plain('c.test', '/', { headers })).status, 401, what);
  }
});

test('a link and a ticket whose exchange failed are still good', async (t) => {
  const { plain, db } = await startPrivateEdge(t);
  await putSession(db);
  const { cookie, attempt } = await beginSignIn(plain);
  const ticket = await putTicket(db, attempt);
  const token = await portal.sign({ aud: 'http://c.test' });
  for (const path of [`/_access/ticket?ticket=${ticket}`, `/_access/link?token=${token}`]) {
    const open = () => plain('c.test', path, { headers: { cookie } });
    await sql`
      CREATE TRIGGER full BEFORE INSERT ON site_sessions
      BEGIN SELECT RAISE(ABORT, 'no space'); END`.execute(db);
    assert.equal((await open()).status, 503, path);
    await sql`DROP TRIGGER full`.execute(db);
    const opened = await open();
    assert.equal(opened.status, 303, path);
    const session = { cookie: sessionOf(opened) ?? '' };
    assert.equal((await plain('c.test', '/', { headers: session })).status, 200, path);
    assert.equal((await open()).status, 401, `${path} twice`);
  }
});

onBothEngines('times of a signed token may have fractions of a second', async (t) => {
  const { plain } = await startPrivateEdge(t);
  const aud = 'http://c.test';
  const seconds = Math.floor(Date.now() / 1_000) + 60.000_17;
  for (const claims of [{ exp: seconds }, { read_until: seconds + 3_600 }]) {
    const token = await portal.sign({ aud, ...claims });
    const opened = await plain('c.test', `/_access/link?token=${token}&to=/guides/start`);
    assert.equal(opened.status, 303, JSON.stringify(claims));
    const cookie = sessionOf(opened) ?? '';
    assert.equal((await plain('c.test', '/', { headers: { cookie } })).status, 200);
  }
});

/** An ES256 signature with `n - s` in place of `s`. */
function otherForm(token: string): string {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const [head, body, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const other = (order - s).toString(16).padStart(64, '0');
  const made = Buffer.concat([bytes.subarray(0, 32), Buffer.from(other, 'hex')]);
  return `${head}.${body}.${made.toString('base64url')}`;
}

test('whoever knows the password comes in, however many of their network come at once', async (t) => {
  const { port } = await startPrivateEdge(t, PASSWORD_COST);
  const plain = askAt(t, port, { from: '127.0.0.2', maxSockets: 20 });
  const all = await Promise.all(
    Array.from({ length: 14 }, () => sendPassword(plain, 'c.test', PASSWORD)),
  );
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([303]));
  // As many wrong ones as before, and no more.
  for (let at = 0; at < 10; at++)
    assert.equal((await sendPassword(plain, 'c.test', 'wrong password')).status, 401);
  assert.equal((await sendPassword(plain, 'c.test', PASSWORD)).status, 429);
});

test('a flood of passwords from one network neither keeps others out nor counts as guesses', async (t) => {
  const { port, source, accessOf } = await startPrivateEdge(t, PASSWORD_COST);
  // Of the attacker, who knows its password.
  source.deploy('d.test', SITE, { projectId: 'two', access: accessOf('two', 'http://d.test') });
  const flood = askAt(t, port, { from: '127.0.0.2', maxSockets: 60 });
  const answers = ['c.test', 'd.test'].flatMap((host) =>
    Array.from({ length: 25 }, () => sendPassword(flood, host, PASSWORD)),
  );
  await Promise.race(answers);
  const others = askAt(t, port, { from: '127.0.0.3' });
  assert.equal((await sendPassword(others, 'c.test', PASSWORD)).status, 303);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([303, 503]));
  assert.equal((await sendPassword(flood, 'c.test', PASSWORD)).status, 303);
});

test('programs are told how to come in', async (t) => {
  const { plain, askSecurely } = await startPrivateEdge(t);
  const asked = await plain('c.test', '/mcp', { method: 'POST', body: '{}' });
  const address = 'http://c.test/.well-known/oauth-protected-resource/mcp';
  assert.equal(asked.headers['www-authenticate'], `Bearer resource_metadata="${address}"`);
  const described = await plain('c.test', new URL(address).pathname);
  assert.deepEqual(JSON.parse(described.body.toString()), {
    ...{ resource: 'http://c.test/mcp', resource_name: 'Pets' },
    ...{ bearer_methods_supported: ['header'], scopes_supported: ['read'] },
  });
  const whole = await askSecurely('/.well-known/oauth-protected-resource');
  assert.equal(JSON.parse(whole.body.toString()).resource, 'https://a.test');
  assert.equal((await plain('c.test', '/.well-known/oauth-protected-resource/x')).status, 404);
  const bad = await plain('c.test', '/', { headers: { authorization: 'Bearer dash_x' } });
  assert.match(bad.headers['www-authenticate'] ?? '', /^Bearer error="invalid_token", error_desc/);
});

test('a challenge of a certificate is answered on a private host', async (t) => {
  const { plain, source } = await startPrivateEdge(t);
  source.challenges.set('c.test abc', 'abc.key');
  const answer = await plain('c.test', '/.well-known/acme-challenge/abc');
  assert.deepEqual([answer.status, answer.body.toString()], [200, 'abc.key']);
});
