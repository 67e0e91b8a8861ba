import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import { assertWithin, cpuTimeOf } from '@petstore/test-support/within.ts';
import { descriptions } from '../../src/markdown/descriptions.ts';

coverNothing();

const IMAGE = 'data:image/png;base64,AAAA';

const LINKS = new Map([
  ['#tag/pets', '/reference/pets'],
  ['/start', '/start'],
  ['/b', '/b'],
]);

function render(markdown: string, top?: number) {
  const warnings: string[] = [];
  const made = descriptions({
    warn: (message, place) => warnings.push(`${place}: ${message}`),
    files: new Set(['images/a.png', 'notes.txt']),
    resolveLink: (href) => LINKS.get(href),
  });
  return { html: made.block(markdown, '/info', top).text, warnings };
}

const FORMATTED: readonly [name: string, markdown: string, html: string][] = [
  ['nothing', ' \n ', ''],
  ['a plain line', 'Its "name" & a < b', '<p>Its &quot;name&quot; &amp; a &lt; b</p>'],
  ['plain paragraphs', 'a\nb\n\n  c', '<p>a\nb</p><p>c</p>'],
  [
    'marks',
    '*a* **b** `c` ~~d~~',
    '<p><em>a</em> <strong>b</strong> <code>c</code> <del>d</del></p>',
  ],
  ['headings, none skipped', '# A\n\n### B', '<h3>A</h3>\n<h4>B</h4>'],
  [
    'an address',
    'See https://a.example.',
    '<p>See <a href="https://a.example" rel="noopener noreferrer">https://a.example</a>.</p>',
  ],
  ['a link that is resolved', '[a](#tag/pets)', '<p><a href="/reference/pets">a</a></p>'],
  ['a link into the site', '[a](/start)', '<p><a href="/start">a</a></p>'],
  ['links that lead nowhere', '[*a*](#x) [b](../c) [d](operation:e)', '<p><em>a</em> b d</p>'],
  [
    'an image of the archive',
    '![a](./images/a.png)',
    '<p><img src="/images/a.png" alt="a" loading="lazy" decoding="async"></p>',
  ],
  [
    'an image within the text',
    `![](${IMAGE})`,
    `<p><img src="${IMAGE}" alt="" loading="lazy" decoding="async"></p>`,
  ],
  [
    'a table',
    '|a|\n|-|\n|1|',
    '<div class="table-box" tabindex="0" role="group" aria-label="Table"><table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table></div>',
  ],
  [
    'highlighted code',
    '```json\n1\n```',
    '<div class="code-box"><div class="code-head"><span>json</span></div><pre tabindex="0"><code class="hljs language-json"><span class="hljs-number">1</span>\n</code></pre></div>',
  ],
  ['HTML', '<b id="x" name="y">a</b><br>', '<p><b>a</b><br></p>'],
];

for (const [name, markdown, expected] of FORMATTED) {
  test(`a description becomes HTML: ${name}`, () => {
    const { html, warnings } = render(markdown);
    assert.equal(html, expected);
    assert.deepEqual(warnings, []);
  });
}

test('a link to a path that the site does not have is its text alone, with a warning', () => {
  const { html, warnings } = render('See [*this*](/away?a=1).');
  assert.equal(html, '<p>See <em>this</em>.</p>');
  assert.deepEqual(warnings, [
    '/info: The link `/away?a=1` leads to no page of the site: its text alone is shown. Write its whole address.',
  ]);
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[a](javascript:alert(1)) [b](JaVaScRiPt&colon;alert(1)) [c](data:text/html,x) [d](vbscript:x)',
  '<a href="java\nscript:alert(1)">a</a>',
  '<iframe src="https://a.example"></iframe><object data=x></object><embed src=x>',
  '<svg><script>alert(1)</script><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<style>a{}</style><p style="position:fixed" class="site-header" id="layout-nav">a</p>',
  '<form action="https://a.example"><input name=a><button>b</button></form>',
  '![a](https://a.example/x.png) ![b](//a.example/y.png) ![c](data:image/svg+xml;base64,AAAA)',
  '<video src="https://a.example"></video><link rel=stylesheet href=//a.example><meta http-equiv=refresh content=0>',
  '<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>',
];

test('nothing in a description is executed, loaded from elsewhere, or mistaken for the page', () => {
  for (const markdown of HOSTILE) {
    const { html } = render(markdown);
    assert.doesNotMatch(
      html,
      /<(?:script|style|iframe|object|embed|svg|math|form|button|video|link|meta)/i,
    );
    assert.doesNotMatch(html, /<[^>]+\s(?:on\w+|style|id|name|class)=/i, markdown);
    assert.doesNotMatch(html, /(?:href|src)="(?!https?:|\/)[^"]*"/i, markdown);
    assert.doesNotMatch(html, /<[^a][^>]+="(?:https?:)?\/\//i, markdown);
  }
});

test('an image that a page may not show becomes a link or its text, and the log names the place', () => {
  const shown: readonly [markdown: string, html: RegExp, warning: RegExp][] = [
    ['![a](https://a.example/x.png)', />a<\/a>/, /^\/info: .*is on another site/],
    ['[![a](https://a.example/x.png)](/b)', /<a href="\/b">a<\/a>/, /is on another site/],
    ['![a](images/b.png)', /<p>a<\/p>/, /`images\/b.png` is not in the archive/],
    ['![a](notes.txt)', /<p>a<\/p>/, /is not in the archive/],
    [`![a](data:image/png;base64,${'A'.repeat(50_000)})`, /<p>a<\/p>/, /larger than 40 kB/],
  ];
  for (const [markdown, html, warning] of shown) {
    const made = render(markdown);
    assert.match(made.html, html);
    assert.match(made.warnings.join('\n'), warning);
  }
});

test('lists, quotes and tables of right-to-left scripts get their own direction, and no others', () => {
  for (const [markdown, tag] of [
    ['- שלום', 'ul'],
    ['1. مرحبا', 'ol'],
    ['> שלום', 'blockquote'],
    ['|שלום|\n|-|', 'table'],
  ]) {
    assert.match(render(String(markdown)).html, new RegExp(`<${tag} dir="auto">`));
  }
  assert.doesNotMatch(render('- a\n\n> *b* 日本語').html, / dir=/);
});

test('the headings of an introduction follow its title', () => {
  assert.equal(render('## A\n\n#### B', 2).html, '<h2>A</h2>\n<h3>B</h3>');
});

const PLAIN = [
  'snake_case, read-only, a/b, 5 < 6 > 4, 50%, #1, (a), a+b=c, "x"',
  'e.g. [a] or {b}, R&D, at 10:30; 3.5 or 4) no!',
  'one\ntwo\n  three\n\n\nfour',
  'C:\\new\\folder',
  'ends with a hash #',
];

test('a text without marks gives the same paragraphs as Markdown gives', () => {
  const decoded = (html: string) =>
    html
      .replace(/&(?:lt|#x3C);/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&(?:amp|#x26);/g, '&')
      .replace(/<\/p>\s*<p>/g, '</p><p>');
  for (const text of PLAIN) {
    // A mark at its end makes the parser read the text.
    const parsed = render(`${text}\n\n**x**`).html.replace(/\s*<p><strong>x<\/strong><\/p>$/, '');
    assert.equal(decoded(render(text).html), decoded(parsed), text);
  }
});

const LONG: Record<string, string> = {
  'marks of emphasis': '*_'.repeat(50_000),
  images: '![['.repeat(30_000),
  'links in links': `${'['.repeat(20_000)}${'](a)'.repeat(20_000)}`,
  quotes: '>'.repeat(90_000),
  items: '- a\n'.repeat(20_000),
  'separate quotes': '> a\n\n'.repeat(1_400),
  'separate lists': 'a\n- b\n\n'.repeat(1_400),
  'rows of a table': `|a|\n|-|\n${'|a|\n'.repeat(20_000)}`,
  definitions: '[a]: b\n'.repeat(10_000),
  'items in items': '- '.repeat(40_000),
  tags: '<b><i>'.repeat(15_000),
  'blank lines': '\n \n'.repeat(60_000),
  spaces: `a${' '.repeat(150_000)}b`,
  letters: 'word '.repeat(400_000),
};

for (const [name, text] of Object.entries(LONG)) {
  test(`a description of very many ${name} takes little time`, async () => {
    await assertWithin(2_000, () => cpuTimeOf(() => render(text)), name);
  });
}

test('what is not read as Markdown stands as it was written, and what is cut is marked', () => {
  const marks = render('*a _b '.repeat(2_000));
  assert.match(marks.html, /^<p>\*a _b \*a/);
  assert.match(marks.warnings.join(), /^\/info: .*more than 1500 marks in one paragraph/);
  const long = render('word '.repeat(100_000));
  assert.match(long.html, /<p>…<\/p>$/);
  assert.match(long.warnings.join(), /longer than 200,000 characters: it was cut/);
});

test('titles and lists have the words of a description on one line', () => {
  const { plain } = descriptions({ warn: () => {} });
  assert.equal(plain('# A\n\n*b* [c](http://d) <b>f</b>'), 'A b c f');
  assert.equal(plain('a\n  b_c'), 'a b_c');
});
