import assert from 'node:assert/strict';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { folderFiles } from '../../support/folder-files.ts';
import { deployFiles } from '../../support/guides.ts';
import { createProject, deploy } from '../../support/project.ts';
import { startService } from '../../support/service.ts';
import { fetchFromSite } from '../../support/site.ts';

// Whatever a site names, a version of it names below its prefix: found by following all of it.

const PARCELS = fileURLToPath(new URL('../guides/fixtures/parcels', import.meta.url));

/** What a file names from the root of its host. */
function namedIn(type: string, text: string): string[] {
  // No code sample of these sites has such attributes.
  if (type.startsWith('text/html'))
    return [
      ...text.matchAll(/\s(?:href|src|data-more)="(\/[^"]*)"|\scontent="(\/(?:v2\/)?_[^"]*)"/g),
    ].map(([, link, content]) => link ?? content ?? '');
  if (type.startsWith('text/css'))
    return [...text.matchAll(/url\(["']?(\/[^)"']*)/g)].map(([, path = '']) => path);
  if (type.startsWith('text/markdown'))
    return [...text.matchAll(/\]\((\/[^)]*)\)/g)].map(([, path = '']) => path);
  return [];
}

/** Follows all that the files of a site name, from some on; what each got, by its path without a fragment. */
async function crawl(origin: string, from: readonly string[]) {
  const found = new Map<string, { status: number; named: string[] }>();
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const { status, headers, body } = await fetchFromSite(origin + path);
    const named = namedIn(String(headers['content-type']), body).map(
      (one) => new URL(one, 'http://site').pathname,
    );
    found.set(path, { status, named });
    waiting.push(...named);
  }
  return found;
}

test('all that the pages, styles and texts of a version name is below its prefix, and there', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const files = Object.fromEntries(await folderFiles(PARCELS));
  const styled = {
    ...files,
    'brand.css': '.content { background: url(/images/flow.svg) }\n',
    'docs.yaml': `${files['docs.yaml']}\n`.replace(/^theme:\n/m, 'theme:\n  css: brand.css\n'),
    '404.md': '# Lost\n\nBack to [the start](/) or [errors](/guides/errors).\n',
  };
  const { errors } = await deployFiles(root, 'pets', styled, '?version=v2');
  assert.deepEqual(errors, []);
  const found = await crawl(url, [
    ...['/v2', '/v2/missing', '/v2/llms-full.txt', '/v2/_site/pages', '/v2/_site/search.json'],
    ...['/v2/_site/navigation.json', '/v2/openapi.yaml', '/v2/_assets/oauth-callback.html'],
  ]);
  const paths = [...found.keys()];
  assert.ok(paths.length > 50, `${paths.length}`);
  const outside = paths.filter((path) => !/^\/v2(?:\/|$)/.test(path));
  assert.deepEqual(outside, []);
  const lost = paths.filter((path) => path !== '/v2/missing' && found.get(path)?.status !== 200);
  assert.deepEqual(lost, []);
  assert.ok(
    paths.some((path) => /^\/v2\/_assets\/own-.*\.css$/.test(path)),
    'the own style',
  );
  assert.ok(paths.includes('/v2/images/flow.svg'));

  // The same as at the root, each where it is below the prefix.
  await deployFiles(root, 'pets', styled);
  await root.call('PATCH', '/api/projects/pets/versions/v2', { default: false });
  const plain = await crawl(url, ['/']);
  const listed = [...plain.keys()].filter((path) => !path.startsWith('/v2'));
  assert.deepEqual(
    listed.filter((path) => !found.has(path === '/' ? '/v2' : `/v2${path}`)),
    [],
  );
  const sitemap = await fetchFromSite(`${url}/v2/sitemap.xml`);
  const addresses = [...sitemap.body.matchAll(/<loc>([^<]*)/g)].map(([, address = '']) => address);
  assert.ok(addresses.length > 10 && addresses.every((one) => one.startsWith(`${url}/v2`)));
  assert.ok(addresses.includes(`${url}/v2`), 'the start page as it is served');
  const image = /property="og:image" content="([^"]*)"/;
  const page = await fetchFromSite(`${url}/v2/guides/errors`);
  const [, preview = ''] = image.exec(page.body) ?? [];
  assert.match(preview, new RegExp(`^${url}/v2/_assets/preview-`));
  assert.equal((await fetchFromSite(preview)).status, 200);
});

test('a version can have several documents, and diagrams', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const document = (name: string) =>
    JSON.stringify({
      ...{ openapi: '3.1.0', info: { title: name, version: '1' } },
      paths: { '/x': { get: { operationId: `${name}X`, tags: [name], responses: {} } } },
      components: { schemas: { [name]: { type: 'object' } } },
    });
  const files = {
    'docs.yaml':
      'title: Two\nreferences:\n  - { openapi: pets.json, address: pets }\n  - { openapi: orders.json, address: orders }\n',
    'index.md':
      '# Start\n\n```mermaid\nflowchart LR\n  a --> b\n```\n\n[X](operation:orders/ordersX)\n',
    'pets.json': document('pets'),
    'orders.json': document('orders'),
  };
  const { errors } = await deployFiles(root, 'pets', files, '?version=v2');
  assert.deepEqual(errors, []);
  const found = await crawl(url, ['/v2', '/v2/_assets/diagrams.html', '/v2/llms-full.txt']);
  assert.deepEqual(
    [...found].filter(([path, { status }]) => !/^\/v2(?:\/|$)/.test(path) || status !== 200),
    [],
  );
  assert.ok(found.has('/v2/reference/orders/orders/ordersX'), [...found.keys()].join('\n'));
});

test('texts, code and data of a page stay as they are', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const text = [
    '## Part\n\nStart "quoted" href="/not" <kbd>/</kbd>',
    '```html\n<a href="/plain">x</a> url(/x) [a](/b)\n```',
    '`<img src="/code">` and [a link](/guides/other#part), [back](/#part)',
    '<img src="/images/a.svg" alt="<a href=&quot;/alt&quot;> >">',
    '    [indented](/guides/other)',
  ].join('\n\n');
  const files = {
    'docs.yaml': 'title: Pets\n',
    'index.md': text,
    'guides/other.md': '# Other\n\n## Part\n',
    'images/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  };
  const { errors } = await deployFiles(root, 'pets', files, '?version=v1');
  assert.deepEqual(errors, []);
  const plain = await fetchFromSite(`${url}/v1`);
  assert.equal(plain.status, 200, 'the first version is the default');
  for (const kept of [
    'href="/not"',
    '&#x3C;img src="/code">',
    '&#x22;/alt&#x22;> >"',
    '"/plain"',
    'url(/x)',
  ])
    assert.ok(plain.body.replace(/<\/?span[^>]*>/g, '').includes(kept), kept);
  assert.match(plain.body, /<a href="\/v1\/guides\/other#part">/);
  assert.match(plain.body, /<a href="\/v1#part">/);
  assert.match(plain.body, /<img src="\/v1\/images\/a\.svg"/);
  const { body } = await fetchFromSite(`${url}/v1/index.md`);
  assert.match(body, /\[a link\]\(\/v1\/guides\/other#part\)/);
  assert.match(body, /url\(\/x\) \[a\]\(\/b\)/, 'code stays');
});

/** A page as a client gets it that takes a coding. */
async function coded(url: string, coding: string) {
  const { host, port, pathname } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const headers = { host, 'accept-encoding': coding };
  request({ host: '127.0.0.1', port, path: pathname, headers, agent: false }, resolve).end();
  const response = await promise;
  return { headers: response.headers, bytes: await buffer(response) };
}

test('a page of a version is compressed, has a tag of its own, and says the same in each form', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const files = {
    'docs.yaml': 'title: Pets\n',
    'index.md': `# Größe 日本\n\n${'long text '.repeat(400)}`,
  };
  await deployFiles(root, 'pets', files, '?version=v1');
  const page = await fetchFromSite(`${url}/v1`);
  assert.match(page.body, /Größe 日本/);
  const br = await coded(`${url}/v1`, 'br');
  assert.equal(br.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(br.bytes).toString(), page.body);
  const gzip = await coded(`${url}/v1`, 'gzip');
  assert.equal(gunzipSync(gzip.bytes).toString(), page.body);
  // What another version brings into the page changes its tag: browsers and proxies have to ask anew.
  await deployFiles(root, 'pets', files, '?version=v0');
  const later = await coded(`${url}/v1`, 'br');
  assert.notEqual(later.headers.etag, br.headers.etag);
  assert.match(brotliDecompressSync(later.bytes).toString(), /<a href="\/v0">/);
});

test('the MCP server of a version tells of that version, and the one at the root of the default', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const site = (title: string) => ({
    'docs.yaml': `title: ${title}\n`,
    'index.md': `# Start\n\nHere begins ${title}.\n`,
    'guides/parrots.md': `# Parrots of ${title}\n`,
  });
  await deployFiles(root, 'pets', site('One'), '?version=v1');
  await deployFiles(root, 'pets', site('Two'), '?version=v2');
  const call = async (path: string, name: string, args: object): Promise<string> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const { host, port } = new URL(url);
    const { promise, resolve } = Promise.withResolvers<import('node:http').IncomingMessage>();
    const headers = {
      ...{ host, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    };
    request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }, resolve).end(
      JSON.stringify(body),
    );
    return (await buffer(await promise)).toString();
  };
  assert.match(
    await call('/v2/mcp', 'search', { query: 'parrots' }),
    new RegExp(`${url}/v2/guides/parrots`),
  );
  assert.match(
    await call('/mcp', 'search', { query: 'parrots' }),
    new RegExp(`${url}/v1/guides/parrots`),
  );
  for (const address of ['/guides/parrots', '/v2/guides/parrots', `${url}/v2/guides/parrots`])
    assert.match(await call('/v2/mcp', 'read_page', { page: address }), /Parrots of Two/);
});

test('two documents as versions keep their own operations', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const document = (id: string) =>
    JSON.stringify({
      ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1' } },
      servers: [{ url: '/api' }],
      paths: { '/pets': { get: { operationId: id, summary: id, responses: {} } } },
    });
  await deploy(root, 'pets', document('listPets'), '?version=v1');
  await deploy(root, 'pets', document('findPets'), '?version=v2');
  const page = await fetchFromSite(`${url}/v1/reference/operations/listPets`);
  assert.equal(page.status, 200);
  assert.match(
    page.body,
    /<a href="\/v2"><span>v2<\/span> <small>not released, start page<\/small>/,
  );
  const { body } = await fetchFromSite(`${url}/v1/reference`);
  assert.equal((await fetchFromSite(`${url}/v1/reference`)).headers.location, '/v1', body);
});
