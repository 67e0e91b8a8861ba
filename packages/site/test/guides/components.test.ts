import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTimeOfRequest } from '@petstore/test-support/within.ts';
import type { TargetDetails } from '../../src/guides/links/reference-target.ts';
import { type RenderedPage, renderPage } from '../../src/guides/render/render-page.ts';
import { renderPages } from '../../src/guides/render/render-pages.ts';
import { renderTime } from '../../src/guides/render/render-time.ts';

// Components as Mintlify, GitBook and Docusaurus write them, in `.md` and in `.mdx`.

const SNIPPETS = new Map(
  Object.entries({
    'snippets/hello.mdx': '---\ntitle: x\n---\n\nHello **{name}**, [see](../start.md).\n',
    'snippets/round.mdx': '<Snippet file="round.mdx" />',
    'snippets/twice.mdx': '<Snippet file="hello.mdx" name="A" />\n\n<Odd>kept</Odd>',
  }).map(([file, text]) => [file, Buffer.from(text)]),
);

const PET = { title: 'Get a pet', method: 'GET', path: '/pets/{id}', sentence: 'One pet.' };

const TARGETS = {
  files: new Set(['start.md', 'page.mdx', 'images/a.png', 'images/b.png', ...SNIPPETS.keys()]),
  references: [
    {
      address: undefined,
      operations: new Map([['getPet', '/reference/pets/getPet']]),
      anchors: new Map<string, string>(),
      paths: new Set(['/reference/pets/getPet', '/reference/models/Pet']),
      models: new Map([['Pet', '/reference/models/Pet']]),
      details: new Map<string, TargetDetails>([
        ['/reference/pets/getPet', PET],
        [
          '/reference/models/Pet',
          { title: 'Pet', method: undefined, path: 'Pet', sentence: 'An animal.' },
        ],
      ]),
    },
  ],
  sitePaths: new Set<string>(),
};

const render = (markdown: string, file = 'page.mdx'): Promise<RenderedPage> =>
  renderPage(file, Buffer.from(markdown), TARGETS, (path) => SNIPPETS.get(path));

const told = ({ links }: RenderedPage) =>
  links.warnings.map(({ rule, line, message }) => `${rule} ${line} ${message}`);

async function html(markdown: string, file?: string): Promise<string> {
  const page = await render(markdown, file);
  assert.deepEqual(page.links.problems, [], markdown);
  assert.deepEqual(told(page), [], markdown);
  return page.html.replaceAll(/\n/g, '');
}

const SAME: readonly (readonly string[])[] = [
  [
    '<Tabs>\n  <Tab title="One">\n    First *text*.\n  </Tab>\n  <Tab title="Two">\n    Second.\n  </Tab>\n</Tabs>',
    '{% tabs %}\n{% tab title="One" %}\nFirst *text*.\n{% endtab %}\n\n{% tab title="Two" %}\nSecond.\n{% endtab %}\n{% endtabs %}',
    '::::tabs\n:::tab[One]\nFirst *text*.\n:::\n:::tab[Two]\nSecond.\n:::\n::::',
    '<Tabs>\r\n<TabItem value="a" label="One">\r\nFirst *text*.\r\n</TabItem>\r\n<TabItem label="Two">\r\nSecond.\r\n</TabItem>\r\n</Tabs>',
  ],
  [
    '<Steps>\n  <Step title="Install">\n    Do **it**.\n  </Step>\n</Steps>',
    '{% stepper %}\n{% step title="Install" %}\nDo **it**.\n{% endstep %}\n{% endstepper %}',
    '::::steps\n\n:::step[Install]\n\nDo **it**.\n\n:::\n\n::::',
  ],
  [
    '<Info>\n  Know *this*.\n</Info>',
    '<Info>Know *this*.</Info>',
    '<Callout type="info">Know *this*.</Callout>',
    '{% hint style="info" %}\nKnow *this*.\n{% endhint %}',
    ':::info\nKnow *this*.\n:::',
  ],
  [
    '<Warning title="Hot">\nCareful.\n</Warning>',
    ':::warning[Hot]\nCareful.\n:::',
    ':::warning Hot\n\nCareful.\n\n:::',
    '<Admonition type="warning" title="Hot">Careful.</Admonition>',
  ],
  [
    '<Accordion title="More">\nHidden.\n</Accordion>',
    ':::details More\nHidden.\n:::',
    ':::accordion{title="More"}\nHidden.\n:::',
  ],
  [
    '<Operation id="getPet" />',
    ':::operation{id=getPet}\n:::',
    '::operation{id="getPet"}',
    '{% operation id="getPet" %}',
  ],
];

test('tags, blocks and directives of the same meaning make the same page, in .md and .mdx', async () => {
  for (const spellings of SAME) {
    const [first = ''] = spellings;
    const expected = await html(first);
    for (const markdown of spellings)
      for (const file of ['page.mdx', 'start.md'])
        assert.equal(await html(markdown, file), expected, `${file}: ${markdown}`);
  }
});

const SHOWN: readonly [markdown: string, html: string | RegExp][] = [
  [
    SAME[0]?.[0] ?? '',
    '<div class="tabs" role="group" aria-label="Tabs"><label><input type="radio" name="guide-1" autocomplete="off" checked>One</label><div id="one"><p>First <em>text</em>.</p></div><label><input type="radio" name="guide-1" autocomplete="off">Two</label><div id="two">',
  ],
  [
    SAME[1]?.[0] ?? '',
    '<ol class="steps"><li class="step"><p class="step-title" id="install">Install</p><p>Do <strong>it</strong>.</p></li></ol>',
  ],
  [
    '<Card title="Start" href="start.md">Go.</Card>',
    '<div class="card"><p class="card-title"><a class="card-link" href="/start">Start</a></p><p>Go.</p></div>',
  ],
  [
    '<CardGroup cols={3}>\n<Card title="A" />\n<Card title="B" />\n</CardGroup>',
    /^<div class="columns columns-3"><div class="card">.*A.*<div class="card">.*B/,
  ],
  [
    '<Columns>\n<Column>\n- a\n</Column>\n</Columns>',
    /<div class="column"><ul><li>a<\/li><\/ul><\/div>/,
  ],
  [SAME[4]?.[0] ?? '', '<details id="more"><summary>More</summary><p>Hidden.</p></details>'],
  ['<Expandable title="x" defaultOpen>y</Expandable>', '<details open'],
  [
    '<Frame caption="A **map**">\n  <img src="/images/a.png" alt="m" />\n</Frame>',
    /<figure class="frame"><img src="\/images\/a\.png"[^>]*><figcaption><p>A <strong>map<\/strong><\/p><\/figcaption><\/figure>/,
  ],
  [
    'The <Tooltip tip="Application interface">API</Tooltip>.',
    /<p>The <span class="tooltip"><span tabindex="0" aria-describedby="(layout-tip-1)">API<\/span><span class="tooltip-text" role="tooltip" id="\1">Application interface<\/span><\/span>\.<\/p>/,
  ],
  [
    '<ParamField query="limit" type="integer" required default={20}>\nHow many.\n</ParamField>',
    /<div id="limit" class="field">|<div class="field" id="limit"><p class="field-head"><span id="param-limit"><\/span><code>limit<\/code> .*integer.*query.*required.*default: <code>20<\/code>.*<p>How many\.<\/p>/,
  ],
  ['<ResponseField name="a" type="b">c</ResponseField>', /<code>a<\/code>.*b.*<p>c<\/p>/],
  ['<Icon icon="rocket" />', '<span class="guide-icon" data-icon="rocket" aria-hidden="true">'],
  ['A <Badge color="green">new</Badge> one', '<span class="badge badge-green">new</span>'],
  ['<Update label="May 2026" description="v2">\nNews.\n</Update>', '<h2 id="may-2026">May 2026'],
  [
    '<Tree>\n<Tree.Folder name="src">\n<Tree.File name="a.ts" />\n</Tree.Folder>\n</Tree>',
    '<ul class="tree"><li class="tree-folder"><span class="guide-icon" data-icon="folder" aria-hidden="true"></span> <b>src</b><ul><li class="tree-file"><span class="guide-icon" data-icon="file" aria-hidden="true"></span> a.ts</li></ul></li></ul>',
  ],
  [
    '<LiteYouTubeEmbed id="abc_1" title="A tour" />',
    'href="https://www.youtube.com/watch?v=abc_1" class="embed-link" rel="noopener noreferrer">A tour</a>',
  ],
  ['Before\n\n<TOCInline toc={toc} />\n\nAfter', '<p>Before</p><p>After</p>'],
  [
    '<Image src="images/a.png" alt="A" caption="Below" />',
    '<figure class="frame"><img src="/images/a.png" alt="A" loading="lazy" decoding="async"><figcaption>Below</figcaption></figure>',
  ],
  ['A <Glossary>parcel</Glossary>.', '<p>A parcel.</p>'],
  [
    'See <Anchor label="x" href="/start" target="_blank">the start</Anchor>.',
    '<p>See <a href="/start">the start</a>.</p>',
  ],
  ['<Callout icon="!" theme="warn">\nMind it.\n</Callout>', '<div class="note note-warning">'],
  [
    '<Table align={["left"]}>\n  <thead>\n    <tr>\n      <th style={{ textAlign: "left" }}>\n        Name\n      </th>\n    </tr>\n  </thead>\n\n  <tbody>\n    <tr>\n      <td>\n        **bold**\n      </td>\n    </tr>\n  </tbody>\n</Table>',
    '<th><p>Name</p></th></tr></thead><tbody><tr><td><p><strong>bold</strong></p></td>',
  ],
  [
    '<Operation id="getPet" />',
    '<span class="method method-get">GET</span> <code>/pets/{id}</code></p><p class="card-title"><a class="card-link" href="/reference/pets/getPet">Get a pet</a></p><p>One pet.</p>',
  ],
  ['<Model name="Pet" />', '<a class="card-link" href="/reference/models/Pet">Pet</a>'],
  [
    '<iframe src="https://www.youtube.com/embed/abc" title="Tour"></iframe>',
    '<span class="embed"><a href="https://www.youtube.com/watch?v=abc" class="embed-link" rel="noopener noreferrer">Tour</a> <small>youtube.com</small></span>',
  ],
  ['{% embed url="https://v.example/1" %}\nA film\n{% endembed %}', '>A film</a>'],
  [
    '{% content-ref url="start.md" %}\n[The start](start.md)\n{% endcontent-ref %}',
    '>The start</a>',
  ],
  [
    '{% code title="a.js" lineNumbers="true" %}\n```js\nlet a;\n```\n{% endcode %}',
    /<span class="code-title">a\.js<\/span><\/div><pre class="code-numbered" tabindex="0"><code class="hljs language-js"><span class="line">/,
  ],
  [
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target></th></tr></thead><tbody><tr><td>First</td><td><a href="start.md">x</a></td></tr></tbody></table>',
    '<div class="columns columns-2"><div class="card"><p class="card-title"><a class="card-link" href="/start">First</a></p></div></div>',
  ],
  [
    '<CodeGroup>\n\n```js a.js\n1\n```\n\n```py title="b.py"\n2\n```\n\n</CodeGroup>',
    /role="group" aria-label="Code"><label><input[^>]*>a\.js<\/label>.*<label><input[^>]*>b\.py<\/label>/,
  ],
  ['- item\n\n  <Note>\n  in it\n  </Note>\n- other', /<li>.*note-note.*in it.*<\/li><li>/],
  ['| a |\n|--|\n| <Badge>x</Badge> |', '<td><span class="badge">x</span></td>'],
  [
    'text\n<Note>\nnoted\n</Note>\nmore',
    /^<p>text<\/p><div class="note.*noted.*<\/div><p>more<\/p>$/,
  ],
  ['<Note>one\n\ntwo</Note>', /^<div class="note.*<p>one<\/p><p>two<\/p><\/div>$/],
  ['`<Tabs>` and `{% hint %}`', '<code>&#x3C;Tabs></code> and <code>{% hint %}</code>'],
  ['```text\n<Tabs>\n:::note\n{% hint %}\n```', '&#x3C;Tabs>:::note{% hint %}'],
  ['{/* not shown */}a{/* nor this */}', '<p>a</p>'],
  ['a < b, {"c"} and x<y', '<p>a &#x3C; b, c and x&#x3C;y</p>'],
  ['## Own <a href="#gb" id="gb"></a>', 'Own <a id="gb"></a>'],
  [
    '<a href="start.md" class="button primary">Go</a>',
    '<a href="/start" class="button primary">Go</a>',
  ],
  ['## Own {#mine}', '<h2 id="mine">Own'],
  [
    '<img className="block dark:hidden" src="/images/a.png" />',
    /<img src="\/images\/a\.png" class="light-only"/,
  ],
  ['![](/images/b.png#gh-dark-mode-only)', /class="dark-only"/],
];

test('each component is shown as what it is', async () => {
  for (const [markdown, expected] of SHOWN) {
    const made = await html(markdown);
    if (typeof expected === 'string') assert.ok(made.includes(expected), `${markdown}:\n${made}`);
    else assert.match(made, expected, markdown);
  }
});

const CODE: readonly [markdown: string, html: RegExp][] = [
  ['```js title="x.js"\na\n```', /<span class="code-title">x\.js<\/span>/],
  ['```js x.js\na\n```', /<span class="code-title">x\.js<\/span>/],
  [
    '```js {1,3-4}\na\nb\nc\nd\n```',
    /line-highlight">a.*"line">b.*line-highlight">c.*line-highlight">d/,
  ],
  ['```js{2}\na\nb\n```', /"line">a.*line-highlight">b/],
  ['```js highlight={2}\na\nb\n```', /"line">a.*line-highlight">b/],
  [
    '```js\na // [!code ++]\nb // [!code --]\n```',
    /line-added"[^>]*>a<\/span>.*line-removed"[^>]*>b<\/span>/,
  ],
  [
    '```js\n// highlight-next-line\na\nb\n```',
    /<code[^>]*><span class="line line-highlight">a<\/span><span class="line">b/,
  ],
  ['```js lines\na\n```', /<pre class="code-numbered"/],
  ['```diff\n+ a\n- b\n```', /hljs-addition.*hljs-deletion/],
  [
    '```js {1}\n/* a\nb */\n```',
    /line-highlight"><span class="hljs-comment">\/\* a<\/span><\/span><span class="line"><span class="hljs-comment">b/,
  ],
];

test('code has titles, lines that stand out, numbers and differences', async () => {
  for (const [markdown, expected] of CODE) assert.match(await html(markdown), expected, markdown);
});

const TOLD: readonly [markdown: string, warning: RegExp, shown: string][] = [
  [
    'a\n\nexport function f() {\n\n  return 1;\n}\n\nb',
    /^left-out 3 `export function f/,
    '<p>a</p><p>b</p>',
  ],
  ['import X from "./x.jsx"\n\na', /^left-out 1 `import X/, '<p>a</p>'],
  ['a {f(1)} b', /^left-out 1 `\{f\(1\)\}` is program code.*left out/, '<p>a  b</p>'],
  ['a {name} b', /^left-out 1 `\{name\}`.*shown as it is written/, '<p>a {name} b</p>'],
  [
    '\n<Card title="t" onClick={() => go()}>x</Card>',
    /^left-out 2 `onClick` of `<Card>`/,
    '<p>x</p>',
  ],
  [
    '<Crad>x</Crad>',
    /^component 1 .*`<Crad>` is unknown: did you mean `card`\? What is in it is shown/,
    'x',
  ],
  ['<Crad />', /^component 1 .*left out/, ''],
  ['{% odd %}\nx\n{% endodd %}', /^component 1 The block `\{% odd %\}` is unknown/, '<p>x</p>'],
  [':::odd\nx\n:::', /^component 1 The directive `:::odd` is unknown/, '<p>x</p>'],
  ['a\n\n<Note>\nx', /^component 3 `<Note>` is not closed: write `<\/Note>`/, '<p>x</p>'],
  ['a\n\n</Note>', /^component 3 `<\/Note>` ends nothing/, '<p>a</p>'],
  [
    '<Card title="t" href="javascript:alert(1)">x</Card>',
    /^component 1 `javascript:alert\(1\)` is no address/,
    '<p class="card-title">t</p>',
  ],
  [
    '<Card title="t" icon="rockett" />',
    /^named-icon 1 There is no icon `rockett`: did you mean `rocket`\?/,
    't</p>',
  ],
  ['<Video src="/a.mp4" />', /^left-out 1 The video `\/a\.mp4`/, ''],
];

test('what is left out, unknown or not closed is told with its line, and what is in it is shown', async () => {
  for (const [markdown, warning, shown] of TOLD) {
    const page = await render(markdown);
    assert.deepEqual(page.links.problems, [], markdown);
    const warnings = told(page);
    assert.equal(warnings.length, 1, `${markdown}: ${warnings.join('\n')}`);
    assert.match(warnings[0] ?? '', warning);
    assert.ok(page.html.replaceAll('\n', '').includes(shown), `${markdown}: ${page.html}`);
  }
});

test('snippets are in their places, with the values that a page gives them', async () => {
  const hello = '<p>Hello <strong>B</strong>, <a href="/start">see</a>.</p>';
  for (const markdown of [
    'import Hi from "/snippets/hello.mdx";\n\n<Hi name="B" />',
    'import Hi from "./snippets/hello.mdx";\n\n- a\n\n  <Hi name="B" />',
    '<Snippet file="hello.mdx" name="B" />',
    'export const who = "B";\n\n<Snippet file="hello.mdx" name={who} />',
  ])
    assert.ok((await html(markdown)).includes(hello), markdown);
  const included = await render('{% include "snippets/hello.mdx" %}', 'start.md');
  assert.match(included.html, /Hello <strong>\{name\}<\/strong>, <a href="\/start">/);

  const twice = await render('\n\n<Snippet file="twice.mdx" />');
  assert.match(
    told(twice).join(),
    /^component 3 .*`<Odd>` is unknown.*\(`snippets\/twice\.mdx`, line 3\)$/,
  );
  const round = await render('\n<Snippet file="round.mdx" />');
  assert.match(round.links.problems[0]?.message ?? '', /`snippets\/round\.mdx` is in itself/);
  const gone = await render('\n<Snippet file="helo.mdx" />');
  assert.equal(gone.links.problems[0]?.line, 2);
  assert.match(
    gone.links.problems[0]?.message ?? '',
    /not in the archive: did you mean `snippets\/hello\.mdx`/,
  );
});

test('an operation or a model that the document lacks is a problem with a suggestion', async () => {
  const page = await render('a\n\n<Operation id="getPett" />\n\n<Model name="Pat" />');
  const problems = page.links.problems.map(({ line, message }) => `${line} ${message}`).sort();
  assert.match(problems[0] ?? '', /^3 .*no operation `getPett`: did you mean `getPet`\?/);
  assert.match(problems[1] ?? '', /^5 .*no model `Pat`: did you mean `Pet`\?/);
});

test('broken links and images in components are told with their line', async () => {
  const page = await render('a\n\n<Card title="x" href="gone.md" img="/images/c.png">b</Card>');
  assert.deepEqual(
    page.links.problems.map(({ line }) => line),
    [3],
  );
  assert.deepEqual(
    page.links.warnings.map(({ rule, line }) => [rule, line]),
    [['image', 3]],
  );
});

test('the search finds what is in components, by the heading that is above it', async () => {
  const { sections } = await render(
    '## One\n\n<Tabs>\n<Tab title="Left">\nneedle\n\n### Two\n\nthread\n</Tab>\n</Tabs>',
  );
  const found = sections.map(({ heading, text }) => `${heading}: ${text}`);
  assert.deepEqual(found, [': ', 'One: Left needle', 'Two: thread']);
});

const HOSTILE = [
  '<Card title="x" href="javascript:alert(1)" img="javascript:alert(1)" />',
  '<Card title="<img src=x onerror=alert(1)>" href=" javascript:alert(1)" />',
  '<Tooltip tip="<script>alert(1)</script>" cta="x" href="java\nscript:alert(1)">a</Tooltip>',
  '<guide-component data-component=\'{"kind":"card","name":"card","attributes":{"title":"x","href":"javascript:alert(1)"}}\'></guide-component>',
  '<guide-component data-component=\'{"kind":"__proto__","name":"x","attributes":{}}\'>a</guide-component>',
  '<guide-component data-component=\'{"kind":"card","name":"card","attributes":null}\'>a</guide-component>',
  '<div style={{ color: "red" }} onClick={() => alert(1)}>a</div>',
  '<script>{`alert(1)`}</script>',
  '<Frame caption="<img src=x onerror=alert(1)>">a</Frame>',
  '<iframe src="javascript:alert(1)" />',
  '<Video src="https://v.example/&quot;onmouseover=&quot;alert(1)" />',
  '<Note title="a" style="position:fixed" onclick="alert(1)">x</Note>',
  '<Constructor toString={1}>a</Constructor>',
];

test('nothing that a component is given runs, restyles or leaves the site unseen', async () => {
  for (const attack of HOSTILE)
    for (const file of ['page.mdx', 'start.md']) {
      const { html: made } = await render(`${attack}\n\ntext`, file);
      const names = made.replaceAll(/="[^"]*"/g, (value) =>
        /script:/i.test(value) ? value : '=""',
      );
      assert.doesNotMatch(
        names,
        /<(?:script|iframe|form|style|object|embed|guide-component)\b/i,
        attack,
      );
      assert.doesNotMatch(names, /<[^>]*\s(?:on\w+|style)=/i, attack);
      assert.doesNotMatch(names, /(?:href|src)="[^"]*script:/i, attack);
      assert.match(made, /text/);
    }
});

test('very many, very deep and never closed components end in time', async () => {
  const pages: readonly [string, RegExp | undefined][] = [
    [`<Tabs>\n${'<Tab title="x">\ny\n</Tab>\n'.repeat(2_000)}</Tabs>`, undefined],
    [`${'<Note>\n'.repeat(2_000)}x`, /nested more than 100 levels/],
    ['<A b={'.repeat(1_000), undefined],
    ['{% x\n'.repeat(5_000), undefined],
    ['<Note>a'.repeat(50), undefined],
  ];
  for (const [markdown, problem] of pages) {
    const took = await cpuTimeOfRequest(async () => {
      const { links } = await render(markdown);
      assert.match(links.problems[0]?.message ?? '', problem ?? /^$/);
    });
    assert.ok(took < 10_000, `${markdown.slice(0, 10)}: ${took} ms`);
  }
});

test('an .mdx file is a page, and a snippet is none', async () => {
  const files = new Map([
    ['a.mdx', Buffer.from('import H from "/snippets/hello.mdx"\n\n<H name="C" />')],
    ['guides/index.mdx', Buffer.from('# Guides\n\n[a](../a)')],
    ...SNIPPETS,
  ]);
  const { pages } = await renderPages(
    files,
    { ...TARGETS, files: new Set(files.keys()) },
    { time: renderTime(300), log: () => {} },
  );
  assert.deepEqual(
    pages.map(({ path }) => path),
    ['/a', '/guides'],
  );
  assert.match(pages[0]?.html ?? '', /<strong>C<\/strong>/);
  assert.match(pages[1]?.html ?? '', /href="\/a"/);
});
