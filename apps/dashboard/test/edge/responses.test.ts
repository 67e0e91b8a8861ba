import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startTestEdge } from './support/edge.ts';
import { HTML, POLICY, SITE } from './support/memory-source.ts';

const GUIDE = String(SITE['/guides/start']?.text);

test('a page comes with its policy, its canonical address and a tag, and has to be asked about again', async (t) => {
  const { ask } = await startTestEdge(t);
  const { status, headers, body } = await ask('/');
  assert.equal(status, 200);
  assert.equal(String(body), '<h1>Start</h1>');
  const { date, etag, ...others } = headers;
  assert.ok(Math.abs(Date.parse(date ?? '') - Date.now()) < 5_000);
  assert.match(etag ?? '', /^"[\w-]{22}"$/);
  assert.deepEqual(others, {
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=0, must-revalidate',
    connection: 'close',
    'content-length': '14',
    'content-security-policy': POLICY,
    'content-type': HTML,
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    link: '<https://a.test/>; rel="canonical"',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
  });
});

test('the page that draws diagrams has a policy of its own, which loads nothing of others', async (t) => {
  const { ask, source } = await startTestEdge(t);
  const page = SITE['/'] as never;
  source.deploy('d.test', { '/': page, '/_assets/diagrams.html': page });
  const { headers } = await ask('/_assets/diagrams.html', { host: 'd.test' });
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  );
  assert.equal(
    (await ask('/', { host: 'd.test' })).headers['content-security-policy'],
    (await ask('/')).headers['content-security-policy'],
  );
});

test('files whose name changes with their content are kept for ever, all others asked about', async (t) => {
  const { ask } = await startTestEdge(t);
  for (const [path, { isImmutable }] of Object.entries(SITE)) {
    const { headers } = await ask(encodeURI(path));
    const expected = isImmutable
      ? 'public, max-age=31536000, immutable'
      : 'public, max-age=0, must-revalidate';
    assert.equal(headers['cache-control'], expected, path);
  }
});

test('an SVG opened by itself runs nothing', async (t) => {
  const { ask } = await startTestEdge(t);
  const { headers } = await ask('/logo.svg');
  assert.match(String(headers['content-security-policy']), /^default-src 'none';.*\bsandbox$/);
});

test('pages of other origins may read what tools read, and nothing else', async (t) => {
  const { ask } = await startTestEdge(t);
  for (const path of Object.keys(SITE)) {
    const isOpen = /^\/(?:openapi\.json|llms\.txt|.*\.md)$/.test(path);
    const { headers } = await ask(encodeURI(path));
    assert.equal(headers['access-control-allow-origin'], isOpen ? '*' : undefined, path);
  }
});

test('the form is the one that the client prefers, by weight and then by size', async (t) => {
  const { ask } = await startTestEdge(t);
  const expected: Record<string, string | undefined> = {
    '': undefined,
    br: 'br',
    'gzip, deflate, br, zstd': 'br',
    'gzip, deflate': 'gzip',
    'x-gzip': 'gzip',
    'GZIP;Q=0.5': 'gzip',
    'br;q=0.5, gzip;q=0.8': 'gzip',
    'br;q=0, gzip;q=0': undefined,
    'br;q=0, *': 'gzip',
    '*': 'br',
    '*;q=0': undefined,
    'identity;q=0': undefined,
    'identity;q=0, *;q=0.1': 'br',
    'identity, br;q=0.9': undefined,
    'gzip;q=2, br;q=x': undefined,
    'gzip;q=0.001': 'gzip',
    'zstd, deflate': undefined,
    ',,;;q=,gzip': 'gzip',
  };
  const tags = new Set<string | undefined>();
  for (const [accept, coding] of Object.entries(expected)) {
    const { headers, body } = await ask('/guides/start', {
      headers: { 'accept-encoding': accept },
    });
    assert.equal(headers['content-encoding'], coding, accept);
    assert.equal(headers.vary, 'Accept-Encoding');
    assert.equal(Number(headers['content-length']), body.length);
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, undefined: (b: Buffer) => b };
    assert.equal(String(decode[`${coding as 'br' | 'gzip' | undefined}`](body)), GUIDE);
    tags.add(headers.etag);
  }
  assert.equal(tags.size, 3, 'each form has a tag of its own');
  const plain = await ask('/', { headers: { 'accept-encoding': 'br' } });
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(plain.headers.vary, undefined);
});

test('a client that has the file already gets 304, whatever list of tags it sends', async (t) => {
  const { ask } = await startTestEdge(t);
  const accept = { 'accept-encoding': 'gzip' };
  const { headers } = await ask('/guides/start', { headers: accept });
  const tag = headers.etag ?? '';
  for (const known of [tag, `W/${tag}`, '*', ` ${tag} `, `"x", W/${tag},"y"`]) {
    const answer = await ask('/guides/start', { headers: { ...accept, 'if-none-match': known } });
    assert.equal(answer.status, 304, known);
    assert.equal(answer.body.length, 0);
    const { date, connection, ...rest } = answer.headers;
    assert.ok(date);
    assert.deepEqual(rest, {
      etag: tag,
      'cache-control': headers['cache-control'],
      vary: 'Accept-Encoding',
    });
  }
  for (const known of ['"x"', tag.slice(1, -1), '', 'W/*']) {
    const answer = await ask('/guides/start', { headers: { ...accept, 'if-none-match': known } });
    assert.equal(answer.status, 200, known);
  }
  const other = await ask('/guides/start', { headers: { 'if-none-match': tag } });
  assert.equal(other.status, 200, 'the tag of another form');
});

test('If-Match asks for the file by its strong tag, and gets 412 where it is another one', async (t) => {
  const { ask } = await startTestEdge(t);
  const accept = { 'accept-encoding': 'gzip' };
  const tag = (await ask('/guides/start', { headers: accept })).headers.etag ?? '';
  const other = (await ask('/guides/start')).headers.etag ?? '';
  for (const method of ['GET', 'HEAD']) {
    const statusOf = async (headers: Record<string, string>) =>
      (await ask('/guides/start', { method, headers: { ...accept, ...headers } })).status;
    for (const good of [tag, '*', ` ${tag} `, `"x", ${tag},"y"`]) {
      assert.equal(await statusOf({ 'if-match': good }), 200, `${method} ${good}`);
      // RFC 9110, section 13.2.2: first If-Match, then If-None-Match.
      assert.equal(await statusOf({ 'if-match': good, 'if-none-match': tag }), 304);
    }
    for (const bad of ['"x"', `W/${tag}`, other, tag.slice(1, -1), '']) {
      assert.equal(await statusOf({ 'if-match': bad }), 412, `${method} ${bad}`);
      assert.equal(await statusOf({ 'if-match': bad, 'if-none-match': tag }), 412, bad);
    }
  }
  const refused = await ask('/guides/start', { headers: { 'if-match': '"x"' } });
  assert.equal(refused.headers['cache-control'], 'no-store');
  assert.equal(String(refused.body), 'Precondition Failed\n');
});

test('a tag changes with the headers too, since a 304 does not repeat them', async (t) => {
  const { ask, source, invalidate } = await startTestEdge(t);
  const before = await ask('/');
  const site = source.sites.get('a.test');
  assert.ok(site);
  source.sites.set('a.test', { ...site, origin: 'https://docs.example.com' });
  invalidate([site.projectId]);
  const after = await ask('/', { headers: { 'if-none-match': before.headers.etag ?? '' } });
  assert.equal(after.status, 200);
  assert.equal(after.headers.link, '<https://docs.example.com/>; rel="canonical"');
});

test('HEAD has the headers of GET and no body', async (t) => {
  const { ask } = await startTestEdge(t);
  for (const path of [
    ...Object.keys(SITE).map(encodeURI),
    '/nope',
    '/guides/start/',
    '/.well-known/x',
  ]) {
    const headers = { 'accept-encoding': 'br' };
    const get = await ask(path, { headers });
    const head = await ask(path, { method: 'HEAD', headers });
    const { date: _, ...ofGet } = get.headers;
    const { date: __, ...ofHead } = head.headers;
    assert.deepEqual(ofHead, ofGet, path);
    assert.equal(head.status, get.status);
    assert.equal(head.body.length, 0);
  }
  const known = (await ask('/')).headers.etag ?? '';
  assert.equal(
    (await ask('/', { method: 'HEAD', headers: { 'if-none-match': known } })).status,
    304,
  );
});

test('a part is sent where one part is asked for, of the content as it is', async (t) => {
  const { ask } = await startTestEdge(t);
  const part = (range: string, headers = {}) =>
    ask('/digits.bin', { headers: { range, 'accept-encoding': 'br', ...headers } });
  const parts = {
    'bytes=0-3': ['0123', 'bytes 0-3/10'],
    'bytes=4-': ['456789', 'bytes 4-9/10'],
    'bytes=9-9': ['9', 'bytes 9-9/10'],
    'bytes=-3': ['789', 'bytes 7-9/10'],
    'bytes=-99': ['0123456789', 'bytes 0-9/10'],
    'bytes=8-99': ['89', 'bytes 8-9/10'],
    'BYTES=0-0': ['0', 'bytes 0-0/10'],
  };
  for (const [range, [text, where]] of Object.entries(parts)) {
    const answer = await part(range);
    assert.equal(answer.status, 206, range);
    assert.equal(String(answer.body), text);
    assert.equal(answer.headers['content-range'], where);
    assert.equal(answer.headers['content-length'], String(text?.length));
    assert.ok(answer.headers.etag);
  }
  for (const range of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999999-']) {
    const answer = await part(range);
    assert.equal(answer.status, 416, range);
    assert.equal(answer.headers['content-range'], 'bytes */10');
  }
  const whole = [
    'bytes=0-1,3-4',
    'bytes=5-4',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'lines=0-1',
    '0-1',
    'bytes=1-1e3',
    `bytes=0-${'9'.repeat(40)}`,
  ];
  for (const range of whole) {
    const answer = await part(range);
    assert.equal(answer.status, 200, range);
    assert.equal(String(answer.body), '0123456789');
  }
  const guide = await ask('/guides/start', {
    headers: { range: 'bytes=0-3', 'accept-encoding': 'br' },
  });
  assert.equal(guide.status, 206);
  assert.equal(guide.headers['content-encoding'], undefined);
  assert.equal(String(guide.body), GUIDE.slice(0, 4));
});

test('a download is continued only where the file is still the same', async (t) => {
  const { ask } = await startTestEdge(t);
  const { headers } = await ask('/large.bin');
  const tag = headers.etag ?? '';
  const status = async (ifRange: string) =>
    (await ask('/large.bin', { headers: { range: 'bytes=5-9', 'if-range': ifRange } })).status;
  assert.equal(await status(tag), 206);
  for (const other of [`W/${tag}`, '"x"', new Date().toUTCString()]) {
    assert.equal(await status(other), 200, other);
  }
  const range = { range: 'bytes=0-1' };
  for (const [ifMatch, status] of [
    [tag, 206],
    ['"x"', 412],
  ] as const) {
    const answer = await ask('/large.bin', { headers: { ...range, 'if-match': ifMatch } });
    assert.equal(answer.status, status);
  }
  assert.equal(
    (await ask('/large.bin', { headers: { ...range, 'if-none-match': tag } })).status,
    304,
  );
  assert.equal((await ask('/large.bin', { method: 'HEAD', headers: range })).status, 200);
  assert.equal((await ask('/nope', { headers: range })).status, 404);
  assert.equal((await ask('/empty.txt', { headers: range })).status, 416);
});

test('what is missing is the 404 page of the site, neither conditional nor in parts', async (t) => {
  const { ask, source } = await startTestEdge(t);
  for (const path of ['/nope', '/404.html', '/guides', '/nope/index.html', '/Guides/Start']) {
    const answer = await ask(path, { headers: { 'if-none-match': '*', 'if-match': '"x"' } });
    assert.equal(answer.status, 404, path);
    assert.equal(String(answer.body), '<h1>Not here</h1>');
    assert.equal(answer.headers.etag, undefined);
    assert.equal(answer.headers['content-security-policy'], POLICY);
  }
  source.deploy('bare.test', { '/': SITE['/'] as never });
  const bare = await ask('/nope', { host: 'bare.test' });
  assert.equal(bare.status, 404);
  assert.equal(String(bare.body), 'Not Found\n');
});

test('a template has the origin of the site that it is served for', async (t) => {
  const { ask, source } = await startTestEdge(t);
  source.deploy('b.test', SITE);
  const [a, b] = [await ask('/llms.txt'), await ask('/llms.txt', { host: 'b.test' })];
  assert.equal(String(a.body), 'See https://a.test/a and https://a.test/b');
  assert.equal(String(b.body), 'See https://b.test/a and https://b.test/b');
  assert.notEqual(a.headers.etag, b.headers.etag);
  const part = await ask('/llms.txt', { headers: { range: 'bytes=4-18' } });
  assert.equal(String(part.body), 'https://a.test/');
  const head = await ask('/llms.txt', { method: 'HEAD' });
  assert.equal(head.headers['content-length'], String(a.body.length));
});

test('a preview asks search engines to stay away', async (t) => {
  const { ask, source } = await startTestEdge(t);
  source.deploy('a--x.test', SITE, { isPreview: true });
  const robots = await ask('/robots.txt', { host: 'a--x.test' });
  assert.equal(String(robots.body), 'User-agent: *\nDisallow: /\n');
  for (const path of ['/', '/nope', '/openapi.json']) {
    assert.equal((await ask(path, { host: 'a--x.test' })).headers['x-robots-tag'], 'noindex');
    assert.equal((await ask(path)).headers['x-robots-tag'], undefined);
  }
  assert.equal(String((await ask('/robots.txt')).body), 'User-agent: *\nAllow: /');
});

test('methods other than GET and HEAD are refused with those that are allowed', async (t) => {
  const { ask } = await startTestEdge(t);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
    const { status, headers } = await ask('/', { method });
    assert.equal(status, 405, method);
    assert.equal(headers.allow, 'GET, HEAD, OPTIONS');
  }
  const options = await ask('/', { method: 'OPTIONS' });
  assert.equal(options.status, 204);
  assert.equal(options.headers.allow, 'GET, HEAD, OPTIONS');
});
