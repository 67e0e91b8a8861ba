import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { anyPort } from '@petstore/lab/ports.ts';
import { withoutReaders } from '@petstore/site/site/readers/feedback-form.ts';
import { spawnChild } from '@petstore/test-support/children.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { extract } from 'tar-stream';
import { exportSite } from '../../server/src/export/export-site.ts';
import { incrementCounter } from '../../server/src/store/rate-counters.ts';
import { startDomainService, verifiedDomain } from '../domains/support/domains.ts';
import { MemorySource } from '../edge/support/memory-source.ts';
import { deployFiles } from '../support/guides.ts';
import { createProject, deploy, joinAs, makeToken, setPlan } from '../support/project.ts';
import { assertError, json, startService, type Visitor } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';

const NGINX = '/usr/sbin/nginx';

/** A page without what it asks and tells of its readers, which another host does not take. */
const uncounted = (served: Buffer): Buffer =>
  Buffer.from(withoutReaders(served.toString('latin1')), 'latin1');

const FILES = {
  'docs.yaml': `title: Pets
redirects:
  /before: /guides/start
  /Before: /guides/größe
  /say "hi" $1: https://elsewhere.example/$2?a=b
  /old/*: /guides/*
  /old/inner/*: /guides/start
  /gone/*: https://elsewhere.example/gone/*
`,
  'index.md': '# Pets\n\nBegin with the [guide](guides/start.md).\n',
  'guides/start.md': '# Start\n\nThen [sizes](größe.md#big), and the [picture](dot.svg).\n',
  'guides/größe.md': '# Sizes\n\n## Big\n\nBack [home](../index.md).\n',
  'guides/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'openapi.json': JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: {
      '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'OK' } } } },
    },
  }),
};

/** Downloads the site and unpacks it into a folder, which it returns with the files' names. */
async function download(t: TestContext, someone: Visitor, query = '') {
  const response = await someone.call('GET', `/api/projects/pets/export${query}`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/gzip');
  const folder = await temporaryFolder(t);
  const names: string[] = [];
  const archive = Readable.fromWeb(response.body as never)
    .pipe(createGunzip())
    .pipe(extract());
  for await (const entry of archive) {
    const { name } = entry.header;
    assert.ok(!names.includes(name), `${name} is there twice`);
    names.push(name);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), await buffer(entry));
  }
  return { folder, names, disposition: response.headers.get('content-disposition') };
}

/** A web server that knows nothing but files and the indexes of folders. Its origin. */
async function serveFolder(t: TestContext, folder: string): Promise<string> {
  const server = createServer(async ({ url = '' }, response) => {
    const path = decodeURIComponent(url.replace(/[?#].*/, ''));
    const read = (name: string) => readFile(join(folder, name)).catch(() => undefined);
    const found = (await read(path)) ?? (await read(join(path, 'index.html')));
    response.statusCode = found ? 200 : 404;
    response.end(found ?? 'nothing here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Follows all links of pages from an address on; each path with its status. */
async function crawl(origin: string, start: string): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (statuses.has(path)) continue;
    const response = await fetch(origin + path);
    statuses.set(path, response.status);
    const text = await response.text();
    if (!text.startsWith('<!doctype html>')) continue;
    for (const [, link = ''] of text.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
      const url = new URL(link.replaceAll('&amp;', '&'), origin + path);
      if (url.origin === origin) waiting.push(url.pathname);
    }
  }
  return statuses;
}

test('an exported site has every page as the edge serves it, and each of its links leads to a file', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  await assertError(await root.call('GET', '/api/projects/pets/export'), 409, 'conflict');
  assert.equal((await deployFiles(root, 'pets', FILES)).state, 'succeeded');
  const { folder, names, disposition } = await download(t, root);
  assert.equal(disposition, 'attachment; filename="pets.tar.gz"');
  for (const name of [
    'README.md',
    'nginx.conf',
    'redirects.json',
    'site/_redirects',
    'site/404.html',
  ])
    assert.ok(names.includes(name), name);

  const origin = await serveFolder(t, join(folder, 'site'));
  const statuses = await crawl(origin, '/');
  assert.deepEqual(
    [...statuses].filter(([, status]) => status !== 200),
    [],
  );
  for (const page of [
    '/',
    '/guides/start',
    '/guides/gr%C3%B6%C3%9Fe',
    '/reference/operations/listPets',
  ])
    assert.ok([...statuses.keys()].includes(page), `${page} of ${[...statuses.keys()]}`);
  // The sitemap names all pages, whether they are linked or not.
  const { body: sitemap } = await fetchFromSite(`${url}/sitemap.xml`);
  const listed = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    ([, at = '']) => new URL(at).pathname,
  );
  assert.ok(listed.length >= 4, sitemap);
  const unlinked = ['/sitemap.xml', '/robots.txt', '/llms.txt', '/.well-known/api-catalog'];
  for (const path of new Set([...listed, ...statuses.keys(), ...unlinked])) {
    const served = await fetchFromSite(url + path);
    assert.equal(served.status, 200, path);
    const exported = Buffer.from(await (await fetch(origin + path)).arrayBuffer());
    assert.ok(uncounted(served.bytes).equals(exported), `${path} differs`);
  }
});

test('the redirects of an exported site are those of the edge, for nginx, Netlify and programs', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  assert.equal((await deployFiles(root, 'pets', FILES)).state, 'succeeded');
  const { folder } = await download(t, root);
  const rules = (await readFile(join(folder, 'site/_redirects'), 'utf8')).trim().split('\n');
  assert.deepEqual(rules, [
    '/Before /guides/gr%C3%B6%C3%9Fe 308',
    '/before /guides/start 308',
    '/say%20%22hi%22%20%241 https://elsewhere.example/$2?a=b 308',
    '/favicon.ico /favicon.svg 302',
    '/old/inner /guides/start 308',
    '/old/inner/* /guides/start 308',
    '/gone https://elsewhere.example/gone/ 308',
    '/gone/* https://elsewhere.example/gone/:splat 308',
    '/old /guides 308',
    '/old/* /guides/:splat 308',
  ]);
  const redirects = JSON.parse(await readFile(join(folder, 'redirects.json'), 'utf8'));
  assert.deepEqual(redirects[1], {
    ...{ from: '/before', to: '/guides/start', status: 308 },
    ...{ isPrefix: false, keepsRest: false },
  });

  if (!existsSync(NGINX)) return t.diagnostic(`without ${NGINX}`);
  const nginx = await startNginx(t, folder, 'pets.docs.localhost');
  const paths = [
    ...[
      '/',
      '/guides/start',
      '/guides/gr%C3%B6%C3%9Fe',
      '/guides/dot.svg',
      '/openapi.json',
      '/nowhere',
    ],
    ...['/before', '/Before', '/before?a=1', '/say%20%22hi%22%20%241', '/favicon.ico'],
    ...[
      '/old',
      '/old/',
      '/old/start',
      '/old/start?a=1',
      '/old/inner',
      '/old/inner/x?y',
      '/old/%0D%0AX',
    ],
    ...['/gone/a/b', '/older'],
  ];
  for (const path of paths) {
    const [ours, theirs] = await Promise.all([headOf(url, path), headOf(nginx, path)]);
    // A dollar would begin a variable of nginx; encoded it is the same address.
    const location = theirs.location?.replaceAll('%24', '$');
    assert.deepEqual({ ...theirs, location }, ours, path);
  }
});

test('each version of an exported site is below its prefix, and the root leads to the default one', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  for (const version of ['v1', 'v2', 'v3']) {
    const made = await deployFiles(root, 'pets', FILES, `?version=${version}`);
    assert.equal(made.state, 'succeeded');
  }
  const change = (version: string, body: object) =>
    root.call('PATCH', `/api/projects/pets/versions/${version}`, body);
  assert.equal((await change('v2', { default: true })).status, 200);
  assert.equal((await root.call('DELETE', '/api/projects/pets/versions/v1')).status, 204);
  const { folder, names } = await download(t, root);
  assert.ok(!names.some((name) => name.startsWith('site/v1/')));
  const origin = await serveFolder(t, join(folder, 'site'));
  for (const base of ['/v2', '/v3']) {
    const statuses = await crawl(origin, base);
    assert.deepEqual(
      [...statuses].filter(([, status]) => status !== 200),
      [],
    );
    for (const path of statuses.keys()) {
      // For hosts without rules; the edge redirects.
      if (path === '/') continue;
      const { bytes } = await fetchFromSite(url + path);
      const exported = Buffer.from(await (await fetch(origin + path)).arrayBuffer());
      assert.ok(uncounted(bytes).equals(exported), `${path} differs`);
    }
  }
  const rules = (await readFile(join(folder, 'site/_redirects'), 'utf8')).split('\n');
  for (const rule of [
    ...['/ /v2 302', '/guides/* /v2/guides/:splat 302', '/v1/* /v2/:splat 301', '/v1 /v2 301'],
    ...['/v3/before /v3/guides/start 308', '/v2/old/* /v2/guides/:splat 308'],
  ])
    assert.ok(rules.includes(rule), `${rule}: ${rules.join('\n')}`);
  assert.ok((await readdir(join(folder, 'site'))).includes('llms.txt'));
});

test('the download of a domain has its name, and of one that shows a version alone, that version', async (t) => {
  const { root, dns, edgePort } = await startDomainService(t);
  await createProject(root, 'pets');
  await setPlan(root, 'pets', 'pro');
  for (const version of ['v1', 'v2']) await deployFiles(root, 'pets', FILES, `?version=${version}`);
  const [main, old] = ['docs.example.test', 'v1.docs.example.test'];
  for (const name of [main, old]) await verifiedDomain({ dns }, root, 'pets', name);
  await json(await root.call('PATCH', `/api/projects/pets/domains/${old}`, { version: 'v1' }));
  const whole = await download(t, root, `?hostname=${main}`);
  assert.equal(whole.disposition, `attachment; filename="${main}.tar.gz"`);
  const sitemap = await readFile(join(whole.folder, 'site/sitemap.xml'), 'utf8');
  assert.match(sitemap, /<loc>https:\/\/docs\.example\.test\/v1\/guides\/start<\/loc>/);

  const { folder, names } = await download(t, root, `?hostname=${old}`);
  assert.ok(!names.some((name) => /^site\/v[12]\//.test(name)), names.join(' '));
  const page = await readFile(join(folder, 'site/guides/start/index.html'), 'utf8');
  const served = await fetchFromSite(`http://${old}:${edgePort}/guides/start`);
  // Until there is a certificate the edge has http and its own port.
  const own = (text: string) => text.replaceAll(/https?:\/\/v1\.docs\.example\.test(?::\d+)?/g, '');
  assert.equal(own(page), own(withoutReaders(served.body)));
});

test('a file is read when those before it were taken, so that memory does not grow with the site', async () => {
  const source = new MemorySource();
  const files = Array.from({ length: 200 }, (_, i) => [
    `/files/${i}.bin`,
    { type: 'application/octet-stream', text: randomBytes(100_000) },
  ]);
  source.deploy('big.test', Object.fromEntries(files));
  const site = source.sites.get('big.test');
  assert.ok(site);
  const archive = exportSite(source, site);
  // Nobody reads yet: it stops once the buffers on the way are full.
  let [reads, quiet] = [0, 0];
  while (quiet < 20 || archive.readableLength < archive.readableHighWaterMark) {
    await sleep(5);
    quiet = source.asked.readBlob === reads ? quiet + 1 : 0;
    reads = source.asked.readBlob;
  }
  assert.ok(reads > 0 && reads < 10, `${reads} files were read`);
  const { length } = await buffer(archive);
  assert.ok(length > 200 * 100_000);
  assert.equal(source.asked.readBlob, 200);
  // A client that leaves ends it.
  source.forgetAsked();
  const left = exportSite(source, site);
  left.destroy();
  await once(left, 'close');
  assert.ok(source.asked.readBlob < 10);
});

test('a site is downloaded by every member and by a token that reads, sixty times in an hour', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  await deploy(root, 'pets');
  const viewer = await joinAs(service, root, 'pets', 'viewer@example.com', 'viewer');
  const unknown = await viewer.call('GET', '/api/projects/pets/export?hostname=docs.example.com');
  await assertError(unknown, 404, 'not_found');
  const { id } = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  for (let i = 0; i < 59; i++)
    await incrementCounter(service.db, `export:${id}`, Date.now(), 60_000);
  const { token } = await makeToken(root, 'pets', ['read']);
  const reader = root.withToken(token);
  assert.equal((await download(t, reader)).disposition, 'attachment; filename="pets.tar.gz"');
  const late = await viewer.call('GET', '/api/projects/pets/export');
  await assertError(late, 429, 'rate_limited');
});

/** nginx with the exported configuration, on a port of its own. */
async function startNginx(t: TestContext, folder: string, host: string): Promise<string> {
  const port = await anyPort([]);
  const conf = (await readFile(join(folder, 'nginx.conf'), 'utf8'))
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('  listen [::]:80;\n', '')
    .replace(`root /var/www/${host};`, `root ${folder}/site;`)
    .replace('include mime.types;', 'include /etc/nginx/mime.types;');
  await writeFile(
    join(folder, 'main.conf'),
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;\n${conf}}`,
  );
  const nginx = spawnChild(t, NGINX, ['-c', join(folder, 'main.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  nginx.stderr?.on('data', (text) => (said += text));
  for (;;) {
    assert.equal(nginx.exitCode, null, said);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return `http://${host}:${port}`;
    await sleep(20);
  }
}

/** Status and target of the response to a path with its query. */
async function headOf(origin: string, path: string) {
  const { host, port } = new URL(origin);
  const asked = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }).end();
  const [{ statusCode, headers }] = (await once(asked, 'response')) as [IncomingMessage];
  asked.destroy();
  return { status: statusCode, location: headers.location };
}
