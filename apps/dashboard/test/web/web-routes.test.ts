import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { readDocument } from '@petstore/test-support/documents.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import Fastify from 'fastify';
import { compressFiles } from '../../server/src/web/compress-files.ts';
import { webRoutes } from '../../server/src/web/web-routes.ts';

const PAGE = `<!doctype html><title>The page</title>${'<p>text</p>'.repeat(100)}`;
const SCRIPT = `console.log(${'"text", '.repeat(500)}1)`;

async function open(t: TestContext) {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, 'theme.js'), 'document;');
  await writeFile(join(folder, 'assets/index-abc123.js'), SCRIPT);
  await compressFiles(folder);
  const app = Fastify();
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ code: 'not_found' }));
  app.get('/api/known', () => ({ known: true }));
  await app.register(webRoutes, { folder });
  cleanUp(t, () => app.close());
  return (url: string, headers: Record<string, string> = { accept: 'text/html,*/*;q=0.8' }) =>
    app.inject({ url, headers });
}

test('every address of the UI has the page, never to be kept unasked', async (t) => {
  const get = await open(t);
  for (const url of [
    '/',
    '/sign-in?next=%2F',
    '/projects/petstore/deploys/abc',
    '/invitations/x',
  ]) {
    const response = await get(url);
    assert.equal(response.statusCode, 200, url);
    assert.equal(response.body, PAGE);
    assert.equal(response.headers['cache-control'], 'no-cache');
    assert.match(String(response.headers['content-type']), /^text\/html; charset=utf-8/);
  }
});

test('what has its hash in its name is kept for ever, other files are asked after', async (t) => {
  const get = await open(t);
  const hashed = await get('/assets/index-abc123.js');
  assert.equal(hashed.headers['cache-control'], 'public, max-age=31536000, immutable');
  const { etag = '', ...named } = (await get('/theme.js')).headers;
  assert.equal(named['cache-control'], 'no-cache');
  assert.equal((await get('/theme.js', { 'if-none-match': String(etag) })).statusCode, 304);
});

test('files come compressed to who accepts it', async (t) => {
  const get = await open(t);
  const url = '/assets/index-abc123.js';
  const decode = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const coding of ['br', 'gzip'] as const) {
    const response = await get(url, { 'accept-encoding': coding });
    assert.equal(response.headers['content-encoding'], coding);
    assert.equal(decode[coding](response.rawPayload).toString(), SCRIPT);
    assert.match(String(response.headers.vary), /accept-encoding/i);
    assert.match(String(response.headers['content-type']), /javascript/);
  }
  assert.equal((await get(url, {})).body, SCRIPT);
});

test('a reader at an address that the UI does not have gets the page that says so, as a 404', async (t) => {
  const get = await open(t);
  for (const url of ['/nowhere', '/nowhere/at/all', '/project']) {
    const response = await get(url);
    assert.equal(response.statusCode, 404, url);
    assert.equal(response.body, PAGE);
  }
  const router = await readDocument('apps/dashboard/web/src/router.tsx');
  const roots = router.matchAll(
    /(?:getParentRoute: \(\) => |page\()(?:root|signedIn),\s+(?:path: )?'(\/[^$']*)/g,
  );
  const addresses = [...roots].map(([, path]) => path ?? '');
  assert.ok(addresses.length > 5, addresses.join());
  for (const path of addresses) {
    const url = path === '/' ? path : path.replace(/\/$/, '/x');
    assert.equal((await get(url)).statusCode, 200, url);
  }
});

test('neither a missing file nor an unknown path of the API is the page', async (t) => {
  const get = await open(t);
  for (const url of ['/assets/gone-000000.js', '/assets/', '/api', '/api/unknown', '/api/']) {
    const response = await get(url);
    assert.equal(response.statusCode, 404, url);
    assert.deepEqual(response.json(), { code: 'not_found' });
  }
  for (const url of [
    '/metrics',
    '/.well-known/security.txt',
    '/robots.txt',
    '/wp-login.php',
    '/metrics/',
  ]) {
    for (const accept of [
      '*/*',
      'text/html,*/*;q=0.8',
      'application/openmetrics-text;q=1,*/*;q=0.1',
    ]) {
      const response = await get(url, { accept });
      assert.equal(response.statusCode, 404, `${url} ${accept}`);
      assert.deepEqual(response.json(), { code: 'not_found' });
    }
  }
  for (const url of ['/healthz', '/status', '/a/b/c']) {
    assert.equal((await get(url, { accept: '*/*' })).statusCode, 404, url);
  }
  assert.equal((await get('/gone.png', { accept: 'image/*,*/*;q=0.8' })).statusCode, 404);
  assert.equal((await get('/projects', { accept: 'application/json' })).statusCode, 404);
  assert.deepEqual((await get('/api/known')).json(), { known: true });
});

test('no path leads out of the folder', async (t) => {
  const get = await open(t);
  for (const url of ['/assets/../../package.json', '/assets/%2e%2e/%2e%2e/etc/passwd', '/..%2fx']) {
    const { body } = await get(url);
    assert.ok(body === PAGE || body === '{"code":"not_found"}', `${url}: ${body}`);
  }
});

test('every response forbids what the pages do not need', async (t) => {
  const get = await open(t);
  for (const url of ['/', '/assets/index-abc123.js', '/theme.js']) {
    const { headers } = await get(url);
    const policy = String(headers['content-security-policy']).split('; ');
    for (const rule of [`default-src 'none'`, `script-src 'self'`, `frame-ancestors 'none'`]) {
      assert.ok(policy.includes(rule), `${url}: ${rule}`);
    }
    assert.ok(!policy.some((rule) => rule.includes('unsafe')));
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'same-origin');
  }
});
