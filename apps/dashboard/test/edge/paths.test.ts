import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange, startTestEdge, statuses } from './support/edge.ts';
import { SITE } from './support/memory-source.ts';

const ICO = { type: 'image/x-icon', text: 'icon' };

test('a path is decoded once, and its query makes no difference', async (t) => {
  const { ask } = await startTestEdge(t);
  const same = [
    '/guides/start',
    '/guides/start?a=/../x',
    '/%67uides/start',
    '/guides/start?',
    '/guides/st%61rt?%',
  ];
  for (const path of same) assert.equal((await ask(path)).status, 200, path);
  assert.equal(String((await ask('/guides/%C3%BC%20b')).body), '<h1>Umlaut</h1>');
  assert.equal(
    (await ask('/guides/%C3%BC%20b')).headers.link,
    '<https://a.test/guides/%C3%BC%20b>; rel="canonical"',
  );
  for (const path of ['/%2567uides/start', '/guides%252Fstart']) {
    assert.equal((await ask(path)).status, 404, path);
  }
});

test('no path leads out of the site or has two addresses', async (t) => {
  const { port } = await startTestEdge(t);
  const get = async (target: string) =>
    statuses(
      await exchange(port, `GET ${target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`),
    );
  const missing = [
    '//guides/start',
    '/guides//start',
    '/./',
    '/../guides/start',
    '/guides/../',
    '/guides/./start',
    '/%2e%2e/etc/passwd',
    '/..;/x',
    '/\\guides\\start',
    '/__proto__',
    '/constructor',
    '/guides/start%0d%0aX:y',
  ];
  for (const target of missing) assert.deepEqual(await get(target), [404], target);
  const bad = [
    '/%',
    '/%zz',
    '/%e4',
    '/%ff',
    '/%c0%ae',
    '/a%00',
    '/guides%2fstart',
    '/guides%2Fstart',
    '/%5c',
    '/a#b',
    '*',
    'guides',
    '?',
    'ftp://a.test/',
  ];
  for (const target of bad) assert.deepEqual(await get(target), [400], target);
});

test('a slash or an index at the end leads to the page itself, within the site', async (t) => {
  const { ask } = await startTestEdge(t);
  const moved = {
    '/guides/start/': '/guides/start',
    '/guides/start/?a=b%20c': '/guides/start?a=b%20c',
    '/guides/start/index.html': '/guides/start',
    '/index.html': '/',
    '//': '/',
    '/index.html?x': '/?x',
    '/guides/%C3%BC%20b/': '/guides/%C3%BC%20b',
  };
  for (const [path, to] of Object.entries(moved)) {
    const { status, headers } = await ask(path);
    assert.equal(status, 308, path);
    assert.equal(headers.location, to);
  }
  for (const path of [
    '//evil.test/',
    '//evil.test/index.html',
    '/guides/',
    '/guides/start//',
    '/nope/',
  ]) {
    const { status, headers } = await ask(path);
    assert.equal(status, 404, path);
    assert.equal(headers.location, undefined);
  }
});

test('a path without a file leads where the site says, with its query', async (t) => {
  const { ask, source } = await startTestEdge(t);
  const moved = {
    '/old': '/guides/start',
    '/old/': '/guides/start',
    '/old/index.html': '/guides/start',
    '/old?a=b': '/guides/start?a=b',
    '/old/%C3%BC%20b': '/guides/%C3%BC%20b?a=b#c',
    '/old/%C3%BC%20b?x=y': '/guides/%C3%BC%20b?a=b&x=y#c',
    '/moved?a=b': 'https://docs.example.com/x?a=b',
  };
  for (const [path, to] of Object.entries(moved)) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask(path, { method });
      assert.equal(status, 308, path);
      assert.equal(headers.location, to);
      assert.equal(headers['cache-control'], 'no-store', 'the next deploy may have a page there');
    }
  }
  assert.equal((await ask('/guides/start')).status, 200, 'a file comes before a redirect');
  for (const path of ['/Old', '/old/x', '/constructor', '/__proto__']) {
    assert.equal((await ask(path)).status, 404, path);
  }
  source.deploy('b.test', SITE, {}, 'none');
  assert.equal((await ask('/old', { host: 'b.test' })).status, 404, 'a manifest without redirects');
});

test('paths below a prefix lead where the site says: a file first, then a single path, then the longest prefix', async (t) => {
  const { ask, source } = await startTestEdge(t);
  const redirects = {
    '/old/one': { to: '/guides/start', status: 302 },
    '/old/two': { to: 'https://docs.example.com/', status: 301 },
  } as const;
  source.deploy('b.test', SITE, {}, redirects, {
    '/old/': { to: '/new/', keepsRest: true },
    '/old/deep/': { to: 'https://docs.example.com/v1/', keepsRest: true, status: 301 },
    '/all/': '/guides/start',
    '/guides/': { to: '/', keepsRest: true },
  });
  const moved: Record<string, [status: number, to: string]> = {
    '/old/one': [302, '/guides/start'],
    '/old/one?a=b': [302, '/guides/start?a=b'],
    '/old/two': [301, 'https://docs.example.com/'],
    '/old': [308, '/new'],
    '/old/': [308, '/new'],
    '/old/x/y?a=b&c': [308, '/new/x/y?a=b&c'],
    '/old/x/': [308, '/new/x'],
    '/old/%C3%BC%20b%3F%23': [308, '/new/%C3%BC%20b%3F%23'],
    '/old/deep/x?a': [301, 'https://docs.example.com/v1/x?a'],
    '/old/deep': [301, 'https://docs.example.com/v1/'],
    '/old/deeper': [308, '/new/deeper'],
    '/all/of/it': [308, '/guides/start'],
    '/guides/none': [308, '/none'],
  };
  for (const [path, [status, to]] of Object.entries(moved)) {
    const response = await ask(path, { host: 'b.test' });
    assert.equal(response.status, status, path);
    assert.equal(response.headers.location, to, path);
  }
  assert.equal((await ask('/guides/start', { host: 'b.test' })).status, 200);
  assert.equal((await ask('/older', { host: 'b.test' })).status, 404);
});

test('what comes behind a prefix never leads to another host', async (t) => {
  const { port, source } = await startTestEdge(t);
  source.deploy('b.test', SITE, {}, 'none', {
    '/': { to: '/', keepsRest: true },
    '/old/': { to: '/', keepsRest: true },
    '/out/': { to: 'https://docs.example.com/', keepsRest: true },
  });
  for (const path of ['/old//evil.test', '/old///evil.test/', '//evil.test', '/old/\\evil.test']) {
    const head = `GET ${path} HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n`;
    const location = /^Location: (.*)$/im.exec(await exchange(port, head))?.[1]?.trim();
    assert.equal(new URL(location ?? '/', 'https://b.test').host, 'b.test', `${path}: ${location}`);
  }
  const head = 'GET /out//@evil.test HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n';
  assert.match(await exchange(port, head), /^Location: https:\/\/docs\.example\.com\//im);
});

test('what asks for /favicon.ico gets the icon that the site has', async (t) => {
  const { ask, source } = await startTestEdge(t);
  assert.equal((await ask('/favicon.ico')).status, 404, 'a site without an icon');
  const svg = { type: 'image/svg+xml', text: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
  source.deploy('b.test', { ...SITE, '/favicon.svg': svg });
  const drawn = await ask('/favicon.ico', { host: 'b.test' });
  assert.equal(drawn.status, 302);
  assert.equal(drawn.headers.location, '/favicon.svg');
  source.deploy('c.test', { ...SITE, '/favicon.svg': svg, '/favicon.ico': ICO });
  const own = await ask('/favicon.ico', { host: 'c.test' });
  assert.equal(own.status, 200);
  assert.equal(own.headers['content-type'], 'image/x-icon');
});

test('/.well-known/ is never a file of a site, but for the catalog of its APIs', async (t) => {
  const { ask, source } = await startTestEdge(t);
  const secret = { type: 'text/plain', text: 'mine' };
  source.deploy('b.test', {
    ...SITE,
    '/.well-known/acme-challenge/x': secret,
    '/.well-known': secret,
  });
  for (const path of [
    '/.well-known/acme-challenge/x',
    '/%2ewell-known/acme-challenge/x',
    '/.well-known',
    '/.well-known/',
  ]) {
    const answer = await ask(path, { host: 'b.test' });
    assert.equal(answer.status, 404, path);
    assert.equal(String(answer.body), 'Not Found\n');
  }
  assert.equal((await ask('/.well-known/api-catalog')).status, 404);
  const type = 'application/linkset+json';
  const catalog = { type, text: '{"linkset":[{"anchor":"{{origin}}/"}]}', isTemplate: true };
  source.deploy('c.test', { ...SITE, '/.well-known/api-catalog': catalog });
  const { status, headers, body } = await ask('/.well-known/api-catalog', { host: 'c.test' });
  assert.equal(status, 200);
  assert.equal(headers['content-type'], type);
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers.link, '</.well-known/api-catalog>; rel="api-catalog"');
  assert.equal(String(body), '{"linkset":[{"anchor":"https://c.test/"}]}');
});

test('a target is at most 8 KiB long', async (t) => {
  const { ask } = await startTestEdge(t);
  assert.equal((await ask(`/?${'a'.repeat(8_190)}`)).status, 200);
  assert.equal((await ask(`/?${'a'.repeat(8_191)}`)).status, 414);
});

test('a target in absolute form names the site, whatever the Host says', async (t) => {
  const { port, source } = await startTestEdge(t);
  source.deploy('b.test', { '/': { type: 'text/plain', text: 'site b' } });
  const get = (target: string) =>
    exchange(port, `GET ${target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
  for (const target of [
    'http://b.test/',
    'HTTP://B.TEST:8082',
    'https://b.test?x',
    'http://b.test./',
  ]) {
    assert.match(await get(target), /site b/, target);
  }
  for (const target of [
    'http://c.test/',
    'http:///',
    'http://',
    'http://a.test@c.test/',
    'http://127.0.0.1/',
  ]) {
    assert.match(await get(target), /^HTTP\/1\.1 40[04] /, target);
  }
});
