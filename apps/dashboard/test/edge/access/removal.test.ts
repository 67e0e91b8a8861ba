import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import { hashPassword } from '../../../server/src/accounts/passwords.ts';
import { AccessCache } from '../../../server/src/edge/access/access-cache.ts';
import type {
  AccessDecision,
  AccessSource,
} from '../../../server/src/edge/access/access-source.ts';
import { readerSource } from '../../../server/src/site-access/reader-source.ts';
import type { SiteAccess } from '../../../server/src/site-access/site-access.ts';
import { setSiteAccess } from '../../../server/src/store/site-access.ts';
import { providerConfig } from '../../oidc/support/test-provider.ts';
import { startEdgeProgram } from '../../support/dashboard-program.ts';
import { accept, createProject, deploy, idOf, invite, makeToken } from '../../support/project.ts';
import { json, PASSWORD as OF_ACCOUNTS, startService } from '../../support/service.ts';
import { openTestDatabase, putProject, UP_TO_DATE } from '../../support/store.ts';
import { startTestEdge } from '../support/edge.ts';
import { MemorySource, SITE } from '../support/memory-source.ts';
import {
  addKey,
  askAt,
  beginAccountSignIn,
  changeAccess,
  makeSigner,
  sendPassword,
  sessionOf,
  setPassword,
  signInWithAccount,
} from './support/private-site.ts';

const HOST = 'pets.docs.localhost';
const PASSWORD = 'a shared password';

/** How soon everyone whose access ended is out, at every edge, in milliseconds. */
const WITHIN_MS = 1_000;

// On PostgreSQL: the table of visitors is played on SQLite.
test('whatever ends access ends it within a second at every edge', async (t) => {
  const databaseUrl = await (await sharedServer()).copyDatabase(UP_TO_DATE);
  const service = await startService(t, { databaseUrl, signUp: 'open' });
  const programs = await Promise.all([1, 2].map(() => startEdgeProgram(t, databaseUrl)));
  const edges = [service.edgePort, ...programs.map(({ port }) => port)].map((port) =>
    askAt(t, port),
  );
  const [ask, second, third] = edges as [(typeof edges)[0], (typeof edges)[0], (typeof edges)[0]];
  const root = await service.signUp('root@example.com');
  const reader = await service.signUp('reader@example.com');
  const readerId = await idOf(reader);
  await createProject(root, 'pets');
  await deploy(root, 'pets');
  await service.db
    .insertInto('groups')
    .values({
      ...{ id: 'staff', name: 'Staff', name_key: 'staff', source: 'local' },
      ...{ external_id: null, created_at: 0, updated_at: 0 },
    })
    .execute();

  /** Waits until every edge gives a visitor without a name this status. */
  const untilAll = (status: number) =>
    timeUntil(async () => {
      const answers = await Promise.all(edges.map((at) => at(HOST, '/')));
      return answers.every((answer) => answer.status === status);
    });

  /** All edges know that a visitor may read; how long it takes until none lets them in any more. */
  const ends = async (
    comes: () => Promise<Record<string, string>>,
    end: () => Promise<unknown>,
    what: string,
  ) => {
    await assertWithin(
      WITHIN_MS,
      async () => {
        const headers = await comes();
        const statuses = () =>
          Promise.all(edges.map(async (at) => (await at(HOST, '/', { headers })).status));
        assert.deepEqual(await statuses(), [200, 200, 200], what);
        // Just asked: the worst time for what they remember.
        await statuses();
        await end();
        return timeUntil(async () => (await statuses()).every((status) => status !== 200));
      },
      what,
    );
  };
  const cookie = (session: string | number | undefined) => {
    assert.equal(typeof session, 'string', `${session}`);
    return { cookie: `${session}` };
  };
  const byAccount = async () => cookie(await signInWithAccount(second, HOST, reader));
  const byPassword = async () => cookie(sessionOf(await sendPassword(third, HOST, PASSWORD)));
  const settle = () =>
    changeAccess(root, 'pets', { private: 'everything', everyone: false, groups: [] });

  const beOpen = async () => {
    await changeAccess(root, 'pets', { private: 'nothing' });
    await untilAll(200);
    return {};
  };
  await ends(beOpen, settle, 'a site that becomes private');
  const join = async () => {
    await accept(reader, await invite(root, 'pets', 'reader@example.com'));
    return byAccount();
  };
  const leave = () => root.call('DELETE', `/api/projects/pets/members/${readerId}`);
  await ends(join, leave, 'a membership');
  const everyone = async () => {
    await changeAccess(root, 'pets', { everyone: true });
    return byAccount();
  };
  await ends(everyone, settle, 'everyone with an account');
  const joinGroup = async () => {
    await changeAccess(root, 'pets', { groups: ['staff'] });
    const membership = { group_id: 'staff', user_id: readerId, source: 'local' as const };
    await service.db.deleteFrom('group_members').execute();
    await service.db
      .insertInto('group_members')
      .values({ ...membership, created_at: 0 })
      .execute();
    return byAccount();
  };
  const leaveGroup = () => service.db.deleteFrom('group_members').execute();
  await ends(joinGroup, leaveGroup, 'a membership of a group');
  await ends(joinGroup, settle, 'a group');

  const afresh = async () => {
    await service.db.updateTable('users').set({ disabled_at: null }).execute();
    const credentials = { email: 'reader@example.com', password: OF_ACCOUNTS };
    assert.equal((await reader.call('POST', '/api/session', credentials)).status, 200);
    return everyone();
  };
  await ends(afresh, () => reader.call('DELETE', '/api/session'), 'a session of the dashboard');
  const disable = () =>
    service.db.updateTable('users').set({ disabled_at: 1 }).where('id', '=', readerId).execute();
  await ends(afresh, disable, 'an account');
  await afresh();

  const set = async () => {
    await setPassword(root, 'pets', PASSWORD);
    // The edges that did not make the change have it by then.
    await timeUntil(async () => sessionOf(await sendPassword(third, HOST, PASSWORD)) !== undefined);
    return byPassword();
  };
  await ends(set, () => setPassword(root, 'pets', 'another password'), 'a password');
  await ends(set, () => root.call('DELETE', '/api/projects/pets/access/password'), 'no password');

  const portal = makeSigner('portal');
  let keyId = '';
  const aud = `http://${HOST}:${service.edgePort}`;
  const auds = [aud, ...programs.map(({ port }) => `http://${HOST}:${port}`)];
  const register = async () => {
    await root.call('DELETE', `/api/projects/pets/access/keys/${keyId}`);
    keyId = await addKey(root, 'pets', portal);
  };
  const byLink = async () => {
    await register();
    const link = `/_access/link?token=${await portal.sign({ aud: auds, jti: `${Math.random()}` })}`;
    return cookie(sessionOf(await ask(HOST, link)));
  };
  const removeKey = () => root.call('DELETE', `/api/projects/pets/access/keys/${keyId}`);
  await ends(byLink, removeKey, 'the key of a link');
  const byToken = async () => {
    await register();
    const token = await portal.sign({ aud: auds }, { typ: 'at+jwt' });
    const headers = { authorization: `Bearer ${token}` };
    for (const at of edges)
      await timeUntil(async () => (await at(HOST, '/', { headers })).status === 200);
    return headers;
  };
  await ends(byToken, removeKey, 'the key of a token');
  let tokenId = '';
  const byApiToken = async () => {
    const made = await makeToken(root);
    tokenId = made.id;
    return { authorization: `Bearer ${made.token}` };
  };
  const revoke = () => root.call('DELETE', `/api/account/tokens/${tokenId}`);
  await ends(byApiToken, revoke, 'an API token');
  const signOut = async (headers: Record<string, string>) =>
    third(HOST, '/_access/sign-out', { method: 'POST', headers });
  await ends(
    async () => {
      current = await afresh();
      return current;
    },
    () => signOut(current),
    'a session of the site',
  );

  // All sessions at once, however they began; and one that is about to begin.
  const signAllOut = () => root.call('DELETE', '/api/projects/pets/access/sessions');
  await ends(afresh, signAllOut, 'all sessions, by account');
  await ends(set, signAllOut, 'all sessions, by password');
  await ends(byLink, signAllOut, 'all sessions, by link');
  const begun = await beginAccountSignIn(second, HOST);
  await byAccount();
  const { url } = await json<{ url: string }>(
    await reader.call('POST', '/api/site-sign-in', begun.wanted),
  );
  const open = await json<SiteAccess>(await root.call('GET', '/api/projects/pets/access'));
  assert.equal(open.sessions, 1);
  assert.deepEqual(await json(await signAllOut()), { sessions: 1 });
  const { pathname, search } = new URL(url);
  const late = await second(HOST, pathname + search, { headers: { cookie: begun.cookie } });
  assert.equal(sessionOf(late), undefined, 'its ticket has ended too');
  const key = await byToken();
  await signAllOut();
  assert.equal((await ask(HOST, '/', { headers: key })).status, 200, 'a program goes on');

  const beThere = async () => {
    // It is gone when this is measured once more.
    if ((await root.call('GET', '/api/projects/pets')).status === 404) {
      await createProject(root, 'pets');
      await settle();
      await deploy(root, 'pets');
      await untilAll(401);
    }
    return afresh();
  };
  const close = () => root.call('DELETE', '/api/projects/pets', { confirm: 'pets' });
  await ends(beThere, close, 'a site');
});

test('a provider that becomes required ends what was opened with passwords, at every edge', async (t) => {
  const databaseUrl = await (await sharedServer()).copyDatabase(UP_TO_DATE);
  const service = await startService(t, { databaseUrl, signUp: 'open' });
  const ask = askAt(t, service.edgePort);
  const root = await service.signUp('root@else.example');
  await createProject(root, 'pets');
  await deploy(root, 'pets');
  await changeAccess(root, 'pets', { private: 'everything', everyone: true });
  const [employee, guest] = await Promise.all(
    ['ann@acme.example', 'ben@else.example'].map(async (email) => {
      const session = await signInWithAccount(ask, HOST, await service.signUp(email));
      return { cookie: `${session}` };
    }),
  );
  const status = async (headers = {}) => (await ask(HOST, '/', { headers })).status;
  assert.deepEqual([await status(employee), await status(guest)], [200, 200]);
  // The operator sets it and starts the dashboard anew; the edge goes on.
  const acme = providerConfig('https://login.acme.example', {
    ...{ emailDomains: ['acme.example'], required: 'domains' as const },
  });
  await startService(t, { databaseUrl, oidc: [acme] });
  await timeUntil(async () => (await status(employee)) === 401);
  assert.equal(await status(guest), 200);
});

/** Of the last reader who signs out. */
let current: Record<string, string> = {};

test('the sign-in page has the name that its project has now', async (t) => {
  const service = await startService(t);
  const ask = askAt(t, service.edgePort);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  await deploy(owner, 'pets');
  await changeAccess(owner, 'pets', { private: 'everything' });
  const title = async () => {
    const { body } = await ask(HOST, '/', { headers: { accept: 'text/html' } });
    return /<title>(.*)<\/title>/.exec(`${body}`)?.[1];
  };
  await json(await owner.call('PATCH', '/api/projects/pets', { name: 'Cats' }));
  await timeUntil(async () => (await title()) === 'Sign in – Cats');
  await json(await owner.call('PATCH', '/api/projects/pets', { name: 'Dogs' }));
  await timeUntil(async () => (await title()) === 'Sign in – Dogs');
});

test('while the store is away, whoever it knew stays in for a minute, and nobody else comes in', async (t) => {
  let decision: AccessDecision | Error = 'allowed';
  let asked = 0;
  const cache = new AccessCache({
    async judge() {
      asked += 1;
      if (decision instanceof Error) throw decision;
      return decision;
    },
  });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const judge = async (secret: string) => cache.judge('pets', { kind: 'token', secret });
  assert.equal(await judge('known'), 'allowed');
  now = 499;
  assert.equal(await judge('known'), 'allowed');
  assert.equal(asked, 1, 'half a second is remembered');
  now = 500;
  await judge('known');
  assert.equal(asked, 2);
  decision = new Error('away');
  now = 60_499;
  assert.equal(await judge('known'), 'allowed');
  await assert.rejects(judge('unknown'), /away/);
  now = 60_500;
  await assert.rejects(judge('known'), /away/);
  decision = 'unknown';
  assert.equal(await judge('known'), 'unknown');
  decision = new Error('away');
  now += 600;
  await assert.rejects(judge('known'), /away/, 'nobody is let in again');
});

test('whoever is let in no more stays in by no flood of made-up credentials', async (t) => {
  const held = Promise.withResolvers<AccessDecision>();
  const cache = new AccessCache({
    judge: async (_projectId, credential) =>
      credential.kind === 'token' && credential.secret === 'known' ? 'allowed' : held.promise,
  });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const judge = async (secret: string) => cache.judge('pets', { kind: 'token', secret });
  assert.equal(await judge('known'), 'allowed');
  const flood = Array.from({ length: 600 }, (_, at) => judge(`made up ${at}`));
  now = 501;
  await assert.rejects(judge('known'), /Too many look-ups/);
  held.resolve('unknown');
  await Promise.allSettled(flood);
  assert.equal(await judge('known'), 'allowed');
});

test('made-up credentials of one client keep no reader of another out', async (t) => {
  const released = Promise.withResolvers<void>();
  const { db } = await openTestDatabase(t);
  const access: AccessSource = {
    ...readerSource({ db, now: Date.now, passwordCost: { memoryKib: 64, passes: 1 } }),
    async judge(_projectId, credential) {
      if (credential.kind === 'token' && credential.secret.startsWith('good')) return 'allowed';
      await released.promise;
      return 'unknown';
    },
  };
  const source = new MemorySource();
  const site = { origin: 'http://c.test', name: 'Pets', look: undefined, hasPassword: true };
  source.deploy('c.test', SITE, { access: { ...site, keys: [], dashboard: 'http://d.test' } });
  const { port } = await startTestEdge(t, { source, access });
  const ask = (from: string) => {
    const at = askAt(t, port, { from, maxSockets: 600 });
    return async (token: string) =>
      (await at('c.test', '/', { headers: { authorization: `Bearer ${token}` } })).status;
  };
  const comes = ask('127.0.0.3');
  assert.equal(await comes('good-1'), 200);
  const flood = ask('127.0.0.2');
  const answers = Array.from({ length: 600 }, (_, at) => flood(`made-up-${at}`));
  // Those for which there is no room are told so.
  assert.equal(await Promise.race(answers), 503);
  const reader = comes('good-2');
  assert.equal(await flood('one-more'), 503);
  released.resolve();
  assert.equal(await reader, 200);
  assert.deepEqual(new Set(await Promise.all(answers)), new Set([401, 503]));
});

onSharedEngines('wrong passwords are counted for all edges together', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets');
  await putProject(db, 'others');
  const cost = { memoryKib: 64, passes: 1 };
  const password_hash = await hashPassword(PASSWORD, cost);
  for (const project of ['pets', 'others'])
    await db
      .transaction()
      .execute((trx) =>
        setSiteAccess(trx, project, { password_hash, password_id: 'x', password_at: 1 }),
      );
  let now = 1_000_000;
  const edges = [1, 2].map(() => readerSource({ db, now: () => now, passwordCost: cost }));
  const host = 'pets.docs.localhost' as never;
  const guess = async (
    at: number,
    network: string | undefined,
    password = 'wrong',
    projectId = 'pets',
  ) => {
    const result = await edges[at % 2]?.signInWithPassword({ projectId, host }, password, network);
    return result && 'refused' in result ? result.refused : 'in';
  };
  for (let at = 0; at < 9; at++) assert.equal(await guess(at, 'a'), 'wrong');
  assert.equal(await guess(0, 'a', PASSWORD), 'in', 'what is right does not count');
  assert.equal(await guess(1, 'a'), 'wrong');
  for (const at of [0, 1]) assert.equal(await guess(at, 'a', PASSWORD), 'too_many');
  assert.equal(await guess(0, 'b', PASSWORD), 'in', 'another network');
  assert.equal(await guess(0, 'a', PASSWORD, 'others'), 'in', 'another site');
  now += 15 * 60_000;
  assert.equal(await guess(0, 'a', PASSWORD), 'in', 'after a quarter of an hour');
  // From everywhere together: more than a thousand.
  await db
    .insertInto('sign_in_failures')
    .values({ key: 'site:others', count: 1_000, resets_at: now + 1_000 })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ count: 1_000 }))
    .execute();
  for (const network of ['c', undefined])
    assert.equal(await guess(0, network, PASSWORD, 'others'), 'too_many');
});

test('more passwords at once than a process checks are told to come again', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets');
  const cost = { memoryKib: 19_456, passes: 2 };
  const password_hash = await hashPassword(PASSWORD, cost);
  await db
    .transaction()
    .execute((trx) =>
      setSiteAccess(trx, 'pets', { password_hash, password_id: 'x', password_at: 1 }),
    );
  const source = readerSource({ db, now: Date.now, passwordCost: cost });
  const place = { projectId: 'pets', host: 'pets.docs.localhost' as never };
  const results = await Promise.all(
    Array.from({ length: 22 }, (_, at) => source.signInWithPassword(place, PASSWORD, `${at}`)),
  );
  const busy = results.filter((result) => 'refused' in result && result.refused === 'busy');
  assert.ok(busy.length > 0 && busy.length < 22, `${busy.length} of 22`);
});
