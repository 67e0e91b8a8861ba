import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { findPebble, startPebble } from '@petstore/lab/pebble.ts';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms, runProgram, startProgram } from '@petstore/test-support/program.ts';
import { startUnbound, WITHOUT_DNS_TOOLS } from '@petstore/test-support/resolvers.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { createQuota, queryServer } from '../../server/src/domains/dns/query-server.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { startPdns, WITHOUT_PDNS } from '../domains/dns/support/pdns.ts';
import { DASHBOARD, killAtOnce } from '../support/dashboard-program.ts';
import { documentTitled } from '../support/project.ts';
import { PASSWORD, visitorOf } from '../support/service.ts';
import { askHttp2, client } from './client.ts';

// A fresh server with one command: PowerDNS is the world's DNS, pebble the authority, and Unbound its resolver, whose
// answers are held where a test needs the authority to wait.

coverNoPrograms();

const NAME = 'docs.example.test';
const API = 'api.example.test';
const ADDRESS = '127.0.0.2';
const ZONE = `acme.${NAME}`;
/** How long the authority's resolver may take, in milliseconds. */
const RESOLVER_MS = 10_000;
const PETSTORE = fileURLToPath(new URL('../../../petstore/bin/petstore.js', import.meta.url));

const ADDRESSES = [`docs IN A ${ADDRESS}`, `*.docs IN A ${ADDRESS}`, `api IN A ${ADDRESS}`];
const DELEGATION = [
  `ns-acme.docs IN A ${ADDRESS}`,
  `acme.docs IN NS ns-${ZONE}.`,
  `_acme-challenge.docs IN CNAME platform.${ZONE}.`,
];

interface Facts {
  readonly url: string;
  readonly own: { readonly localUrl: string; readonly records: object[]; hasCertificate: boolean };
}

const pebble = await findPebble();
const missing = WITHOUT_PDNS || WITHOUT_DNS_TOOLS || (pebble ? false : 'pebble is not installed');

test('one command on a fresh server: delegate, start, sign in over HTTPS, deploy, open the site, add a domain', {
  skip: process.env.CI_REQUIRES_ALL !== '1' && missing,
}, async (t) => {
  assert.ok(pebble);
  const folder = await temporaryFolder(t);
  const taken: number[] = [];
  const port = async () => {
    taken.push(await anyPort(taken));
    return taken.at(-1) as number;
  };
  const ports = { http: await port(), https: await port(), petstore: await port() };
  // Nobody resolves an ALIAS here.
  const zones = { test: [], 'example.test': ADDRESSES, 'customer.test': [] };
  const pdns = await startPdns(t, zones, '127.0.0.1');
  const world = `127.0.0.1:${pdns.port}`;
  const resolver = await startUnbound(t, {
    ...{ 'example.test': world, 'customer.test': world },
    [ZONE]: `${ADDRESS}:${pdns.port}`,
  });
  const relay = await startNameServer();
  cleanUp(t, relay.close);
  relay.forward('test', resolver, RESOLVER_MS);
  const authority = await startPebble(pebble, {
    ...{ httpPort: ports.http, tlsPort: ports.https, nameServer: relay.server },
    certificateLifetimeMs: 86_400_000,
  });
  cleanUp(t, authority.close);
  const petstore = `http://127.0.0.1:${ports.petstore}`;
  const settings = {
    ...{ EDGE_HOST: ADDRESS, EDGE_HTTP_PORT: `${ports.http}`, EDGE_HTTPS_PORT: `${ports.https}` },
    ...{ EDGE_HTTPS_PUBLIC_PORT: `${ports.https}`, DASHBOARD_PORT: '0' },
    ...{ DNS_HOST: ADDRESS, DNS_ADDRESSES: ADDRESS, DNS_PORT: `${pdns.port}` },
    ...{ DNS_SERVERS: world, DNS_AUTHORITATIVE_PORT: `${pdns.port}`, DNS_PRIVATE_SERVERS: 'allow' },
    ...{ ACME_DIRECTORY_URL: authority.directoryUrl, ACME_CA_FILE: authority.caFile },
    ...{ DASHBOARD_PETSTORE_URL: petstore, DASHBOARD_DATA_DIR: join(folder, 'data') },
  };
  const start = async () => {
    const args = [DASHBOARD, 'serve', '--json', '--domain', NAME, '--petstore', API];
    const program = startProgram(t, process.execPath, args, folder, settings);
    await timeUntil(async () => {
      assert.equal(program.child.exitCode, null, program.output.stderr);
      return program.output.stdout.includes('\n');
    });
    return { program, facts: JSON.parse(program.output.stdout) as Facts };
  };
  const { plain, secure, http2 } = client(ADDRESS, ports, authority.rootPem);

  await t.test('before the DNS leads here, a plain page says what is missing', async () => {
    const { program, facts } = await start();
    assert.equal(facts.url, `https://${NAME}:${ports.https}`);
    assert.equal(facts.own.hasCertificate, false);
    assert.equal(facts.own.records.length, 6);
    await timeUntil(async () =>
      (await plain(NAME, '/')).body.includes(
        `_acme-challenge.${NAME} does not lead into the zone yet`,
      ),
    );
    const page = await plain(NAME, '/sign-in');
    assert.equal(page.status, 503);
    for (const wanted of [`ns-${ZONE}`, `platform.${ZONE}`, ADDRESS])
      assert.ok(page.body.includes(wanted));
    assert.doesNotMatch(page.body, /<form|<input|<script/);
    const account = JSON.stringify({ email: 'root@example.com', password: PASSWORD });
    const signIn = await plain(NAME, '/api/session', { method: 'POST', body: account });
    assert.equal(signIn.status, 403);
    await assert.rejects(secure(NAME, '/'), 'no certificate, no handshake');
    await killAtOnce(program);
  });

  await t.test('killed in the middle of the issuance, it goes on at the next start', async () => {
    const { promise: until, resolve: letGo } = Promise.withResolvers<void>();
    relay.injectFault({ until }, { type: 'TXT' });
    await pdns.load('example.test', [...ADDRESSES, ...DELEGATION]);
    const { program } = await start();
    await timeUntil(isProofShown);
    await killAtOnce(program);
    relay.clearFaults();
    letGo();
  });

  const { program, facts } = await start();
  await timeUntil(async () => (await secure(NAME, '/').catch(() => undefined))?.status === 200);
  const { db, close } = await openDatabase(`sqlite:${join(folder, 'data/dashboard.db')}`, 1);
  cleanUp(t, close);
  const orders = await db
    .selectFrom('acme_orders')
    .select('state')
    .where('hostname', '=', `*.${NAME}`)
    .orderBy('id')
    .execute();
  const states = orders.map(({ state }) => state);
  // Where the authority looked while the name server was gone, the first order cannot be saved.
  assert.ok(['issued', 'failed issued'].includes(states.join(' ')), states.join(' '));

  const local = visitorOf(facts.own.localUrl);
  const json = { 'content-type': 'application/json', origin: facts.url };
  const owner = { email: 'root@example.com', password: PASSWORD };

  await t.test('the first account is made on the server itself', async () => {
    const body = JSON.stringify({ ...owner, name: 'root' });
    const asked = await secure(NAME, '/api/sign-up', { method: 'POST', headers: json, body });
    assert.equal(asked.status, 403);
    assert.match(asked.body, /made on the server itself/);
    const { signUp } = JSON.parse((await secure(NAME, '/api/installation')).body);
    assert.equal(signUp, 'on_server');
    assert.equal(
      (await local.call('POST', '/api/sign-up', { ...owner, name: 'root' })).status,
      202,
    );
  });

  const forged = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
  const signedIn = await secure(NAME, '/api/session', {
    ...{ method: 'POST', headers: { ...json, ...forged }, body: JSON.stringify(owner) },
  });
  assert.equal(signedIn.status, 200, signedIn.body);
  const [set = ''] = [signedIn.headers['set-cookie'] ?? []].flat();
  assert.match(set, /^__Host-dashboard_session=.*Secure/i);
  assert.equal(signedIn.headers['strict-transport-security'], 'max-age=15552000');
  const mine = { ...json, cookie: set.split(';')[0] ?? '' };
  const session = await http2(NAME);
  cleanUp(t, () => session.destroy());
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const head = { ':method': method, ':path': path, ...mine, ...forged };
    const sent =
      body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const asked = await askHttp2(session, head, sent);
    assert.ok(asked.status < 300, `${method} ${path}: ${asked.body}`);
    return JSON.parse(asked.body || 'null') as T;
  };

  await t.test('over HTTP/2 as well, and a forged address is not believed', async () => {
    const page = await askHttp2(session, { ':path': '/', accept: 'text/html' });
    assert.equal(page.status, 200);
    assert.match(page.body, /<script/);
    const { items } = await call<{ items: { ip: string }[] }>('GET', '/api/account/sessions');
    assert.deepEqual(
      items.map(({ ip }) => ip),
      ['127.0.0.1'],
    );
    const check = await call<{ records: { status: string }[] }>('GET', '/api/zone/check');
    assert.deepEqual(
      check.records.map(({ status }) => status),
      Array.from({ length: 5 }, () => 'right'),
    );
  });

  await t.test('a deploy, its log as it comes, and the site under the wildcard', async () => {
    await call('POST', '/api/projects', { name: 'Pets', slug: 'pets' });
    await call('PUT', '/api/projects/pets/plan', { plan: 'pro' });
    const { id } = await call<{ id: string }>(
      'POST',
      '/api/projects/pets/deploys',
      documentTitled('Pets'),
    );
    const log = await askHttp2(session, {
      ...{ ':path': `/api/projects/pets/deploys/${id}/log`, accept: 'text/event-stream', ...mine },
    });
    assert.match(log.body, /event: end\ndata: .*"succeeded"/);
    const host = `pets.${NAME}`;
    assert.equal((await secure(host, '/')).status, 200);
    const redirected = await plain(host, '/a?b');
    assert.equal(redirected.status, 301);
    assert.equal(redirected.headers.location, `https://${host}:${ports.https}/a?b`);
    assert.equal((await secure(`pets--${id}.${NAME}`, '/')).status, 200);
  });

  await t.test('each connection serves the name that it was made for', async () => {
    const sites = await http2(`pets.${NAME}`);
    cleanUp(t, () => sites.destroy());
    const pairs = [
      [NAME, `pets.${NAME}`],
      [`pets.${NAME}`, NAME],
      [NAME, API],
    ] as const;
    for (const [serverName, host] of pairs)
      assert.equal((await secure(host, '/', { serverName })).status, 421, `${serverName} ${host}`);
    for (const [over, host] of [
      [session, `pets.${NAME}`],
      [sites, NAME],
    ] as const)
      assert.equal((await askHttp2(over, { ':authority': host, ':path': '/' })).status, 421);
    await assert.rejects(secure('other.example.test', '/'));
    assert.equal((await secure('other.example.test', '/', { serverName: NAME })).status, 421);
    const home = await plain(NAME, '/projects?a=1');
    assert.equal(home.status, 301);
    assert.equal(home.headers.location, `https://${NAME}:${ports.https}/projects?a=1`);
    assert.equal(home.headers['set-cookie'], undefined);
  });

  await t.test('a custom domain', async () => {
    const host = 'guide.customer.test';
    const domain = await call<{ records: { value: string }[] }>(
      ...(['POST', '/api/projects/pets/domains', { hostname: host }] as const),
    );
    await pdns.load('customer.test', [`guide IN CNAME ${domain.records[0]?.value}.`]);
    await call('POST', `/api/projects/pets/domains/${host}/verify`);
    await timeUntil(async () => (await secure(host, '/').catch(() => undefined))?.status === 200);
    assert.equal((await plain(host, '/')).headers.location, `https://${host}:${ports.https}/`);
  });

  await t.test('the API at its own name', async () => {
    const asked = () => secure(API, '/livez');
    await timeUntil(async () => (await asked().catch(() => undefined))?.status === 502);
    const { body } = await asked();
    assert.deepEqual(Object.keys(JSON.parse(body)), ['code', 'message', 'status']);
    const env = { PETSTORE_PORT: `${ports.petstore}` };
    startProgram(t, process.execPath, [PETSTORE, 'serve'], folder, env);
    await timeUntil(async () => (await asked()).status === 200);
    const made = await runProgram(
      ...([
        process.execPath,
        [PETSTORE, 'keys', 'create', '--name', 'me', '--json'],
        folder,
      ] as const),
    );
    const headers = {
      authorization: `Bearer ${(JSON.parse(made.stdout) as { key: string }).key}`,
      'content-type': 'application/json',
    };
    const pet = JSON.stringify({ name: 'Rex', categoryId: 1 });
    const created = await secure(API, '/v1/pets', { method: 'POST', headers, body: pet });
    assert.equal(created.status, 201, created.body);
    const api = await http2(API);
    cleanUp(t, () => api.destroy());
    const listed = await askHttp2(api, { ':path': '/v1/pets', ...headers });
    assert.match(listed.body, /"Rex"/);
    assert.equal((await plain(API, '/v1/pets')).status, 301);
    assert.equal(
      (await plain(API, '/v1/pets', { method: 'POST', headers, body: pet })).status,
      403,
    );
  });

  await t.test('whoever keeps a connection when it stops gets one more response', async () => {
    const agents = [NAME, API].map((name) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.rootPem });
      cleanUp(t, () => agent.destroy());
      const at = { host: ADDRESS, port: ports.https, servername: name, headers: { host: name } };
      return async () => {
        const asked = request({ ...at, path: '/livez', agent }).end();
        const [response] = (await once(asked, 'response')) as [IncomingMessage];
        assert.equal(response.statusCode, 200, await text(response));
        return { isReused: asked.reusedSocket, isLast: response.headers.connection === 'close' };
      };
    });
    for (const ask of agents) await ask();
    const ended = once(program.child, 'exit');
    program.child.kill('SIGTERM');
    // Both at once: a connection that is idle meanwhile is closed.
    await Promise.all(
      agents.map((ask) =>
        timeUntil(async () => {
          const { isReused, isLast } = await ask();
          assert.ok(isReused);
          return isLast;
        }),
      ),
    );
    assert.deepEqual(await ended, [0, null]);
  });

  async function isProofShown(): Promise<boolean> {
    const question = { name: `platform.${ZONE}`, type: 'TXT', isRecursive: false } as const;
    const signal = AbortSignal.timeout(5_000);
    const limits = { timeoutMs: 100, signal, quota: createQuota() };
    const outcome = await queryServer({ address: ADDRESS, port: pdns.port }, question, limits);
    await sleep(5);
    return outcome.kind === 'found';
  }
});
