import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange, startTestEdge, statuses } from './support/edge.ts';
import { page, SITE } from './support/memory-source.ts';

const request = (...headers: string[]) =>
  ['GET / HTTP/1.1', ...headers, 'Connection: close', '\r\n'].join('\r\n');

test('a host is found in any spelling', async (t) => {
  const { port, source } = await startTestEdge(t);
  source.deploy('xn--bcher-kva.test', { '/': page('site of books') });
  for (const host of ['a.test', 'A.TEST', 'a.test.', 'a.test:8082', 'A.test.:1', ' a.test ']) {
    assert.match(await exchange(port, request(`Host: ${host}`)), /Start/, host);
  }
  assert.match(await exchange(port, request('Host: XN--Bcher-KVA.test')), /site of books/);
});

test('a host without a site is a bare 404, never the site of another', async (t) => {
  const { port } = await startTestEdge(t);
  const unknown = [
    'b.test',
    'b.a.test',
    'test',
    'xa.test',
    'a.test.b',
    'aatest',
    '127.0.0.1:8082',
    '[::1]',
    '',
    'a_b.test',
    'a.test:99999',
    'a..test',
    'xn--a.test',
    'b\xc3\xbccher.test',
    'a%2etest',
  ];
  for (const host of unknown) {
    const answer = await exchange(port, request(`Host: ${host}`));
    assert.deepEqual(statuses(answer), [404], host);
    assert.match(answer, /\r\n\r\nThere is no site at this address\.\n$/);
    assert.match(answer, /Cache-Control: no-store/);
    assert.doesNotMatch(answer, /^server:/im);
  }
});

test('an invalid Host, none, and two of them are bad requests', async (t) => {
  const { port } = await startTestEdge(t);
  const bad = [
    ['Host: a.test:80@b.test'],
    ['Host: a b'],
    ['Host: a.test/x'],
    ['Host: a.test, b.test'],
    ['Host: a.test,b.test'],
    ['Host: [::1'],
    ['Host: a.test:x'],
    ['Host: a.test', 'Host: b.test'],
    ['Host: a.test', 'host: a.test'],
    [],
  ];
  for (const headers of bad) {
    assert.deepEqual(statuses(await exchange(port, request(...headers))), [400], String(headers));
  }
  assert.deepEqual(statuses(await exchange(port, 'GET / HTTP/1.0\r\n\r\n')), [400]);
  assert.deepEqual(statuses(await exchange(port, 'GET / HTTP/1.0\r\nHost: a.test\r\n\r\n')), [200]);
  const long = request(`Host: ${'a.'.repeat(4_000)}test`);
  assert.deepEqual(statuses(await exchange(port, long)), [404]);
  for (const forwarded of [
    'X-Forwarded-Host: b.test',
    'Forwarded: host=b.test',
    'X-Host: b.test',
  ]) {
    assert.match(await exchange(port, request('Host: a.test', forwarded)), /Start/);
  }
});

test('hosts never mix, with the same paths, contents, templates and connection', async (t) => {
  const { port, ask, source } = await startTestEdge(t);
  const hosts = Array.from({ length: 20 }, (_, at) => `site${at}.test`);
  for (const host of hosts) {
    source.deploy(host, { ...SITE, '/name': page(`I am ${host}`) });
  }
  const LAST = 'GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n';
  const get = (host: string, path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  for (let round = 0; round < 3; round++) {
    const mixed = hosts.toSorted(() => Math.random() - 0.5);
    const requests = [...mixed.map((host) => get(host, '/name')), LAST];
    const piped = await exchange(port, requests.join(''));
    const names = [...piped.matchAll(/I am (\S+\.test)/g)].map(([, name]) => name);
    assert.deepEqual(names, mixed, 'answers come in the order of the requests');
    await Promise.all(
      mixed.map(async (host) => {
        const { headers } = await ask('/', { host });
        assert.equal(headers.link, `<https://${host}/>; rel="canonical"`);
        assert.match(
          String((await ask('/llms.txt', { host })).body),
          new RegExp(`https://${host}/a `),
        );
      }),
    );
  }
  // A path can't be made to look like the end of another host's name.
  source.deploy('a.test.evil', { '/': page('evil') });
  assert.equal((await ask('/.evil/', { host: 'a.test' })).status, 404);
});
