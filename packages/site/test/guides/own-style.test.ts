import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownStyle } from '../../src/guides/own-style.ts';

async function read(css: string) {
  const files = new Map([
    ['brand.css', Buffer.from(css)],
    ['images/line ü.svg', Buffer.from('<svg/>')],
    ['fonts/a.woff2', Buffer.from('x')],
  ]);
  const { content, problems } = await ownStyle(files, 'brand.css');
  return { text: Buffer.from(content).toString(), problems };
}

test('rules, variables and images of the archive are taken', async () => {
  const { text, problems } = await read(`:root { --accent: light-dark(#036, #9cf) }
.content h1 { background: url('/images/line%20%C3%BC.svg?v=1') }
.content h2 { mask: image-set("/images/line%20%C3%BC.svg" 1x); clip-path: url(#cut) }
@media (min-width: 60rem) { .content { max-width: 50rem } }
`);
  assert.deepEqual(problems, []);
  assert.match(text, /--accent:light-dark\(#036,#9cf\)/);
  assert.match(text, /url\("?\/images\/line%20%C3%BC\.svg\?v=1"?\)/);
});

const WRONG: readonly [css: string, problem: RegExp][] = [
  ['\n@import "x.css";', /^2: `@import` is not allowed/],
  ['@import url(https://example.com/x.css);', /^1: `@import` is not allowed/],
  [
    'a { color: red }\nb { background: url(https://example.com/x.png) }',
    /^2: `url\(https:\/\/example\.com\/x\.png\)` must be an image of the archive/,
  ],
  [
    'a { background: u\\72l(//example.com/x.png) }',
    /^1: `url\(\/\/example\.com\/x\.png\)` must be/,
  ],
  ['a { background: URL("/\\\\example.com/x") }', /^1: `url\(.*must be an image/],
  ['a { background: url(data:image/png;base64,AAAA) }', /^1: `url\(data:.*must be an image/],
  ['a { --x: url(https://example.com) }', /^1: `url\(https:\/\/example\.com\)` must be/],
  ['a { background: url(images/line.svg) }', /^1: .*by its path from the top/],
  ['a { background: url(/images/lime.svg) }', /^1: `images\/lime\.svg` is not in the archive/],
  [
    '@font-face { font-family: A; src: url(/fonts/a.woff2) }',
    /^1: .*Fonts belong under `theme\.fonts`/,
  ],
  [
    'a { background: image-set("https://example.com/a" 1x) }',
    /^1: `url\(https:\/\/example\.com\/a\)`/,
  ],
  ['a {\n  --x: image-set("https://example.com/a" 1x) }', /^2: `image-set\(\)` is not allowed/],
  ['a { background: src("https://example.com/a") }', /^1: `src\(\)` is not allowed/],
  ['a { width: expression(alert(1)) }', /^1: `expression\(\)` is not allowed/],
  ['a { color: red }\n\n}} b {', /^3: The style cannot be read/],
  ['x'.repeat(100_001), /^null: The style has .*, and may have 100 kB/],
];

test('what a style must not have is told with its line', async () => {
  for (const [css, problem] of WRONG) {
    const { problems } = await read(css);
    const [first] = problems.map(({ line, message }) => `${line}: ${message}`);
    assert.match(first ?? 'nothing', problem, css.slice(0, 80));
    assert.equal(problems[0]?.path, 'brand.css');
  }
});

/** Each way to open a bracket, also behind what only looks like its end. */
const DEEP = [
  'a{',
  '@media all{',
  ':is(',
  'a{--x:[',
  'a{/* } */',
  'a{b:")}";',
  'a{\\}',
  'a{b:url(});',
  'a{b:url(/*);c{/**/',
  'a{x:url(a");b{y:url(a");',
  'a{);',
];

test('a style that is nested without end is told, and ends no process', async () => {
  for (const open of DEEP) {
    const { problems } = await read(`.content { color: red }\n${open.repeat(4_000)}`);
    assert.deepEqual(
      problems.map(({ line, message }) => `${line}: ${message}`),
      ['2: The style is nested too deeply here.'],
      open,
    );
  }
  // Brackets in comments and strings are none.
  const text = '/* (1 [2 {3 */ a::before { content: "({[" } '.repeat(500);
  assert.deepEqual((await read(text)).problems, []);
  const nested = `${'&:is(a, b) {'.repeat(30)}color: red${'}'.repeat(30)}`;
  assert.deepEqual((await read(`.content {${nested}}`)).problems, []);
});
