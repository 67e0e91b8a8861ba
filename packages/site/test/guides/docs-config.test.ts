import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDocsConfig } from '../../src/guides/docs-config.ts';
import { accentColors, contrast, parseColor } from '../../src/site/assets.ts';

const FILES = ['index.md', 'guides/start.md', 'guides/end.md', 'logo.svg', 'dark.png', 'notes.txt'];

function read(yaml: string | Uint8Array, files: readonly string[] = FILES) {
  const all = new Map(files.map((path) => [path, new Uint8Array()]));
  return readDocsConfig(all.set('docs.yaml', Buffer.from(yaml)), 'docs.yaml');
}

function config(yaml: string, files?: readonly string[]) {
  const { config, problems } = read(yaml, files);
  assert.deepEqual(problems, []);
  return config;
}

function problems(yaml: string | Uint8Array, files?: readonly string[]) {
  const found = read(yaml, files).problems;
  assert.ok(found.length > 0, 'it was accepted');
  return found.map(({ message, line }) => `${line}: ${message}`);
}

test('a whole configuration is read', () => {
  const whole = config(
    `title: Docs
openapi: api/v2.yaml
theme: { color: '#abc' }
logo: { light: logo.svg, dark: dark.png }
navigation:
  - index.md
  - ./guides/start.md
  - title: More
    pages:
      - { title: The end, page: /guides/end.md }
`,
    [...FILES, 'api/v2.yaml'],
  );
  assert.deepEqual(whole, {
    file: 'docs.yaml',
    title: 'Docs',
    openapi: 'api/v2.yaml',
    navigation: [
      {
        title: undefined,
        pages: [
          { file: 'index.md', title: undefined, line: 6 },
          { file: 'guides/start.md', title: undefined, line: 7 },
        ],
      },
      { title: 'More', pages: [{ file: 'guides/end.md', title: 'The end', line: 10 }] },
    ],
    color: '#abc',
    logo: { light: 'logo.svg', dark: 'dark.png' },
  });
});

test('a title is enough; the document is found by its name', () => {
  assert.equal(config('title: D').openapi, undefined);
  assert.equal(config('title: D', [...FILES, 'openapi.json']).openapi, 'openapi.json');
  assert.match(
    problems('title: D', [...FILES, 'openapi.json', 'openapi.yaml'])[0] ?? '',
    /openapi\.json and openapi\.yaml/,
  );
});

const WRONG: readonly [yaml: string, problem: RegExp][] = [
  ['', /^1: The file is empty/],
  ['- a', /^1: `docs\.yaml` must be a mapping/],
  ['theme: {}', /^1: `title` is missing/],
  ['title: 5', /^1: `title` must be text/],
  ['title: " "', /^1: `title` must be text/],
  [`title: ${'x'.repeat(201)}`, /^1: .*1 to 200/],
  ['title: A\ntitle: B', /^2: `title` is there twice/],
  ['title: "A', /^1: The closing quote/],
  ['title: A\nnavigaton: []', /^2: .*no `navigaton`: did you mean `navigation`\?/],
  ['title: A\nzzz: []', /^2: .*no `zzz`\.$/],
  ['title: A\nnavigation: index.md', /^2: `navigation` must be a list/],
  [
    'title: A\nnavigation:\n  - index.md\n  - guides/strat.md',
    /^4: `guides\/strat\.md` is not in the archive: did you mean `guides\/start\.md`\?/,
  ],
  ['title: A\nnavigation:\n  - ../secret.md', /^3: .*not in the archive/],
  ['title: A\nnavigation:\n  - notes.txt', /^3: A page must be a Markdown file/],
  ['title: A\nnavigation:\n  - index.md\n  - index.md', /^4: .*twice, before on line 3/],
  ['title: A\nnavigation:\n  - title: X', /^3: An entry needs a `page`/],
  ['title: A\nnavigation:\n  - pages: [index.md]', /^3: A group needs a `title`/],
  [
    'title: A\nnavigation:\n  - title: X\n    pages: [index.md]\n    icon: x',
    /^5: A group has no `icon`/,
  ],
  ['title: A\ntheme: { color: red }', /^2: `theme\.color` must be a colour/],
  ['title: A\ntheme: { color: "#12345" }', /^2: `theme\.color` must be a colour/],
  ['title: A\ntheme:\n  colour: "#123"', /^3: .*did you mean `color`/],
  ['title: A\nlogo: notes.txt', /^2: `logo` must be an SVG or PNG file/],
  ['title: A\nlogo: { light: logo.svg }', /^2: `logo` needs both/],
  ['title: A\nopenapi: notes.txt', /^2: `openapi` must be a YAML or JSON file/],
  ['title: &a A\nopenapi: *a', /^2: `openapi` must be text/],
  [`title: ${'['.repeat(30_000)}`, /nested too deeply/],
  [`title: ${'x'.repeat(70_000)}`, /larger than 64 KB/],
];

test('what is wrong is said with its line and what would be right', () => {
  for (const [yaml, problem] of WRONG) {
    assert.match(problems(yaml)[0] ?? '', problem, yaml.slice(0, 60));
  }
  assert.match(problems(Buffer.from([0xff, 0xfe, 0x61]))[0] ?? '', /not UTF-8/);
});

test('several problems are told at once', () => {
  assert.equal(problems('titel: A\ntheme: { color: red }\nnavigation: [x.md]').length, 4);
});

test('links can be read in every colour, light and dark', () => {
  const ratio = (a: string, b: string) => contrast(parseColor(a), parseColor(b));
  assert.equal(Math.round(ratio('#000', '#fff')), 21);
  assert.equal(accentColors('#0a58ca').light, '#0a58ca', 'what can be read stays as it is');
  const color = fc
    .integer({ min: 0, max: 0xffffff })
    .map((n) => `#${n.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(color, (tried) => {
      const { light, dark } = accentColors(tried);
      for (const ground of ['#ffffff', '#f6f7f9']) assert.ok(ratio(light, ground) >= 4.5, tried);
      for (const ground of ['#0f1116', '#171a21']) assert.ok(ratio(dark, ground) >= 4.5, tried);
    }),
    { numRuns: 300 },
  );
});
