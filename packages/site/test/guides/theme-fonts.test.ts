import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readDocsConfig } from '../../src/guides/docs-config.ts';
import { readWoff2 } from '../../src/guides/woff2.ts';
import { themeFiles } from '../../src/site/theme.ts';

const VARIABLE = readFileSync(new URL('fixtures/variable.woff2', import.meta.url));

/** Where the tag of a table that has a number of its own stands in the fixture, by what is behind the header. */
function withoutVariations(): Buffer {
  const font = Buffer.from(VARIABLE);
  // `fvar` becomes `feat`: another table of the list, which is not transformed either.
  const at = font.indexOf(47, 48);
  font[at] = 45;
  return font;
}

const STATIC = withoutVariations();

function read(theme: string, files: Record<string, Uint8Array>) {
  const all = new Map<string, Uint8Array>([
    ...Object.entries(files),
    ['docs.yaml', Buffer.from(`title: A\ntheme: { fonts: ${theme} }`)],
  ]);
  const { config, problems } = readDocsConfig(all, 'docs.yaml');
  return { fonts: config.fonts, problems: problems.map(({ message }) => message) };
}

test('a file is taken for all weights where it has them, and otherwise for the usual one', () => {
  const files = { 'a.woff2': VARIABLE, 'b.woff2': STATIC, 'c.woff2': STATIC };
  assert.deepEqual(read('{ body: a.woff2, code: b.woff2 }', files), {
    fonts: [
      { use: 'body', weight: '100 900', file: 'a.woff2' },
      { use: 'code', weight: '400', file: 'b.woff2' },
    ],
    problems: [],
  });
  assert.deepEqual(read('{ code: { regular: b.woff2, bold: c.woff2 } }', files).fonts, [
    { use: 'code', weight: '400', file: 'b.woff2' },
    { use: 'code', weight: '700', file: 'c.woff2' },
  ]);
});

test('what is no WOFF2, is cut off or too large is refused', () => {
  const problem = (content: Uint8Array) =>
    read('{ body: a.woff2 }', { 'a.woff2': content }).problems;
  const broken = ['`a.woff2` is no whole WOFF2 font: convert it, or upload it again.'];
  assert.deepEqual(problem(VARIABLE.subarray(0, -1)), broken);
  assert.deepEqual(problem(new Uint8Array()), broken);
  assert.deepEqual(problem(Buffer.from(`wOFF${'x'.repeat(100)}`)), broken);
  assert.deepEqual(problem(new Uint8Array(500_001)), [
    '`a.woff2` has 500 kB, and a font may have 500 kB: leave out the scripts that the site does not use.',
  ]);
  assert.deepEqual(read('{ body: { regular: a.woff2 } }', { 'a.woff2': VARIABLE }).problems, [
    '`theme.fonts.body` needs both `regular` and `bold`, or is one file.',
  ]);
});

test('no font, however it is damaged, is read beyond its end', () => {
  for (let at = 12; at < 200; at += 1) {
    const damaged = Buffer.from(VARIABLE);
    damaged.fill(0xff, at, at + 4);
    readWoff2(damaged);
  }
  const endless = Buffer.from(VARIABLE);
  endless.writeUInt16BE(65_535, 12);
  assert.equal(readWoff2(endless), undefined);
});

const NO_STYLE = { iconRules: [], ownStyle: undefined, darkColor: undefined };

test('the usual theme has no file; fonts are named by their content, and swapped in', () => {
  assert.deepEqual(themeFiles({ color: '#0a58ca', fonts: [], ...NO_STYLE }), {
    ...{ accent: undefined, style: undefined, ownStyle: undefined, fonts: [] },
    preloaded: undefined,
  });
  const { style, fonts, preloaded } = themeFiles({
    color: '#0a58ca',
    fonts: [{ use: 'body', weight: '100 900', content: VARIABLE }],
    ...NO_STYLE,
  });
  assert.match(fonts[0]?.path ?? '', /^\/_assets\/font-body-[0-9a-f]{16}\.woff2$/);
  assert.equal(preloaded, fonts[0]);
  assert.equal(
    style?.content,
    `@font-face{font-family:"Site body";font-weight:100 900;font-display:swap;src:url(${fonts[0]?.path}) format("woff2")}
:root{--sans:"Site body",system-ui,sans-serif}
`,
  );
});
