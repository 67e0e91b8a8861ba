import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { importFolder } from './support/import-folder.ts';

const FILES = {
  'docs.json': '{ "name": "T", "navigation": { "pages": ["a"] } }',
  'a.md': '# A\n',
};

test('dashboard import replaces no docs.yaml unasked, and --dry-run writes nothing', async (t) => {
  const folder = await importFolder(t, FILES);
  const dry = await folder.importFrom('mintlify', '--dry-run');
  assert.equal(dry.code, 0, dry.stderr);
  assert.equal(dry.stdout, 'title: T\nnavigation:\n  - a.md\nonBrokenLinks: warn\n');
  await assert.rejects(folder.read('docs.yaml'), /ENOENT/);

  assert.equal((await folder.importFrom('mintlify')).code, 0);
  const again = await folder.importFrom('mintlify');
  assert.equal(again.code, 1);
  assert.match(again.stderr, /docs\.yaml is there already\. Use --force to replace it/);
  assert.equal((await folder.importFrom('mintlify', '--force')).code, 0);

  const { code, stdout, stderr } = await folder.importFrom('mintlify', '--force', '--json');
  assert.equal(code, 0);
  assert.equal(stderr, '');
  const { yaml, ...made } = JSON.parse(stdout);
  assert.equal(yaml, dry.stdout);
  assert.deepEqual(made, {
    ...{ from: 'mintlify', written: true, pages: 1, tabs: 0, redirects: 0 },
    ...{ changed: [], notes: [] },
  });
});

test('dashboard import says what it cannot read, with file and line', async (t) => {
  const folder = await importFolder(t, { ...FILES, 'docs.json': '{\n  "name": "T",\n  oops\n' });
  const refusals: [product: string, message: RegExp][] = [
    ['mintlify', /^dashboard: docs\.json:\d: This cannot be read: /m],
    ['docusaurus', /has no docusaurus\.config\.js or \.ts at its top/],
    ['readme', /has no pages in a folder `docs`/],
    ['notion', /Allowed choices are mintlify, gitbook, docusaurus, readme/],
  ];
  for (const [product, message] of refusals) {
    const { code, stderr } = await folder.importFrom(product, '--dry-run');
    assert.equal(code, 1, product);
    assert.match(stderr, message);
  }
  await rm(join(folder.path, 'docs.json'));
  assert.match(
    (await folder.importFrom('mintlify')).stderr,
    /has neither docs\.json nor mint\.json at its top/,
  );
  await rm(folder.path, { recursive: true });
  assert.match((await folder.importFrom('mintlify')).stderr, /docs cannot be read: there is no/);
});

test('a link to a file of the folder is that file, and no other link is followed', async (t) => {
  const folder = await importFolder(t, FILES);
  await symlink('a.md', join(folder.path, 'b.md'));
  const { stdout } = await folder.importFrom('mintlify', '--dry-run');
  assert.match(stdout, /^title: T/);
  await writeFile(join(folder.path, '.env'), 'SECRET=1');
  await writeFile(join(folder.path, '../outside.md'), '# Outside');
  for (const target of ['.env', '../outside.md', 'gone.md', '.']) {
    await symlink(target, join(folder.path, 'c.md'));
    const { code, stderr } = await folder.importFrom('mintlify', '--dry-run');
    assert.equal(code, 1, target);
    assert.match(stderr, /c\.md is a link to something else than a file of this folder/);
    await rm(join(folder.path, 'c.md'));
  }
});
