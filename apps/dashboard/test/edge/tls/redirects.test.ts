import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type HostRedirect, movedTo } from '../../../server/src/edge/sites/site-source.ts';
import { exchange, statuses } from '../support/edge.ts';
import { MemorySource, SITE } from '../support/memory-source.ts';
import {
  askSession,
  deploySecurely,
  openSession,
  startSecureEdge,
} from '../support/secure-edge.ts';

const SECURE = 'https://a.test:8443';
const PRIMARY = 'https://docs.test:8443';

/** `a.test` has a certificate; `other.test`, too, and leads to the primary; `old.test` has none and does, too. */
async function start(t: Parameters<typeof startSecureEdge>[0]) {
  const source = new MemorySource();
  await deploySecurely(source, 'a.test', SITE, { secureOrigin: SECURE });
  const elsewhere = { secureOrigin: 'https://other.test:8443', redirect: movedTo(PRIMARY) };
  await deploySecurely(source, 'other.test', SITE, elsewhere);
  source.deploy('old.test', SITE, { redirect: movedTo(PRIMARY) });
  return startSecureEdge(t, { source });
}

const get = (target: string, host = 'a.test', method = 'GET') =>
  `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
const locationOf = (answer: string) => /\r\nLocation: (.*)\r\n/.exec(answer)?.[1];

test('plain requests are sent to https with path and query as they came, known to memory or not', async (t) => {
  const { ask, askSecurely, port } = await start(t);
  // Prepared for those who come over TLS.
  for (const path of ['/', '/guides/start']) await askSecurely(path);
  const targets = [
    '/',
    '/guides/start',
    '/guides/start/',
    '/nope?a=b&c=%20d',
    '/guides/%c3%bc%20b',
    '/%67uides',
    '/a//b/../c/./d;e?f?g=//h',
    '/?',
  ];
  for (const target of [...targets, ...targets]) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await exchange(port, get(target, 'a.test', method));
      assert.deepEqual(statuses(answer), [301], target);
      assert.equal(locationOf(answer), SECURE + target);
      assert.match(answer, /\r\nCache-Control: no-store\r\n/);
    }
  }
  // The fast path, which is for connections that go on.
  for (const target of ['/', '/guides/start']) {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    assert.equal(locationOf(answer), SECURE + target);
    socket.destroy();
  }
  assert.equal((await ask('/', { method: 'POST' })).status, 405, 'a form is not sent on');
  assert.equal((await ask('/', { method: 'OPTIONS' })).status, 204);
});

test('the primary domain is one step away, from every other host and scheme', async (t) => {
  const { ask, askSecurely, httpsPort } = await start(t);
  const session = await openSession(t, httpsPort, { servername: 'other.test' });
  const path = '/guides/start?a=//b';
  for (const round of [1, 2]) {
    const answers = [
      await ask(path, { host: 'other.test' }),
      await ask(path, { host: 'old.test' }),
      await askSecurely(path, { host: 'other.test' }),
      await askSession(session, { ':path': path }),
    ];
    for (const { status, headers } of answers) {
      assert.equal(status, 301, `round ${round}`);
      assert.equal(headers.location, PRIMARY + path);
    }
  }
});

test('a host leads to a path of another one alike over plain HTTP, HTTP/1.1 and HTTP/2, whatever memory has', async (t) => {
  const source = new MemorySource();
  const redirect = { origin: PRIMARY, path: '/v2', keepPath: true, status: 308 } as const;
  await deploySecurely(source, 'all.test', SITE, { secureOrigin: 'https://all.test' });
  const { ask, askSecurely, httpsPort, invalidate } = await startSecureEdge(t, { source });
  const session = await openSession(t, httpsPort, { servername: 'all.test' });
  const path = '/guides/start?a=b';
  const ways = () =>
    Promise.all([
      ask(path, { host: 'all.test' }),
      askSecurely(path, { host: 'all.test' }),
      askSession(session, { ':path': path, ':authority': 'all.test' }),
    ]);
  // Prepared for the fast path, before its owner lets it lead elsewhere.
  for (const round of [1, 2])
    assert.deepEqual(
      (await ways()).map(({ status }) => status),
      [301, 200, 200],
      `${round}`,
    );
  const lead = (to: HostRedirect) => {
    const site = source.sites.get('all.test');
    assert.ok(site);
    source.sites.set('all.test', { ...site, redirect: to });
    invalidate([site.projectId]);
  };
  lead(redirect);
  for (const { status, headers } of await ways()) {
    assert.deepEqual([status, headers.location], [308, `${PRIMARY}/v2/guides/start?a=b`]);
  }
  lead({ ...redirect, keepPath: false, status: 302 });
  for (const { status, headers } of await ways()) {
    assert.deepEqual([status, headers.location], [302, `${PRIMARY}/v2?a=b`]);
  }
});

test('no target leads anywhere but to the host of the site', async (t) => {
  const { port, httpsPort } = await start(t);
  const targets = [
    ...['//evil.test', '//evil.test/%2e%2e', '///evil.test', '/\\evil.test', '\\\\evil.test'],
    ...['/%2f%2fevil.test', '/%2F/evil.test', '/%5cevil.test', '/%5C%5Cevil.test', '/.//evil.test'],
    ...['/@evil.test', '@evil.test', '.evil.test', ':80@evil.test', '?@evil.test', '/;@evil.test'],
    ...['http://evil.test/', 'https://evil.test/', 'http://a.test@evil.test/', 'http:///evil.test'],
    ...['http://evil.test\\a.test/', 'http://a.test//evil.test', 'http://a.test\\@evil.test/'],
    ...['http://a.test:80@evil.test/', 'javascript:alert(1)', 'data:text/html,x', 'http:evil.test'],
    ...['/%0d%0aLocation:%20https://evil.test', '/%0aevil.test', '/\rLocation:evil.test'],
    ...[
      '/a\r\nLocation: https://evil.test\r\nX:',
      '/\tevil.test',
      '/\x00evil.test',
      '/#@evil.test',
    ],
  ];
  const hosts = [
    ...['a.test', 'old.test', 'a.test@evil.test', 'evil.test', 'a.test:80@evil.test'],
    ...['a.test/evil.test', 'a.test\\evil.test', 'a.test#evil.test', 'a.test?.evil.test'],
    ...[
      'evil.test\r\nHost: a.test',
      'a.test\r\n evil.test',
      'a.test evil.test',
      'a.test,evil.test',
    ],
  ];
  await Promise.all(
    targets.map(async (target) => {
      for (const host of hosts) {
        const answer = await exchange(port, get(target, host));
        const what = JSON.stringify([target, host]);
        assert.ok(answer.length > 0, what);
        // RFC 3986 and browsers agree on what follows: the origin, and then a slash.
        for (const [, location = ''] of answer.matchAll(/\nLocation:\s*([^\r\n]*)/gi)) {
          const known = [SECURE, PRIMARY].find((origin) => location.startsWith(`${origin}/`));
          assert.ok(known, `${what} leads to ${location}`);
          assert.equal(new URL(location, 'http://a.test').origin, known, what);
        }
      }
    }),
  );
  const session = await openSession(t, httpsPort, { servername: 'other.test' });
  for (const target of targets) {
    // What the client refuses to send is none of the server's business.
    const answer = await askSession(session, { ':path': target }).catch(() => undefined);
    const location = answer?.headers.location;
    if (location !== undefined) assert.ok(location.startsWith(`${PRIMARY}/`), target);
  }
});

test('a challenge is answered with its key authorization and nothing else, to whoever asks for that host', async (t) => {
  const { ask, askSecurely, port, source } = await start(t);
  const path = '/.well-known/acme-challenge/to-ken_1';
  for (const host of ['a.test', 'old.test', 'nobody.test']) {
    source.challenges.set(`${host} to-ken_1`, 'to-ken_1.thumb');
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await ask(path, { host, method });
      assert.equal(status, 200, host);
      assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['content-length'], '14');
      assert.equal(String(body), method === 'GET' ? 'to-ken_1.thumb' : '');
    }
  }
  assert.equal((await ask(path, { host: 'b.test' })).status, 404, 'of another host');
  for (const other of [
    '/.well-known/acme-challenge/unknown',
    '/.well-known/acme-challenge/',
    '/.well-known/acme-challenge',
    '/.well-known/acme-challenge/to-ken_1/',
    '/.well-known/acme-challenge/to-ken%5f1',
    '/.well-known/acme-challenge/../x',
    `/.well-known/acme-challenge/${'a'.repeat(300)}`,
    '/.well-known/security.txt',
  ]) {
    const answer = await ask(other);
    assert.equal(answer.status, 404, other);
    assert.equal(answer.headers.location, undefined);
  }
  assert.equal((await askSecurely(path)).status, 404, 'not over TLS');
  source.challenges.delete('a.test to-ken_1');
  assert.equal((await ask(path)).status, 404, 'nothing is remembered');
  assert.deepEqual(statuses(await exchange(port, get(path, 'a.test', 'POST'))), [404]);
});

test('a flood of made-up tokens comes to the store a few at a time, and the rest is refused', async (t) => {
  const { ask, source } = await start(t);
  await ask('/', { host: 'old.test' });
  let running = 0;
  let most = 0;
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
  source.findHttpChallenge = async () => {
    most = Math.max(most, ++running);
    await gate;
    running--;
    return undefined;
  };
  const refused: number[] = [];
  const flood = Array.from({ length: 600 }, async (_, at) => {
    const { status } = await ask(`/.well-known/acme-challenge/made-up-${at}`);
    if (refused.push(status) === 92) open(undefined);
    return status;
  });
  assert.equal((await ask('/', { host: 'old.test' })).status, 301, 'sites go on');
  await Promise.all(flood);
  assert.equal(most, 8);
  assert.deepEqual(refused.slice(0, 92), Array(92).fill(503));
  assert.deepEqual(refused.slice(92), Array(508).fill(404));
});
