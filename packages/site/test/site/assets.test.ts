import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { siteAssets, siteAssetsFolder } from '../../src/site/assets.ts';

const HASHED = /^\/_assets\/[a-z-]+-[0-9a-f]{16}\.(?:css|js)$/;

async function contents(): Promise<Map<string, string>> {
  const { files } = await siteAssets();
  return new Map(files.map(({ path, content }) => [path, String(content)]));
}

test('every file may be kept for ever by its name, but for the page that others know by its name', async () => {
  const { files, theme, siteScript, siteStyle, panelStyle } = await siteAssets();
  const kept = files.filter(({ immutable }) => immutable).map(({ path }) => path);
  for (const path of kept) assert.match(path, HASHED);
  for (const path of [theme, siteScript, siteStyle, panelStyle]) assert.ok(kept.includes(path));
  const others = files.filter(({ immutable }) => !immutable).map(({ path }) => path);
  assert.deepEqual(others, ['/_assets/oauth-callback.html', '/_assets/oauth-callback.js']);
});

test('each script finds what it imports, at addresses that depend on no host', async () => {
  const files = await contents();
  let imports = 0;
  for (const [path, content] of files) {
    for (const imported of path.endsWith('.js') ? importsOf(content) : []) {
      imports += 1;
      assert.match(imported, /^\.\//, path);
      assert.ok(files.has(`/_assets/${imported.slice(2)}`), `${path} imports ${imported}`);
    }
  }
  assert.ok(imports >= 4, 'the search, the panel, the samples, and what they share');
});

/** Those at the script's beginning, and those on demand. Code samples have others, which are text. */
function importsOf(script: string): string[] {
  const [beginning = ''] = /^(?:import[^;]*;)+/.exec(script) ?? [];
  const all = [
    ...beginning.matchAll(/from["'`]([^"'`]+)/g),
    ...script.matchAll(/\bimport\(["'`]([^"'`]+)/g),
  ];
  return all.map(([, imported = '']) => imported);
}

test('what every page loads is light', async () => {
  const { theme, siteScript, siteStyle } = await siteAssets();
  const files = await contents();
  const size = (path: string) => brotliCompressSync(files.get(path) ?? '').length;
  const scripts = size(theme) + size(siteScript);
  assert.ok(scripts <= 9_000, `${scripts} bytes of scripts`);
  assert.ok(size(siteStyle) <= 12_000, `${size(siteStyle)} bytes of styles`);
  assert.doesNotMatch(files.get(siteScript) ?? '', /^import\b/, 'one request');
});

test('styles ask for nothing from elsewhere, and leave the choice of colours to the browser', async () => {
  for (const [path, content] of await contents()) {
    if (!path.endsWith('.css')) continue;
    assert.doesNotMatch(content, /url\(|@import/, path);
    assert.doesNotMatch(content, /--lightningcss/, path);
  }
});

test('the same sources make the same names on any machine', async (t) => {
  const names = async () =>
    (await readdir(await siteAssetsFolder(await temporaryFolder(t)))).sort();
  const [once, again] = await Promise.all([names(), names()]);
  assert.deepEqual(once, again);
});
