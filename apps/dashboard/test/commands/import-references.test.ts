import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { deployed, importFolder } from './support/import-folder.ts';

// Folders of other products that have several OpenAPI documents.

const documentOf = (title: string, thing: string) =>
  JSON.stringify({
    ...{ openapi: '3.1.0', info: { title, version: '1' } },
    paths: { [`/${thing}`]: { get: { operationId: `get-${thing}`, summary: title } } },
  });

const DOCUMENTS = {
  'api/payments.json': documentOf('Payments', 'charges'),
  'api/accounts/openapi.json': documentOf('Accounts', 'members'),
  'old/payments.json': documentOf('Old payments', 'bills'),
};

test("a Mintlify folder's tabs keep the documents that they show", async (t) => {
  const navigation = {
    tabs: [
      { tab: 'Guides', pages: ['index', 'cards'] },
      { tab: 'Payments', openapi: 'api/payments.json' },
      { tab: 'Accounts', groups: [{ group: 'All', openapi: '/api/accounts/openapi.json' }] },
      { tab: 'More', pages: ['old/payments.json GET /bills', 'api/payments.json GET /charges'] },
      { tab: 'Payments again', openapi: ['api/payments.json'] },
    ],
  };
  const folder = await importFolder(t, {
    'docs.json': JSON.stringify({ name: 'Acme', navigation }),
    'index.mdx': '---\ntitle: Start\n---\n\n[Charges](/reference/payments)\n',
    'cards.mdx': '---\ntitle: Cards\nopenapi: "/cards.json GET /cards"\n---\n',
    'cards.json': documentOf('Cards', 'cards'),
    ...DOCUMENTS,
  });
  const { code, stdout, stderr } = await folder.importFrom('mintlify');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /references of 4 documents/);
  const config = parse(await folder.read('docs.yaml'));
  assert.deepEqual(config.references, [
    { openapi: 'api/payments.json' },
    { openapi: 'api/accounts/openapi.json' },
    { openapi: 'old/payments.json', address: 'payments-2' },
    { openapi: 'cards.json' },
  ]);
  assert.deepEqual(config.navigation.slice(1), [
    { tab: 'Payments', reference: 'payments' },
    { tab: 'Accounts', reference: 'accounts' },
    { tab: 'More', reference: true },
  ]);
  const site = await deployed(t, folder.path);
  for (const path of [
    'payments/operations/get-charges',
    'payments-2',
    'accounts/openapi.yaml',
    'cards',
  ])
    assert.equal((await site.get(`/reference/${path}`)).status, 200, path);
});

const CONFIG = `export default {
  title: 'Acme',
  presets: [
    ['classic', {}],
    ['redocusaurus', { specs: [
      { spec: 'api/payments.json', route: '/payments/' },
      { spec: 'https://example.com/openapi.json', route: '/away' },
    ] }],
  ],
  plugins: [
    ['docusaurus-plugin-openapi-docs', { config: {
      accounts: { specPath: './api/accounts/openapi.json', outputDir: 'docs/accounts' },
      gone: { specPath: 'gone.yaml' },
    } }],
    ['docusaurus-plugin-openapi', { id: 'old', path: 'static/old.json', routeBasePath: 'bills' }],
  ],
};
`;

test('the documents of plugins of Docusaurus become references, and their addresses lead there', async (t) => {
  const { 'old/payments.json': old, ...documents } = DOCUMENTS;
  const folder = await importFolder(t, {
    'docusaurus.config.js': CONFIG,
    'docs/intro.md': '# Introduction\n',
    'static/old.json': old,
    ...documents,
  });
  const { code, stdout, stderr } = await folder.importFrom('docusaurus');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /The OpenAPI document is at `https:\/\/example\.com\/openapi\.json`/);
  assert.match(stdout, /There is no OpenAPI document `gone\.yaml`/);
  const { references, redirects } = parse(await folder.read('docs.yaml'));
  assert.deepEqual(references, [
    { openapi: 'api/payments.json' },
    { openapi: 'api/accounts/openapi.json' },
    { openapi: 'old.json' },
  ]);
  assert.equal(redirects['/payments'], '/reference/payments');
  assert.equal(redirects['/bills'], '/reference/old');
  const site = await deployed(t, folder.path);
  assert.equal((await site.get('/payments')).location, '/reference/payments');
  assert.match((await site.get('/reference/old')).text, /<h1>Old payments<\/h1>/);
});

test("the documents of a repository of ReadMe's are references, and its other files are none", async (t) => {
  const folder = await importFolder(t, {
    'docs/start.md': '---\ntitle: Start\n---\n\nHello.\n',
    'reference/payments.json': DOCUMENTS['api/payments.json'],
    'accounts.json': DOCUMENTS['api/accounts/openapi.json'],
    'settings.json': '{"theme": "dark"}',
  });
  const { code, stderr } = await folder.importFrom('readme');
  assert.equal(code, 0, stderr);
  const { references } = parse(await folder.read('docs.yaml'));
  assert.deepEqual(references.map(({ openapi }: { openapi: string }) => openapi).sort(), [
    'accounts.json',
    'reference/payments.json',
  ]);
  const site = await deployed(t, folder.path);
  assert.equal((await site.get('/reference/accounts')).status, 200);
});
