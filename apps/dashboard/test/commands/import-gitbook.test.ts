import assert from 'node:assert/strict';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { parse } from 'yaml';
import { deployed, importFolder, SVG } from './support/import-folder.ts';

const SUMMARY = `# Table of contents

* [Parcels](README.md)

## Use parcels <a href="#use" id="use"></a>

* [Start \\[new\\]](use/README.md "The start")
  * [Send](use/send%20one.md)
  * [Labels](use/send%20one.md#labels)
* [Status page](https://status.example.com)
* [Gone](use/gone.md)
* Tools
  * [CLI](use/cli.md)
* \`\`\`yaml
  type: builtin:openapi
  \`\`\`
`;

const SPACE = {
  'README.md': '# Parcels\n\n![A van](.gitbook/assets/van.svg)\n',
  'SUMMARY.md': SUMMARY,
  '.gitbook/assets/van.svg': SVG,
  '.gitbook/tags.yaml': 'secret: 1\n',
  'use/README.md': '# Start\n',
  'use/send one.md': '# Send\n\n## Labels\n\nText\n',
  'use/cli.md': '# CLI\n',
  'draft.md': '# Draft\n\n[gone](nowhere.md)\n',
};

const NAVIGATION = [
  { page: 'README.md', title: 'Parcels' },
  {
    title: 'Use parcels',
    pages: [
      {
        title: 'Start [new]',
        page: 'use/README.md',
        pages: [
          { page: 'use/send one.md', title: 'Send' },
          { title: 'Labels', url: 'use/send one.md#labels' },
        ],
      },
      { title: 'Status page', url: 'https://status.example.com' },
      { title: 'Tools', pages: [{ page: 'use/cli.md', title: 'CLI' }] },
    ],
  },
];

test('a GitBook folder is moved with one command, and every page and picture is found', async (t) => {
  const settings = 'root: ./handbook\nredirects:\n  old/start: use/README.md\n  misc: none.md\n';
  const inside = Object.entries(SPACE).map(([file, text]) => [`handbook/${file}`, text]);
  const folder = await importFolder(t, {
    '.gitbook.yaml': settings,
    ...Object.fromEntries(inside),
  });
  const { code, stdout, stderr } = await folder.importFrom('gitbook');
  assert.equal(code, 0, stderr);
  assert.deepEqual(parse(await folder.read('handbook/docs.yaml')), {
    title: 'Parcels',
    navigation: NAVIGATION,
    redirects: { '/old/start': '/use' },
    ignore: ['SUMMARY.md', 'draft.md'],
    onBrokenLinks: 'warn',
  });
  for (const told of [
    /^ {2}SUMMARY\.md:11: There is no page `use\/gone\.md`/m,
    /^ {2}SUMMARY\.md:14: Pages of an OpenAPI document stand here/m,
    /^ {2}SUMMARY\.md: .* under `ignore` in docs\.yaml: draft\.md\./m,
    /^ {2}\.gitbook\.yaml:4: The redirect `\/misc` → `none\.md` is left out/m,
    /^Next: dashboard dev .*handbook$/m,
  ])
    assert.match(stdout, told);
  assert.doesNotMatch(stdout, /A deploy refuses this/);

  const site = await deployed(t, `${folder.path}/handbook`);
  assert.match((await site.get('/')).text, /\/\.gitbook\/assets\/van\.svg/);
  assert.equal((await site.get('/.gitbook/assets/van.svg')).text, SVG);
  for (const path of ['/use', '/use/send%20one', '/use/cli'])
    assert.equal((await site.get(path)).status, 200, path);
  for (const path of ['/draft', '/SUMMARY', '/.gitbook/tags.yaml'])
    assert.equal((await site.get(path)).status, 404, path);
  assert.equal((await site.get('/old/start')).location, '/use');
});

test("a site of GitBook's with several spaces becomes one with tabs, and keeps its addresses", async (t) => {
  const site = `site:
  title: Parcels
  structure:
    - type: section
      title: Guides
      path: guides
      default: true
      children:
        - { type: space, title: English, default: true, content: { directory: ./guides } }
        - { type: space, title: Français, content: { directory: null } }
    - type: section-group
      children:
        - type: section
          title: Developers
          path: developers
          icon: code
          children:
            - { type: space, title: Docs, content: { directory: ./dev } }
    - { type: section, title: Later, draft: true, children: [] }
`;
  const folder = await importFolder(t, {
    'docs.yaml': site,
    'AGENTS.md': '# For machines\n',
    'guides/README.md': '# Guides\n',
    'guides/SUMMARY.md': '# T\n\n* [Guides](README.md)\n* [Send](send.md)\n',
    'guides/send.md': '# Send\n',
    'dev/SUMMARY.md': '# T\n\n* [Keys](keys.md)\n',
    'dev/keys.md': '# Keys\n',
  });
  const refused = await folder.importFrom('gitbook');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /docs\.yaml is there already\. It is GitBook's own: with --force/);
  assert.equal(await folder.read('docs.yaml'), site);

  for (const round of ['first', 'second']) {
    const { code, stderr } = await folder.importFrom('gitbook', '--force');
    assert.equal(code, 0, `${round}: ${stderr}`);
    assert.equal(await folder.read('gitbook-docs.yaml'), site);
    const written = parse(await folder.read('docs.yaml'));
    assert.deepEqual(
      written.navigation.map(({ tab }: { tab: string }) => tab),
      ['Guides', 'Developers'],
      round,
    );
    assert.deepEqual(written.redirects, {
      '/send': '/guides/send',
      '/developers/keys': '/dev/keys',
    });
  }
  const live = await deployed(t, folder.path);
  for (const path of ['/guides', '/guides/send', '/dev/keys'])
    assert.equal((await live.get(path)).status, 200, path);
  assert.equal((await live.get('/developers/keys')).location, '/dev/keys');
  assert.equal((await live.get('/AGENTS')).status, 404);
});
