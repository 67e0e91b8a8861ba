import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { checkDiagram } from '../../src/guides/render/diagrams/check-diagram.ts';
import { renderPage } from '../../src/guides/render/render-page.ts';
import { unknownVariables } from '../../src/guides/variables.ts';

const TARGETS = {
  files: new Set(['index.md']),
  references: [],
  sitePaths: new Set<string>(),
};

const render = (markdown: string) => renderPage('index.md', Buffer.from(markdown), TARGETS);

const fenced = (code: string, about = 'mermaid') => `\`\`\`${about}\n${code}\n\`\`\``;

/** One of each kind that documents have, as their authors write them. */
const EXAMPLES = await readFile(new URL('fixtures/diagrams.md', import.meta.url), 'utf8');

test('diagrams of all kinds have a place of their own, with their code in it', async () => {
  const { html, links } = await render(EXAMPLES);
  const blocks = EXAMPLES.match(/^```mermaid/gm)?.length ?? 0;
  assert.ok(blocks > 20);
  assert.deepEqual(links.warnings, []);
  assert.equal(links.hasDiagrams, true);
  const places = [
    ...html.matchAll(/<svg class="diagram-space" height="(\d+)" aria-hidden="true">/g),
  ];
  assert.equal(places.length, blocks);
  for (const [, height] of places)
    assert.ok(Number(height) >= 160 && Number(height) <= 900, height);
  assert.match(html, /<code class="[^"]*language-mermaid">flowchart TD\n/);
});

test('other code, and text in the language of diagrams, stays code', async () => {
  for (const about of ['plantuml', 'd2', 'text', 'mermaid-js', '']) {
    const { html, links } = await render(fenced('flowchart TD\n  A --> B', about));
    assert.doesNotMatch(html, /diagram/, about);
    assert.equal(links.hasDiagrams, false, about);
    assert.deepEqual(links.warnings, [], about);
  }
});

/** The line is that of the page. */
const MISTAKES: readonly [code: string, line: number, message: RegExp][] = [
  ['flowchart TD\n  A --> B[open\n  B --> C', 6, /near `.*`: unexpected 'SQS'|unexpected/],
  ['flowchart TD\n  A --> B[open', 5, /unexpected the end/],
  ['%% a comment\n\nsequenceDiagram\n  %% another\n  A->>B', 8, /Expecting 'TXT'/],
  ['---\ntitle: Pets\n---\nerDiagram\n  A ||--o{ B', 8, /Expecting 'COLON'/],
  ['pie\n  "a" : x', 5, /unexpected character: ->x<-/],
  ['flowchart XX', 4, /near `flowchart XX`$/],
  ['flow chart', 3, /does not begin with a kind of diagram/],
  ['mindmap\n a\n b', 3, /only one root/],
  [`flowchart TD\n${'A --> B\n'.repeat(501)}`, 3, /500 edges/],
  [`flowchart TD\n  A["${'x'.repeat(20_000)}"]`, 3, /more than 20000 characters/],
  [`mindmap\n  root\n${'    a\n'.repeat(250)}`, 3, /more than 250 lines/],
  [`block-beta\n${'a\n'.repeat(1_000)}`, 3, /more than 1000 lines/],
  ['---\na: &a [1, 2]\nb: *a\n---\nflowchart TD\n  A --> B', 3, /has an alias/],
];

test('a diagram that cannot be drawn stays code, with a warning that names its line', async () => {
  for (const [code, line, message] of MISTAKES) {
    const { html, links } = await render(`# A\n\n${fenced(code)}\n`);
    const about = code.slice(0, 40);
    assert.doesNotMatch(html, /class="code-box diagram"/, about);
    assert.match(html, /<pre/, about);
    assert.equal(links.warnings.length, 1, about);
    const [warning] = links.warnings;
    assert.equal(warning?.rule, 'diagram');
    assert.match(warning?.message ?? '', message, about);
    assert.equal(warning?.line, line, about);
    assert.deepEqual(links.problems, []);
  }
});

test('a page with more diagrams than anybody reads keeps the rest as code', async () => {
  const { html, links } = await render(`${fenced('flowchart TD\n  A --> B')}\n\n`.repeat(102));
  assert.equal(html.match(/class="code-box diagram"/g)?.length, 100);
  assert.deepEqual(
    links.warnings.map(({ line, message }) => [line, message]),
    [[501, 'Only the first 100 diagrams of the page are drawn. Split it.']],
  );
});

test('a diagram that is read for ever is given up, and the next one is read', async () => {
  // It takes ten seconds: however late this process looks, it is not read by then.
  const slow = `xychart-beta\nbar [${'1,'.repeat(9_000)}1]`;
  assert.deepEqual(await checkDiagram(slow, 1), {
    error: 'reading it takes too long',
    line: undefined,
  });
  assert.deepEqual(await checkDiagram('pie\n  "a" : 1'), { kind: 'pie' });
});

test('a hexagon of a flowchart is no variable, and what follows the diagram may be one', () => {
  const page = `${fenced('flowchart TD\n  A{{Prepare}} --> B')}\n\n{{basis}}\n`;
  const files = new Map([['index.md', Buffer.from(page)]]);
  const found = unknownVariables(files, new Map([['base', 'x']]), () => '.');
  assert.deepEqual(
    found.map(({ line }) => line),
    [6],
  );
});
