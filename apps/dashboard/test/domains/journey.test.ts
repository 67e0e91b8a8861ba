import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as getPlain } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import { anyPort } from '@petstore/lab/ports.ts';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook } from '@petstore/test-support/within.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { Project } from '../../server/src/projects/project.ts';
import { dashboard, getFromEdge, serveDashboard } from '../support/dashboard-program.ts';
import { documentTitled } from '../support/project.ts';
import { visitorOf } from '../support/service.ts';
import { verify as verifyDomain } from './support/domains.ts';
import { type Internet, startInternet } from './support/internet.ts';

const ONE = 'docs.example.test';
const TWO = 'api.example.test';
const APEX = 'example.test';

/** Long enough for a machine that stands still: nothing expires under a test. */
const LIFETIME_MS = 86_400_000;

/** The issue of a certificate takes a second or two; a machine that does other things takes its time. */
const PATIENCE_MS = 240_000;

/**
 * From a typed name to a padlock, and back, as the program has it for whoever calls it from outside. Each
 * test goes on where the one before ended.
 */
describe('a custom domain', () => {
  let internet: Internet;
  let folder = '';
  let url = '';
  let token = '';
  let httpPort = 0;
  let tlsPort = 0;
  const records = new Map<string, ZoneRecord[]>();

  before(async () => {
    httpPort = await anyPort([]);
    tlsPort = await anyPort([httpPort]);
    internet = await startInternet(FILE, {
      httpPort,
      tlsPort,
      certificateLifetimeMs: LIFETIME_MS,
    });
    folder = await temporaryFolder(FILE);
    const env = {
      ...internet.env,
      EDGE_HTTP_PORT: `${httpPort}`,
      EDGE_HTTPS_PORT: `${tlsPort}`,
      DASHBOARD_DATA_DIR: folder,
    };
    ({ url } = await serveDashboard(FILE, folder, env));
    const email = ['--email', 'ada@example.com'];
    const made = await dashboard(
      folder,
      ['users', 'create', ...email, '--password-stdin'],
      env,
      'correct horse battery\n',
    );
    assert.equal(made.code, 0, made.stderr);
    const minted = await dashboard(
      folder,
      ['tokens', 'create', ...email, '--name', 'test', '--json'],
      env,
    );
    ({ token } = JSON.parse(minted.stdout));
    await call<Project>('POST', '/projects', { name: 'Pets', slug: 'pets' });
    const { id } = await call<{ id: string }>(
      'POST',
      '/projects/pets/deploys',
      documentTitled('Pets'),
    );
    await until(
      () => call<{ state: string }>('GET', `/projects/pets/deploys/${id}`),
      ({ state }) => state === 'succeeded',
    );
    const plan = await dashboard(folder, ['plan', 'pets', 'pro'], env);
    assert.equal(plan.code, 0, plan.stderr);
  });

  test('is added, and says which record to create', async (t) => {
    t.diagnostic(internet.kind);
    const added = await call<Domain>('POST', '/projects/pets/domains', { hostname: ONE });
    assert.equal(added.state, 'unverified');
    const [record] = added.records;
    assert.equal(`${record?.type} ${record?.name} ${record?.ttl}`, `CNAME ${ONE} 3600`);
  });

  test('has a verdict for a wrong record, with what to remove and what to add', async () => {
    await setRecords(ONE, [{ name: ONE, type: 'CNAME', value: 'pets.docs.localhost' }]);
    const wrong = await verify(ONE);
    assert.equal(wrong.verdict?.code, 'wrong_target');
    assert.equal(wrong.verdict?.remove[0]?.value, 'pets.docs.localhost');
    assert.equal(wrong.verdict?.add[0]?.value, wrong.records[0]?.value);
    await setRecords(ONE, [{ name: ONE, type: 'A', value: '127.0.0.1' }]);
    assert.equal((await verify(ONE)).verdict?.code, 'conflicting_record');
  });

  test('is verified with the right record', async () => {
    await createRecords(await getDomain(ONE));
    const right = await verify(ONE);
    assert.equal(right.verdict?.code, 'verified', JSON.stringify(right.verdict));
    assert.notEqual(right.state, 'unverified');
  });

  test('gets its certificate by itself', async () => {
    const { certificate } = await until(
      () => getDomain(ONE),
      ({ state }) => state === 'active',
    );
    assert.ok(Date.parse(certificate?.notAfter ?? '') > Date.now());
    const { items } = await call<{ items: { kind: string }[] }>(
      'GET',
      `/projects/pets/domains/${ONE}/events?limit=100`,
    );
    const kinds = items.map(({ kind }) => kind);
    for (const kind of ['added', 'verified', 'certificate.requested', 'certificate.issued']) {
      assert.ok(kinds.includes(kind as never), kind);
    }
  });

  test('is served over HTTPS with a chain that verifies, and redirects there from HTTP', async () => {
    const answer = await until(
      () =>
        getOverTls(ONE, '/').catch((error: Error) => ({
          status: 0,
          text: error.message,
          location: '',
        })),
      ({ status }) => status !== 0,
    );
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /Pets/);
    const plain = await redirectOf(ONE, '/a/b?c=%2F&d');
    assert.equal(plain, `301 https://${ONE}:${tlsPort}/a/b?c=%2F&d`);
    assert.equal(
      (await getFromEdge(httpPort, ONE, '/.well-known/acme-challenge/none')).status,
      404,
    );
  });

  test('of several, leads to the primary one with path and query kept', async () => {
    await createRecords(await call<Domain>('POST', '/projects/pets/domains', { hostname: TWO }));
    await verify(TWO);
    await until(
      () => getDomain(TWO),
      ({ state }) => state === 'active',
    );
    const there = await until(
      () => getOverTls(TWO, '/x//y?z=%20').catch(() => ({ status: 0, text: '', location: '' })),
      ({ status }) => status !== 0,
    );
    assert.equal(`${there.status} ${there.location}`, `301 https://${ONE}:${tlsPort}/x//y?z=%20`);
    assert.equal((await getOverTls(ONE, '/')).status, 200);
  });

  test('becomes the primary one, and the one before leads to it', async () => {
    await call('POST', `/projects/pets/domains/${TWO}/primary`);
    const there = await getOverTls(ONE, '/');
    assert.equal(`${there.status} ${there.location}`, `301 https://${TWO}:${tlsPort}/`);
    assert.equal((await getOverTls(TWO, '/')).status, 200);
    assert.equal((await getFromEdge(httpPort, 'pets.docs.localhost')).status, 200);
    await call('PATCH', '/projects/pets', { redirectPlatformHost: true });
    assert.equal(
      await redirectOf('pets.docs.localhost', '/q?r'),
      `301 https://${TWO}:${tlsPort}/q?r`,
    );
    await call('PATCH', '/projects/pets', { redirectPlatformHost: false });
  });

  test('may be a zone’s own name, with an ALIAS and a proof', async () => {
    await createRecords(await call<Domain>('POST', '/projects/pets/domains', { hostname: APEX }));
    const { verdict } = await verify(APEX);
    assert.equal(verdict?.code, 'verified', JSON.stringify(verdict));
    await until(
      () => getDomain(APEX),
      ({ state }) => state === 'active',
    );
  });

  test('is renewed without a connection being dropped', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const http2 = openHttp2(TWO);
    const before = await getOverTls(TWO, '/', agent);
    assert.equal(await statusOverHttp2(http2, TWO), 200);
    const { certificate } = await getDomain(TWO);
    assert.ok(certificate);
    const [now, renewAt, notAfter] = [Date.now(), certificate.renewAt, certificate.notAfter];
    assert.ok(now < Date.parse(renewAt) && renewAt < notAfter, `${renewAt} until ${notAfter}`);
    const renewed = await until(
      () => {
        comeToRenewal(certificate.serial);
        return getDomain(TWO);
      },
      (domain) => domain.certificate?.serial !== certificate.serial,
    );
    assert.equal(renewed.state, 'active');
    const kept = await getOverTls(TWO, '/', agent);
    assert.equal(kept.serial, before.serial, 'the connection is the one that was there before');
    assert.equal(await statusOverHttp2(http2, TWO), 200);
    const fresh = await until(
      () => getOverTls(TWO, '/'),
      ({ serial }) => serial !== before.serial,
    );
    assert.equal(fresh.status, 200);
    agent.destroy();
    http2.destroy();
  });

  test('serves nothing from its removal on: no open connection, no handshake, no old session', async () => {
    const session = await sessionOf(TWO);
    const http2 = openHttp2(TWO);
    assert.equal(await statusOverHttp2(http2, TWO), 200);
    const closed = once(http2, 'close');
    await call('DELETE', `/projects/pets/domains/${TWO}`);
    const removedAt = performance.now();
    await closed;
    await assertTook(performance.now() - removedAt, 3_000);
    await assert.rejects(getOverTls(TWO, '/'), 'no handshake');
    await assert.rejects(sessionOf(TWO, session), 'no resumed session');
    assert.equal((await getFromEdge(httpPort, TWO)).status, 404);
    assert.equal(
      (await getOverTls(ONE, '/')).status,
      200,
      'the others go on, and one is the primary',
    );
  });

  async function call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const isText = typeof body === 'string';
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Has the time come at which a certificate is renewed: two thirds of its life, which no test waits for. */
  function comeToRenewal(serial: string): void {
    using database = new DatabaseSync(join(folder, 'dashboard.db'), { timeout: 10_000 });
    database.prepare('UPDATE certificates SET renew_at = 0 WHERE serial = ?').run(serial);
  }

  const getDomain = (name: string) => call<Domain>('GET', `/projects/pets/domains/${name}`);
  const verify = (name: string) => verifyDomain(visitorOf(url, token), 'pets', name);

  async function setRecords(name: string, its: ZoneRecord[]): Promise<void> {
    records.set(name, its);
    await internet.setRecords([...records.values()].flat());
  }

  function createRecords(domain: Domain): Promise<void> {
    const wanted = domain.records.map(({ type, name, value }) => ({ type, name, value }));
    return setRecords(domain.hostname, wanted);
  }

  function tlsOptions(name: string) {
    return { host: '127.0.0.1', port: tlsPort, servername: name, ca: internet.authority.rootPem };
  }

  /** Rejects where the chain does not verify, or the name is not the certificate's. */
  function getOverTls(name: string, path: string, agent?: Agent) {
    return new Promise<{ status: number; text: string; location: string; serial: string }>(
      (resolve, reject) => {
        const headers = { host: `${name}:${tlsPort}` };
        request({ ...tlsOptions(name), path, headers, agent: agent ?? false })
          .on('error', reject)
          .on('response', async (response) => {
            const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber;
            const text = (await response.setEncoding('utf8').toArray()).join('');
            const { statusCode: status = 0, headers } = response;
            resolve({ status, text, location: headers.location ?? '', serial });
          })
          .end();
      },
    );
  }

  function redirectOf(name: string, path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      getPlain({ host: '127.0.0.1', port: httpPort, path, headers: { host: name } })
        .on('error', reject)
        .on('response', (response) => {
          resolve(`${response.statusCode} ${response.headers.location}`);
          response.resume();
        });
    });
  }

  function openHttp2(name: string): ClientHttp2Session {
    const session = connectHttp2(`https://${name}:${tlsPort}`, {
      createConnection: () => connect({ ...tlsOptions(name), ALPNProtocols: ['h2'] }),
    });
    session.on('error', () => {});
    return session;
  }

  function statusOverHttp2(session: ClientHttp2Session, name: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/', ':authority': `${name}:${tlsPort}` });
      stream.on('response', (headers) => resolve(Number(headers[':status']))).on('error', reject);
      stream.resume().end();
    });
  }

  /** What a client could come back with. Rejects where the handshake fails. */
  function sessionOf(name: string, session?: Buffer): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...tlsOptions(name), ...(session && { session }) });
      let latest: Buffer | undefined;
      socket.on('session', (offered) => {
        latest = offered;
      });
      socket.on('error', reject);
      // In TLS 1.3 tickets come after the handshake, with the first answer at the latest.
      socket.on('secureConnect', () => socket.write(`GET / HTTP/1.1\r\nHost: ${name}\r\n\r\n`));
      socket.once('data', () => {
        resolve(latest ?? socket.getSession());
        socket.destroy();
      });
      socket.on('close', () => reject(new Error('closed')));
    });
  }
});

async function until<T>(read: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isSo(found)) return found;
    assert.ok(Date.now() < deadline, JSON.stringify(found));
    await sleep(50);
  }
}
