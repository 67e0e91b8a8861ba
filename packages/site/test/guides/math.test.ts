import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTimeOfRequest } from '@petstore/test-support/within.ts';
import { renderPage } from '../../src/guides/render/render-page.ts';

const TARGETS = {
  files: new Set(['index.md']),
  references: [],
  sitePaths: new Set<string>(),
};

const render = (markdown: string) => renderPage('index.md', Buffer.from(markdown), TARGETS);

const FORMULAS: readonly [markdown: string, mathml: RegExp][] = [
  ['with $a_1$ in it', /<p>with <math[^>]*><semantics><mrow><msub><mi>a<\/mi><mn>1<\/mn>/],
  ['$n$th', /<math[^>]*>.*<\/math>th/],
  ['($x$)', /\(<math/],
  ['$a\nb$', /<mi>a<\/mi><mi>b<\/mi>/],
  ['inline $$a$$ of GitBook', /<p>inline <math xmlns[^>]*><semantics><mrow><mi>a<\/mi>/],
  ['$$\n\\frac{1}{2}\n$$', /<div class="math-box"[^>]*><math[^>]* display="block">.*<mfrac>/],
  ['$$\\frac{1}{2}$$', /<div class="math-box"[^>]*><math[^>]* display="block">.*<mfrac>/],
  ['```math\n\\frac{1}{2}\n```', /<div class="math-box"[^>]*><math[^>]* display="block">.*<mfrac>/],
  ['> $$\n> x\n> $$', /<blockquote>\s*<div class="math-box"/],
  ['# Energy $E$', /<h1 id="energy-e">Energy <math/],
  ['| a |\n| - |\n| $x$ |', /<td><math/],
  ['costs $5, and $x$ is a number', /costs \$5, and <math[^>]*>.*<mi>x<\/mi>/],
];

test('formulas are MathML', async () => {
  for (const [markdown, mathml] of FORMULAS) {
    const { html, links } = await render(markdown);
    assert.match(html, mathml, markdown);
    assert.deepEqual(links.warnings, [], markdown);
    assert.deepEqual(links.problems, [], markdown);
  }
});

const TEXTS = [
  'It costs $5 and $10.',
  'Between $5-$10 a month, or US$5.',
  'From $ 5 to $ 6',
  'A price of $5',
  'US$5 or C$',
  'a $5 *or* **$10** b',
  'escaped \\$x\\$',
  '`$x$`',
  '```sh\necho $HOME $USER\n```',
];

test('prices and code stay text', async () => {
  for (const markdown of TEXTS) {
    const { html, links } = await render(markdown);
    assert.doesNotMatch(html, /<math/, markdown);
    assert.match(html, /\$/, markdown);
    assert.deepEqual(links.warnings, [], markdown);
  }
  assert.match((await render('a $5 *or* **$10** b')).html, /\$5 <em>or<\/em> <strong>\$10</);
});

const WRONG: readonly [formula: string, why: RegExp][] = [
  ['\\frac{1', /Expected|Unexpected/],
  ['\\nothing x', /Undefined control sequence: \\nothing/],
  ['\\href{javascript:alert(1)}{x}', /`\\href` is not allowed/],
  ['\\includegraphics{https://x.example/y.png}', /`\\includegraphics` is not allowed/],
  ['\\htmlStyle{color: red}{x}', /`\\htmlStyle` is not allowed/],
  ['\\def\\a{\\a\\a}\\a', /Too many expansions/],
  [`\\def\\a{${'x'.repeat(7_000)}}${'\\a'.repeat(999)}`, /Too many expansions/],
  ['x'.repeat(10_001), /longer than 10,000 characters/],
  ['\\sqrt{'.repeat(120) + '}'.repeat(120), /nested more than 100 levels/],
  ['\\sqrt{'.repeat(1_200) + '}'.repeat(1_200), /nested more than 100 levels/],
];

test('a formula that cannot be drawn stays as it is written, with a warning', async () => {
  for (const [formula, why] of WRONG) {
    const { html, links } = await render(`---\ntitle: T\n---\n\nText\n\n- item $${formula}$`);
    assert.equal(links.warnings.length, 1, formula.slice(0, 80));
    const [warning] = links.warnings;
    assert.equal(warning?.rule, 'math');
    assert.equal(warning?.line, 7);
    assert.match(warning?.message ?? '', why);
    assert.match(html, /<li>item <code>/);
    assert.doesNotMatch(html, /<math| style=| href=| src=/);
  }
  const { html, links } = await render('Text\n\n$$\n\\nothing\n$$\n');
  assert.match(html, /<pre tabindex="0"><code>\\nothing<\/code>/);
  assert.equal(links.warnings[0]?.line, 3);
});

test('formulas have no style, script, address or event', async () => {
  const { html } = await render(
    '$\\color{red}x$ $\\boxed{y}$ $\\fbox{z}$ $\\rule{1em}{9999em}$ $\\text{<img src=x onerror=alert(1)>}$',
  );
  assert.doesNotMatch(html, / style=|<img|"9999em"/);
  assert.match(html, /mathcolor="red"/);
  assert.match(html, /&#x3C;img src=x onerror=alert\(1\)>/);
});

test('letters of other alphabets and lines of tables are drawn by every browser', async () => {
  const { html } = await render(
    '$\\mathbb{R}\\mathcal{L}\\mathbf{x}\\mathfrak{A}\\mathtt{7}\\mathrm{d}$ $\\begin{array}{c|c}a&b\\\\ \\hline c&d\\end{array}$',
  );
  for (const letter of 'ℝℒ𝐱𝔄𝟽') assert.ok(html.includes(letter), letter);
  assert.match(html, /<mi mathvariant="normal">d<\/mi>/);
  assert.equal(html.match(/math-line-before/g)?.length, 2);
  assert.equal(html.match(/math-line-above/g)?.length, 1);
  const aligned = await render('$$\n\\begin{aligned}a&=b\\\\ c&=d\\end{aligned}\n$$');
  assert.equal(aligned.html.match(/<mtd class="math-right">/g)?.length, 2);
  assert.equal(aligned.html.match(/<mtd class="math-left math-touching">/g)?.length, 2);
});

test('the search finds a formula by its source', async () => {
  const { sections, paragraph, headings } = await render('# Of $E=mc^2$\n\nThat $m$ is a mass.');
  assert.deepEqual(headings, [{ depth: 1, id: 'of-emc2', text: 'Of E=mc^2' }]);
  assert.equal(paragraph, 'That m is a mass.');
  assert.equal(sections.at(-1)?.text, 'That m is a mass.');
});

test('a page of 10,000 formulas takes less than its deadline', async () => {
  const text = Array.from({ length: 10_000 }, (_, at) => `$x_{${at}}^2$`).join(' and ');
  const took = await cpuTimeOfRequest(async () => {
    const { html } = await render(text);
    assert.equal(html.match(/<math/g)?.length, 10_000);
  });
  assert.ok(took < 8_000, `${took} ms`);
});
