import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openIndex } from '@petstore/site/search/open-index.ts';
import { search } from '@petstore/site/search/search.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, textOf } from '../../support/build-site.ts';

// Sites with several documents, as they are built of an archive.

type Files = Readonly<Record<string, string>>;

const PAYMENTS = `openapi: 3.1.0
info: {title: Payment service, version: '2.1', description: Takes money. And more.}
servers: [{url: 'https://pay.example.com/v1'}]
security: [{key: []}]
tags: [{name: Charges}]
paths:
  /charges:
    post:
      operationId: createCharge
      summary: Create a charge
      tags: [Charges]
      requestBody: {content: {application/json: {schema: {$ref: 'shared.yaml#/Amount'}}}}
      responses: {'200': {description: OK}}
  /health:
    get: {operationId: getHealth, summary: Is it up?, tags: [Charges], responses: {'200': {description: OK}}}
components:
  schemas:
    Charge: {type: object, description: A charge.}
    Error: {type: object}
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
`;

const ACCOUNTS = `openapi: 3.0.3
info: {title: Accounts, version: '1'}
servers: [{url: 'https://accounts.example.com'}]
security: [{key: []}]
paths:
  /accounts:
    get: {operationId: listAccounts, summary: List accounts, tags: [openapi.json], responses: {'200': {description: OK}}}
  /health:
    get: {operationId: getHealth, summary: Is it up?, responses: {'200': {description: OK}}}
components:
  schemas:
    Account: {$ref: 'shared.yaml#/Amount'}
    Error: {type: object}
  securitySchemes: {key: {type: http, scheme: bearer}}
`;

const CONFIG = `title: Acme
references:
  - openapi: openapi/payments.yaml
    title: Payments
    description: Charges, refunds & more.
  - openapi: openapi/accounts.yaml
`;

const FILES: Files = {
  'docs.yaml': CONFIG,
  'openapi/payments.yaml': PAYMENTS,
  'openapi/accounts.yaml': ACCOUNTS,
  'openapi/shared.yaml': 'Amount: {type: object, properties: {cents: {type: integer}}}\n',
  'start.md': '# Start\n\nBegin with [a charge](operation:createCharge).\n',
};

async function build(files: Files) {
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
  const lines: string[] = [];
  const input = { kind: 'zip', bytes: zipOf(entries), name: 'docs' } as const;
  const result = await buildInMemory(
    { ...input, publication: { origin: 'https://acme.test' } },
    (line) => {
      lines.push('rule' in line ? `${line.file}:${line.line} ${line.message}` : line.message);
    },
  );
  return { result, lines };
}

async function built(files: Files = FILES) {
  const { result, lines } = await build(files);
  assert.ok('artifact' in result, JSON.stringify(result));
  const { artifact } = result;
  const { manifest } = artifact;
  return { lines, manifest, text: (path: string) => textOf(artifact, path) };
}

async function problems(files: Files): Promise<string[]> {
  const { result } = await build(files);
  assert.ok('problems' in result, 'it was built');
  return result.problems.map(
    ({ file, path, line, message }) => `${file ?? path}:${line} ${message}`,
  );
}

const hrefsIn = (html: string) => [...html.matchAll(/href="([^"#]*)"/g)].map(([, href]) => href);

test('each document has its pages and downloads below its address, and a page lists them', async () => {
  const { manifest, text } = await built();
  for (const path of [
    '/reference/payments',
    '/reference/payments/charges/createCharge',
    '/reference/payments/charges/createCharge.md',
    '/reference/payments/models/Charge',
    '/reference/payments/openapi.yaml',
    '/reference/accounts/openapi.json',
    // The tag of that name gives way to the document.
    '/reference/accounts/openapi.json-2/listAccounts',
  ])
    assert.ok(manifest.files[path], path);
  for (const path of ['/openapi.json', '/_site/navigation.json', '/_site/anchors.json'])
    assert.equal(manifest.files[path], undefined, path);
  assert.equal(JSON.parse(text('/reference/accounts/openapi.json')).info.title, 'Accounts');
  assert.equal(manifest.files['/openapi/shared.yaml'], undefined);

  const list = text('/reference');
  assert.match(list, /<h1>API reference<\/h1>/);
  const cards = [...list.matchAll(/<div class="card">[\s\S]*?<\/div>/g)].map(([card]) =>
    card
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  assert.deepEqual(cards, [
    'Payments Charges, refunds &amp; more. Version 2.1 2 operations',
    'Accounts Version 1 2 operations',
  ]);
  assert.match(
    text('/reference.md'),
    /- \[Payments\]\(\/reference\/payments\.md\): Charges, refunds & more\./,
  );
});

test('a page of one says which, lists its operations, and leads to the others', async () => {
  const { text } = await built();
  const html = text('/reference/payments/charges/createCharge');
  assert.match(html, /<title>Create a charge · Payments · Acme<\/title>/);
  const crumbs = /<nav class="docs-crumbs"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? '';
  assert.deepEqual(hrefsIn(crumbs), [
    ...['/reference', '/reference/payments', '/reference/payments/charges'],
  ]);
  const sidebar = /<nav class="docs-nav"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? '';
  assert.deepEqual(hrefsIn(sidebar).slice(0, 3), [
    ...['/reference', '/reference/payments', '/reference/accounts'],
  ]);
  assert.match(
    sidebar,
    /<details class="nav-apis" data-navigation="\/_site\/navigation\/payments.json">/,
  );
  assert.ok(!sidebar.includes('List accounts'));
  assert.match(html, /aria-current="true">Payments<\/a>/);
  assert.match(text('/reference/payments'), /<title>Payments · Acme<\/title>/);
  assert.match(text('/reference/payments.md'), /^# Payments\n/);
  // The scripts of both keep keys apart.
  assert.match(html, /"schemes":\[\{"name":"key","api":"payments"/);
  assert.match(
    text('/reference/accounts/openapi.json-2/listAccounts'),
    /"schemes":\[\{"name":"key","api":"accounts"/,
  );
  assert.match(text('/start'), /href="\/reference\/payments\/charges\/createCharge"/);
});

test('lists for programs, the policy and the proxy have all of them', async () => {
  const { manifest, text } = await built();
  assert.match(
    manifest.contentSecurityPolicy,
    /connect-src 'self' https:\/\/pay\.example\.com https:\/\/accounts\.example\.com/,
  );
  assert.deepEqual(JSON.parse(text('/_site/api-addresses.json')), [
    ...['https://pay.example.com/v1', 'https://accounts.example.com/'],
  ]);
  const { linkset } = JSON.parse(text('/.well-known/api-catalog'));
  assert.deepEqual(linkset[0].item, [
    { href: 'https://pay.example.com/v1', title: 'Payments' },
    { href: 'https://accounts.example.com', title: 'Accounts' },
  ]);
  assert.equal(linkset[2]['service-desc'][0].href, '{{origin}}/reference/accounts/openapi.json');
  const llms = text('/llms.txt');
  const headings = [...llms.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  assert.deepEqual(headings, [
    ...['Guides', 'Everything', 'Payments', 'Payments: Charges', 'Payments: Models', 'Accounts'],
    ...['Accounts: openapi.json', 'Accounts: Operations', 'Accounts: Models'],
  ]);
  const sitemap = text('/sitemap.xml');
  for (const path of ['/reference', '/reference/payments', '/reference/accounts/models/Account'])
    assert.ok(sitemap.includes(`{{origin}}${path}</loc>`), path);
  assert.match(text('/llms-full.txt'), /# Create a charge[\s\S]*# List accounts/);
});

test('APIs with the same server are told apart by their references in the catalog', async () => {
  const same = ACCOUNTS.replace('https://accounts.example.com', 'https://pay.example.com/v1');
  const { text } = await built({ ...FILES, 'openapi/accounts.yaml': same });
  const { linkset } = JSON.parse(text('/.well-known/api-catalog'));
  assert.deepEqual(
    linkset[0].item.map(({ href }: { href: string }) => href),
    ['{{origin}}/reference/payments', '{{origin}}/reference/accounts'],
  );
});

test('the search is over all, and a result says which API it is of', async () => {
  const { text } = await built();
  const index = await openIndex(async (path) => JSON.parse(text(path)));
  const found = async (query: string) =>
    (await search(index, query, 10)).rows.map(({ title, api }) => `${title} (${api?.title})`);
  assert.equal((await found('create charge'))[0], 'Create a charge (Payments)');
  assert.equal((await found('list accounts'))[0], 'List accounts (Accounts)');
  const both = await found('getHealth');
  assert.deepEqual(both.slice(0, 2).sort(), ['Is it up? (Accounts)', 'Is it up? (Payments)']);
  assert.equal((await found('payments is it up'))[0], 'Is it up? (Payments)');
  assert.equal((await found('accounts is it up'))[0], 'Is it up? (Accounts)');
  assert.equal((await found('start'))[0], 'Start (undefined)');
  assert.equal((await found('api reference'))[0], 'API reference (undefined)');
});

test('tabs are for one reference or for all, and those without one share a tab', async () => {
  const withTabs = (tabs: string) => ({
    ...FILES,
    'docs.yaml': `${CONFIG}navigation:\n  - { tab: Guides, pages: [start.md] }\n${tabs}`,
  });
  const tabsAt = async (tabs: string, path: string) => {
    const html = (await built(withTabs(tabs))).text(path);
    const bar = /<nav class="site-tabs"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? '';
    return [...bar.matchAll(/<a href="([^"]*)"( aria-current="true")?>([^<]*)/g)].map(
      ([, href, current, title]) => `${title} ${href}${current ? ' *' : ''}`,
    );
  };
  assert.deepEqual(await tabsAt('', '/reference/accounts'), [
    ...['Guides /start', 'API reference /reference *'],
  ]);
  const one = '  - { tab: Pay, reference: payments }\n';
  assert.deepEqual(await tabsAt(one, '/reference/payments/charges'), [
    ...['Guides /start', 'Pay /reference/payments *', 'API reference /reference'],
  ]);
  assert.deepEqual(await tabsAt(one, '/reference/accounts'), [
    ...['Guides /start', 'Pay /reference/payments', 'API reference /reference *'],
  ]);
  const both = `${one}  - { tab: Accounts, reference: accounts }\n`;
  assert.deepEqual(await tabsAt(both, '/reference/accounts'), [
    ...['Guides /start', 'Pay /reference/payments', 'Accounts /reference/accounts *'],
  ]);
});

test('a few have links of their own in the header, more one that leads to the list', async () => {
  const linksAt = async (count: number, path: string) => {
    const entries = Array.from(
      { length: count },
      (_, at) => `  - { openapi: openapi/payments.yaml, address: p${at}, title: Pay ${at} }\n`,
    );
    const config = `title: Acme\nreferences:\n${entries.join('')}`;
    const files = { ...FILES, 'docs.yaml': config, 'start.md': '# Start\n' };
    const html = (await built(files)).text(path);
    const links = /<nav class="site-links"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? '';
    return [...links.matchAll(/<a href="([^"]*)"( aria-current="true")?>/g)].map(
      ([, href, current]) => `${href}${current ? ' *' : ''}`,
    );
  };
  assert.deepEqual(await linksAt(2, '/reference/p1/charges'), [
    ...['/', '/reference/p0', '/reference/p1 *'],
  ]);
  assert.deepEqual(await linksAt(4, '/reference/p1/charges'), ['/', '/reference *']);
  assert.deepEqual(await linksAt(1, '/reference/p0'), ['/', '/reference *']);
});

test('without guides the list is the start page, too', async () => {
  const { 'start.md': _, ...files } = FILES;
  const { text } = await built(files);
  for (const path of ['/', '/reference']) assert.match(text(path), /<h1>API reference<\/h1>/);
  assert.match(text('/index.md'), /^# API reference/);
  assert.match(text('/404.html'), /<a href="\/reference">API reference<\/a>/);
});

test('warnings and errors name the file and line of their document', async () => {
  const odd = ACCOUNTS.replace('summary: List accounts, ', '');
  const { lines } = await built({ ...FILES, 'openapi/accounts.yaml': odd });
  assert.ok(
    lines.includes('openapi/accounts.yaml:7 `GET /accounts` has no `summary`.'),
    lines.join('\n'),
  );

  const found = await problems({
    ...FILES,
    'openapi/payments.yaml': 'openapi: 9.9.9\n',
    'openapi/accounts.yaml': 'openapi: [\n',
    'start.md': '[x](operation:nothing)',
  });
  assert.equal(found.length, 2, found.join('\n'));
  assert.match(found[0] ?? '', /^openapi\/payments\.yaml:1 /);
  assert.match(found[1] ?? '', /^openapi\/accounts\.yaml:\d /);
});

test('a guide where a reference is, and a link that could mean two, fail the deploy', async () => {
  const found = await problems({
    ...FILES,
    'reference/payments.md': '# Mine',
    'start.md': '[up](operation:getHealth)\n\n[old](/openapi.json)\n',
  });
  assert.deepEqual(found, [
    'reference/payments.md:null The file would be at `/reference/payments`, which the site itself has: rename it.',
    'start.md:1 Several documents have an operation `getHealth`: write which one is meant, `operation:payments/getHealth` or `operation:accounts/getHealth`.',
    'start.md:3 The link `/openapi.json` is broken: there is no `openapi.json`.',
  ]);
});

test('descriptions may link to pages of the other documents', async () => {
  const linked = PAYMENTS.replace(
    'Takes money. And more.',
    '"[Accounts](/reference/accounts), [file](/reference/accounts/openapi.yaml), [gone](/reference/gone)"',
  );
  const { text } = await built({ ...FILES, 'openapi/payments.yaml': linked });
  const html = text('/reference/payments');
  assert.match(
    html,
    /<a href="\/reference\/accounts">Accounts<\/a>, <a href="\/reference\/accounts\/openapi.yaml">file<\/a>, gone/,
  );
});

test('one document with overlays can be several APIs', async () => {
  const overlay = `overlay: 1.0.0
info: {title: For partners, version: '1'}
actions:
  - {target: $.info, update: {title: Partners}}
  - {target: "$.paths['/health']", remove: true}
`;
  const config = `title: Acme
references:
  - openapi: openapi/payments.yaml
  - { openapi: openapi/payments.yaml, overlays: [partner.yaml], address: partners }
`;
  const { text, manifest } = await built({
    ...{ ...FILES, 'docs.yaml': config, 'partner.yaml': overlay },
    'start.md': '# Start\n',
  });
  assert.match(text('/reference/partners'), /<h1>Partners<\/h1>/);
  assert.ok(manifest.files['/reference/payments/charges/getHealth']);
  assert.equal(manifest.files['/reference/partners/charges/getHealth'], undefined);
});
