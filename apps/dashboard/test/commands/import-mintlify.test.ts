import assert from 'node:assert/strict';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { parse } from 'yaml';
import { deployed, importFolder, OPENAPI, SVG, WOFF2 } from './support/import-folder.ts';

const page = (title: string, text = '') => `---\ntitle: ${title}\n---\n\n${text}\n`;

const DOCS_JSON = {
  $schema: 'https://mintlify.com/docs.json',
  name: 'Parcels',
  colors: { primary: '#166E3F', light: '#07C983' },
  logo: { light: './logo/light.svg', dark: '/logo/dark.svg' },
  favicon: '/logo/icon.png',
  fonts: { family: 'Own', source: '/fonts/own.woff2' },
  appearance: { default: 'dark' },
  search: { prompt: 'Search' },
  errors: { 404: { title: 'Lost', description: 'Nothing is here.' } },
  banner: { content: 'Version **3** is out. [Read more](/changes)' },
  navigation: {
    languages: [
      {
        language: 'en',
        tabs: [
          {
            tab: 'Guides',
            icon: 'book-open',
            groups: [
              {
                group: 'Start',
                icon: 'gear',
                pages: [
                  'index',
                  'guides/start',
                  { group: 'Deep', root: 'deep/index', pages: ['deep/one', 'deep/gone'] },
                ],
              },
              { group: 'Quiet', hidden: true, pages: ['quiet'] },
            ],
          },
          { tab: 'API', openapi: 'openapi.json', pages: ['GET /pets'] },
          { tab: 'Blog', href: 'https://blog.example.com' },
        ],
      },
      { language: 'fr', $ref: './fr.json' },
    ],
  },
  navbar: {
    links: [{ label: 'Support', href: 'mailto:help@example.com' }],
    primary: { type: 'button', label: 'Sign up', href: 'https://example.com/start' },
  },
  footer: {
    socials: { github: 'https://github.com/example' },
    links: [{ header: 'More', items: [{ label: 'Old', href: 'http://example.com' }] }],
  },
  redirects: { $ref: './redirects.json' },
  variables: { version: '3.1', 'no name': 'x' },
  integrations: { ga4: { measurementId: 'G-1' } },
};

const REDIRECTS = [
  { source: '/begin', destination: '/first' },
  { source: '/first', destination: '/guides/start', permanent: false },
  { source: '/old/:slug*', destination: '/deep/:slug*' },
  { source: '/moved/:page/x', destination: '/quiet' },
  { source: '/away', destination: '/nowhere' },
  { source: '/a', destination: '/b' },
  { source: '/b', destination: '/a' },
  { source: '/deep/index', destination: '/deep/index' },
];

const FILES = {
  'docs.json': JSON.stringify(DOCS_JSON, null, 2),
  'redirects.json': JSON.stringify(REDIRECTS, null, 1),
  'openapi.json': OPENAPI,
  'logo/light.svg': SVG,
  'logo/dark.svg': SVG,
  'README.md': '# How to build this\n\n[gone](src/nowhere.md)\n',
  'index.mdx': page('Welcome', '[Start](/begin) and ![a picture](/images/gone.png)'),
  'guides/start.mdx': page('Begin here', '[lost](/lost)'),
  'deep/index.mdx': page('Depths'),
  'deep/one.mdx': page('One'),
  'quiet.mdx': '---\ntitle: Quiet\nopenapi: GET /pets\n---\n\n{/* nothing */}\n',
  'told.mdx': '---\ntitle: Told\nopenapi: GET /pets\n---\n\nMore of it.\n',
  'other.mdx': '---\ntitle: Other\nopenapi: GET /others\n---\n\nMore.\n',
  'brand.css': 'a {}',
  'robots.txt': 'User-Agent: *\n',
  'notes.tmp.md': '# Notes\n',
  'logo/icon.png': 'PNG',
  'fonts/own.woff2': WOFF2,
  'changes.mdx': page('Changes', 'This is {{version}}.'),
  'drafts/idea.mdx': page('Idea'),
  '.mintignore': '# not yet\ndrafts/\n*.tmp.md\n',
};

test('a Mintlify folder is moved with one command, and every page is found', async (t) => {
  const folder = await importFolder(t, FILES);
  const { code, stdout, stderr } = await folder.importFrom('mintlify');
  assert.equal(code, 0, stderr);
  assert.deepEqual(parse(await folder.read('docs.yaml')), {
    title: 'Parcels',
    openapi: 'openapi.json',
    theme: { colors: { light: '#166E3F', dark: '#07C983' }, fonts: { body: 'fonts/own.woff2' } },
    logo: { light: 'logo/light.svg', dark: 'logo/dark.svg' },
    favicon: 'logo/icon.png',
    announcement: { text: 'Version 3 is out. Read more', link: '/changes' },
    navigation: [
      {
        tab: 'Guides',
        icon: 'book-open',
        pages: [
          {
            title: 'Start',
            icon: 'settings',
            pages: [
              'index.mdx',
              'guides/start.mdx',
              { title: 'Deep', page: 'deep/index.mdx', pages: ['deep/one.mdx'] },
            ],
          },
        ],
      },
      { tab: 'API', reference: true },
      { tab: 'Blog', url: 'https://blog.example.com' },
    ],
    links: {
      header: [
        { title: 'Support', url: 'mailto:help@example.com' },
        { title: 'Sign up', url: 'https://example.com/start' },
      ],
      footer: [{ title: 'GitHub', url: 'https://github.com/example' }],
    },
    redirects: {
      '/begin': '/guides/start',
      '/first': { to: '/guides/start', status: 302 },
      '/old/*': '/deep/*',
      '/deep/index': '/deep',
      '/quiet': '/reference/operations/listPets',
      '/api-reference/list-pets': '/reference/operations/listPets',
      '/old/index': '/deep',
    },
    variables: { version: '3.1' },
    ignore: ['README.md', 'drafts/', 'notes.tmp.md', 'quiet.mdx', 'robots.txt'],
    onBrokenLinks: 'warn',
  });
  for (const told of [
    /^ {2}docs\.json:\d+: There is no page `deep\/gone`/m,
    /^ {2}docs\.json:\d+: Of the languages, en is carried over, and not fr/m,
    /^ {2}docs\.json:\d+: `integrations` is not carried over\. Sites load no scripts/m,
    /^ {2}docs\.json:\d+: The link “Old” leads to `http:\/\/example\.com`/m,
    /^ {2}redirects\.json:\d+: The redirect `\/moved\/:page\/x` .* a pattern is `\*` at the end/m,
    /^ {2}redirects\.json:\d+: The redirect `\/away` → `\/nowhere` .* does not have its target/m,
    /^ {2}redirects\.json:\d+: The redirect `\/a` → `\/b` .* in a circle/m,
    /^Changed told\.mdx\.$/m,
    /^ {2}other\.mdx:3: Mintlify fills this page with an operation that no OpenAPI document/m,
    /^ {2}docs\.json:\d+: Settings of Mintlify's own parts are left out: `appearance`, `search`\.$/m,
    /^ {2}brand\.css: The file is left out: its selectors are those of Mintlify/m,
    /^ {2}robots\.txt: Every site has one of its own/m,
    /^ {2}docs\.json:\d+: The variable `no name` is left out/m,
  ])
    assert.match(stdout, told);
  assert.doesNotMatch(stdout, /A deploy refuses this/);
  const told = await folder.read('told.mdx');
  assert.match(told, /^---\n\n<Operation id="listPets" \/>\n\nMore of it\.\n$/m);
  assert.equal((await folder.importFrom('mintlify', '--force')).code, 0);
  assert.equal(await folder.read('told.mdx'), told, 'it is not written twice');

  const site = await deployed(t, folder.path);
  assert.match((await site.get('/')).text, /Welcome/);
  for (const path of ['/guides/start', '/deep', '/deep/one', '/changes', '/reference'])
    assert.equal((await site.get(path)).status, 200, path);
  assert.match((await site.get('/changes')).text, /This is 3\.1\./);
  for (const path of ['/README', '/drafts/idea']) assert.equal((await site.get(path)).status, 404);
  assert.equal((await site.get('/old/one?x=1')).location, '/deep/one?x=1');
  assert.equal((await site.get('/begin')).location, '/guides/start');
  assert.equal((await site.get('/quiet')).location, '/reference/operations/listPets');
  assert.match(
    (await site.get('/told')).text,
    /href="\/reference\/operations\/listPets"[\s\S]*More of it\./,
  );
  assert.match((await site.get('/nowhere')).text, /Nothing is here\./);
  assert.match(site.log, /^index\.mdx:5: warning: The image `\/images\/gone\.png` is not/m);
  assert.match(site.log, /^guides\/start\.mdx:5: warning: The link `\/lost` is broken/m);
  assert.doesNotMatch(site.log, /`\/begin`/, 'a link to a redirect is no broken one');
  assert.match((await site.get('/')).text, /and a picture/, 'the text of a missing picture');
});

test('an older mint.json is read: tabs and anchors take the groups of their folders', async (t) => {
  const config = {
    name: 'Parcels',
    topbarLinks: [{ name: 'Support', url: 'https://example.com/help' }],
    topbarCtaButton: { name: 'Sign up', url: 'https://example.com/start' },
    primaryTab: { name: 'Guides' },
    tabs: [{ name: 'Recipes', url: 'recipes' }],
    anchors: [{ name: 'Community', icon: 'discord', url: 'https://chat.example.com' }],
    navigation: [
      { group: 'Start', pages: ['start'] },
      { group: 'Cook', pages: ['recipes/soup'] },
    ],
    footerSocials: { github: 'https://github.com/example' },
  };
  const folder = await importFolder(t, {
    'mint.json': JSON.stringify(config),
    'start.mdx': page('Start'),
    'recipes/soup.mdx': page('Soup'),
  });
  const { code, stderr } = await folder.importFrom('mintlify');
  assert.equal(code, 0, stderr);
  const written = parse(await folder.read('docs.yaml'));
  assert.deepEqual(written.navigation, [
    { tab: 'Guides', pages: [{ title: 'Start', pages: ['start.mdx'] }] },
    { tab: 'Recipes', pages: [{ title: 'Cook', pages: ['recipes/soup.mdx'] }] },
    { tab: 'Community', icon: 'messages-square', url: 'https://chat.example.com' },
  ]);
  assert.deepEqual(
    written.links.header.map(({ title }: { title: string }) => title),
    ['Support', 'Sign up'],
  );
  const site = await deployed(t, folder.path);
  assert.match((await site.get('/recipes/soup')).text, /Soup/);
});

test('pages and entries of operations lead to the reference, in their order', async (t) => {
  const config = {
    name: 'Pets',
    navigation: {
      tabs: [
        { tab: 'Guides', pages: ['start'] },
        { tab: 'Endpoints', groups: [{ group: 'Pets', pages: ['about', 'list', 'GET /pets'] }] },
        { tab: 'Only', openapi: 'openapi.json', pages: ['GET /pets'] },
      ],
    },
  };
  const folder = await importFolder(t, {
    'docs.json': JSON.stringify(config),
    'openapi.json': OPENAPI,
    'start.mdx': page('Start', '<Snippet file="hello.mdx" />'),
    'about.mdx': page('About'),
    'list.mdx': '---\ntitle: All pets\nopenapi: "openapi.json get /pets/"\n---\n',
    '_snippets/hello.mdx': 'Hello from a snippet.\n',
  });
  const { code, stderr } = await folder.importFrom('mintlify');
  assert.equal(code, 0, stderr);
  const { navigation, redirects } = parse(await folder.read('docs.yaml'));
  const url = '/reference/operations/listPets';
  assert.deepEqual(navigation, [
    { tab: 'Guides', pages: ['start.mdx'] },
    {
      tab: 'Endpoints',
      pages: [
        {
          title: 'Pets',
          pages: ['about.mdx', { title: 'All pets', url }, { title: 'List pets', url }],
        },
      ],
    },
    { tab: 'Only', reference: true },
  ]);
  assert.deepEqual(redirects, { '/list': url, '/api-reference/list-pets': url });
  const site = await deployed(t, folder.path);
  assert.equal((await site.get('/list')).location, url);
  assert.equal((await site.get(url)).status, 200);
  assert.match((await site.get('/start')).text, /Hello from a snippet/);
});

test('pages that Mintlify makes of documents lead to the reference from their addresses', async (t) => {
  const operation = (operationId: string, tags: string[], summary?: string) => ({
    ...{ operationId, tags, responses: {} },
    ...(summary !== undefined && { summary }),
  });
  const openapi = {
    ...{ openapi: '3.1.0', info: { title: 'Queue', version: '1' } },
    paths: {
      '/messages': {
        get: operation('list', ['URL Groups'], 'List URL groups'),
        post: operation('add', ['URL Groups'], 'Add (or replace) a group'),
        put: operation('put', ['URL Groups'], 'Written by hand'),
        delete: operation('remove', []),
      },
      '/keys': { get: operation('keys', [], 'Get keys.') },
    },
  };
  const group = {
    group: 'API',
    openapi: { source: './queue/openapi.json', directory: '/queue/api-reference/' },
  };
  const folder = await importFolder(t, {
    'docs.json': JSON.stringify({
      name: 'Q',
      navigation: { groups: [{ group: 'A', pages: ['index', group] }] },
    }),
    'queue/openapi.json': JSON.stringify(openapi),
    'index.mdx': page('Start', '[List](/queue/api-reference/url-groups/list-url-groups)'),
    'queue/api-reference/url-groups/written-by-hand.mdx': page('Own'),
  });
  const { code, stderr } = await folder.importFrom('mintlify');
  assert.equal(code, 0, stderr);
  assert.deepEqual(parse(await folder.read('docs.yaml')).redirects, {
    '/queue/api-reference/url-groups/list-url-groups': '/reference/url-groups/list',
    '/queue/api-reference/url-groups/add-or-replace-a-group': '/reference/url-groups/add',
    '/queue/api-reference/get-keys': '/reference/operations/keys',
  });
  const site = await deployed(t, folder.path);
  assert.doesNotMatch(site.log, /warning: The link/);
  const { location } = await site.get('/queue/api-reference/url-groups/list-url-groups');
  assert.equal(location, '/reference/url-groups/list');
});
