import assert from 'node:assert/strict';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { parse } from 'yaml';
import { deployed, importFolder, OPENAPI } from './support/import-folder.ts';

const START = `---
title: Start
excerpt: How to begin.
---

[block:callout]
{
  "type": "warning",
  "title": "Careful",
  "body": "Hot.\\nVery."
}
[/block]

See [sending](doc:sending#labels), [pets](ref:list-pets) and [this](doc:gone).

\`\`\`md
[block:callout]
[x](doc:sending)
\`\`\`

[block:parameters]
{ "data": { "h-0": "Name", "h-1": "Type", "0-0": "a|b", "0-1": "text" }, "cols": 2, "rows": 1 }
[/block]

[block:tutorial-tile]
{ "title": "x" }
[/block]
`;

test("a repository of ReadMe's is moved: order, blocks, links by slug, addresses", async (t) => {
  const folder = await importFolder(t, {
    'README.md': '# About\n',
    'docs/_order.yaml': '- Using It\n- About\n',
    'docs/Using It/_order.yaml': '- start\n- parcels\n',
    'docs/Using It/start.md': START,
    'docs/Using It/parcels/index.md': '---\ntitle: Parcels\n---\n\nAll.\n',
    'docs/Using It/parcels/sending.md': '---\ntitle: Sending\n---\n\n## Labels\n\nText.\n',
    'docs/About/us.md': '---\ntitle: Us\nhidden: true\n---\n\nWe.\n',
    'docs/About/them.md': '---\ntitle: Them\n---\n\nThey.\n',
    'reference/pets.json': OPENAPI,
    'reference/Pets/list-pets.md':
      '---\ntitle: List pets\napi:\n  file: pets.json\n  operationId: listPets\n---\n',
    'reference/Pets/errors.md': '---\ntitle: Errors\n---\n\nCodes.\n',
  });
  const { code, stdout, stderr } = await folder.importFrom('readme');
  assert.equal(code, 0, stderr);
  const written = parse(await folder.read('docs.yaml'));
  assert.equal(written.openapi, 'reference/pets.json');
  assert.deepEqual(written.navigation, [
    {
      tab: 'Guides',
      pages: [
        {
          title: 'Using It',
          pages: [
            'docs/Using It/start.md',
            {
              title: 'Parcels',
              page: 'docs/Using It/parcels/index.md',
              pages: ['docs/Using It/parcels/sending.md'],
            },
          ],
        },
        {
          title: 'About',
          pages: ['docs/About/them.md', { page: 'docs/About/us.md', hidden: true }],
        },
        { title: 'API', pages: [{ title: 'Pets', pages: ['reference/Pets/errors.md'] }] },
      ],
    },
    { tab: 'API reference', reference: true },
  ]);
  const start = await folder.read('docs/Using It/start.md');
  assert.match(start, /^description: How to begin\.$/m);
  assert.match(start, /^> \[!WARNING\]\n> \*\*Careful\*\*\n>\n> Hot\.\n> Very\.$/m);
  assert.match(start, /\[sending\]\(\/docs\/Using%20It\/parcels\/sending#labels\)/);
  assert.match(start, /\[pets\]\(operation:listPets\)/);
  assert.match(start, /^```md\n\[block:callout\]\n\[x\]\(doc:sending\)\n```$/m);
  assert.match(start, /^\| Name \| Type \|\n\| --- \| --- \|\n\| a\\\|b \| text \|$/m);
  for (const told of [
    /^Changed docs\/Using It\/start\.md\.$/m,
    /^ {2}docs\/Using It\/start\.md:14: There is no page `gone`/m,
    /^ {2}docs\/Using It\/start\.md:25: The block `tutorial-tile` stays as it is/m,
  ])
    assert.match(stdout, told);
  assert.doesNotMatch(stdout, /A deploy refuses this/);

  const site = await deployed(t, folder.path);
  for (const path of ['/docs/Using%20It/start', '/docs/About/us', '/reference/Pets/errors'])
    assert.equal((await site.get(path)).status, 200, path);
  assert.equal((await site.get('/reference/list-pets')).location, '/reference/operations/listPets');
  const moved = await site.get('/docs/sending');
  assert.equal(moved.location, '/docs/Using%20It/parcels/sending');
  assert.match(
    (await site.get('/docs/Using%20It/start')).text,
    /href="\/reference\/[^"]*listPets"/,
  );
});

test("a link to a page of ReadMe's leads to one of its kind where several have the slug", async (t) => {
  const folder = await importFolder(t, {
    'docs/Guides/start.md': [
      '---\ntitle: Start\n---\n',
      '[guide](doc:support) [page](page:support#a) [reference](ref:support)',
      '[alone](doc:only) [as well](ref:legal)',
    ].join('\n'),
    'docs/Guides/support.md': '---\ntitle: Support guide\n---\n',
    'reference/Pets/support.md': '---\ntitle: Support reference\n---\n',
    'custom_pages/support.md': '---\ntitle: Support page\n---\n',
    'custom_pages/only.md': '---\ntitle: Only\n---\n',
    'recipes/legal.md': '---\ntitle: Legal\n---\n',
  });
  const { code, stderr } = await folder.importFrom('readme');
  assert.equal(code, 0, stderr);
  assert.match(
    await folder.read('docs/Guides/start.md'),
    /^\[guide\]\(\/docs\/Guides\/support\) \[page\]\(\/custom_pages\/support#a\) \[reference\]\(\/reference\/Pets\/support\)\n\[alone\]\(\/custom_pages\/only\) \[as well\]\(\/recipes\/legal\)$/m,
  );
});

test("tables, blocks of HTML and pictures of ReadMe's are shown, and told where they are not", async (t) => {
  const folder = await importFolder(t, {
    'docs/Guides/page.md': [
      '---\ntitle: Page\n---\n',
      '<table>\n  <tr>\n    <td>**bold**</td>\n  </tr>\n</table>\n',
      '<HTMLBlock>{`\n<style>\n\n.x { color: red }\n</style>\n\n    <h2>From HTML</h2>\n`}</HTMLBlock>\n',
      '![](https://files.readme.io/1-a.png) <Image src="https://files.readme.io/2-b.png" />\n',
    ].join('\n'),
    'reference/other.json': OPENAPI.replace('listPets', 'listOthers'),
    'reference/pets.json': OPENAPI,
    'reference/bare.json': OPENAPI.replace('"operationId":"listPets",', '').replace(
      '/pets',
      '/v1/pets/{petId}',
    ),
    'reference/get_v1-pets-petid.md':
      '---\napi:\n  file: bare.json\n  operationId: get_v1-pets-petid\n---\n',
    'reference/list-pets.md': '---\napi:\n  file: pets.json\n  operationId: listPets\n---\n',
  });
  const { code, stdout, stderr } = await folder.importFrom('readme');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /references of 3 documents/);
  assert.match(stdout, /^ {2}docs: 2 images are on ReadMe's own host/m);
  assert.match(stdout, /^ {2}docs\/Guides\/page\.md:11: A block of HTML has a style or a script/m);
  const site = await deployed(t, folder.path);
  assert.equal(
    (await site.get('/reference/list-pets')).location,
    '/reference/pets/operations/listPets',
  );
  assert.match(
    (await site.get('/reference/get_v1-pets-petid')).location ?? '',
    /^\/reference\/bare\/operations\//,
  );
  const { text } = await site.get('/docs/Guides/page');
  assert.match(text, /<td><strong>bold<\/strong><\/td>/);
  assert.match(text, /<h2 id="from-html">From HTML/);
  assert.doesNotMatch(text, /color: red/);
});
