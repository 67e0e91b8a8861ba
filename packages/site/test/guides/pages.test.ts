import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { assertTook, cpuTimeOfRequest } from '@petstore/test-support/within.ts';
import { brokenLinks, checkAnchors } from '../../src/guides/links/anchors.ts';
import { PageCache } from '../../src/guides/render/page-cache.ts';
import { type RenderedPage, renderPage } from '../../src/guides/render/render-page.ts';
import { renderPages } from '../../src/guides/render/render-pages.ts';

const TARGETS = {
  files: new Set([
    'index.md',
    'guides/start.md',
    'guides/安装.md',
    'guides/more/index.md',
    'guides/cards.mdx',
    'images/a b.png',
    'files/data.csv',
    'files/tool.exe',
    'files/page.html',
  ]),
  references: [
    {
      address: undefined,
      operations: new Map([['listPets', '/reference/pets/listPets']]),
      anchors: new Map([
        ['tag/pets', '/reference/pets'],
        ['tag/pets/GET/pets/{id}', '/reference/pets/listPets'],
      ]),
      paths: new Set(['/reference', '/reference/pets', '/reference/pets/listPets']),
      models: new Map(),
      details: new Map(),
    },
  ],
  sitePaths: new Set(['/reference', '/openapi.yaml']),
};

const render = (markdown: string, file = 'guides/start.md') =>
  renderPage(file, Buffer.from(markdown), TARGETS);

async function html(markdown: string): Promise<string> {
  const page = await render(markdown);
  assert.deepEqual(page.links.problems, [], markdown);
  return page.html;
}

const LINKS: readonly [markdown: string, html: string][] = [
  ['[x](start.md)', 'href="/guides/start"'],
  ['[x](../index.md)', 'href="/"'],
  ['[x](/guides/start)', 'href="/guides/start"'],
  ['[x](/guides/start.md#y)', 'href="/guides/start#y"'],
  ['[x](./more/)', 'href="/guides/more"'],
  ['[x](cards.md)', 'href="/guides/cards"'],
  ['[x](/guides/start.mdx)', 'href="/guides/start"'],
  ['[x](安装.md)', 'href="/guides/%E5%AE%89%E8%A3%85"'],
  ['[x](%E5%AE%89%E8%A3%85.md)', 'href="/guides/%E5%AE%89%E8%A3%85"'],
  ['[x](#y)', 'href="#y"'],
  ['<a href="start.md">x</a>', 'href="/guides/start"'],
  ['[x][r]\n\n[r]: start.md', 'href="/guides/start"'],
  ['[x](../files/data.csv)', 'href="/files/data.csv"'],
  ['[x](operation:listPets)', 'href="/reference/pets/listPets"'],
  ['[x](/reference/pets)', 'href="/reference/pets"'],
  ['[x](/reference#tag/pets/GET/pets/%7Bid%7D)', 'href="/reference/pets/listPets"'],
  ['[x](/reference)', 'href="/reference"'],
  ['[x](/reference#tag/pets)', 'href="/reference/pets"'],
  ['[x](/openapi.yaml)', 'href="/openapi.yaml"'],
  ['[x](https://x.example/)', 'href="https://x.example/" rel="noopener noreferrer"'],
  ['https://x.example', 'rel="noopener noreferrer"'],
  ['[x](mailto:a@b.example)', 'href="mailto:a@b.example"'],
  ['![x](<../images/a b.png>)', 'src="/images/a%20b.png"'],
  ['<img src="/images/a%20b.png" alt="x">', 'src="/images/a%20b.png"'],
];

test('links and images become addresses of the site', async () => {
  for (const [markdown, expected] of LINKS) {
    const result = await html(markdown);
    assert.ok(result.includes(expected), `${markdown}: ${result}`);
  }
});

const BROKEN: readonly [markdown: string, problem: RegExp][] = [
  ['[x](strat.md)', /no `guides\/strat\.md`: did you mean `guides\/start\.md`\?/],
  ['<a href="gone.md">x</a>', /is broken: there is no/],
  ['[x](../../up.md)', /leads out of the documentation/],
  ['[x](%E0%A4%A)', /not valid/],
  ['[x](operation:listPest)', /no operation `listPest`: did you mean `listPets`\?/],
  ['[x](/reference#tag/dogs)', /an operation that the reference does not have/],
  ['[x](../files/tool.exe)', /not published/],
  ['[x](../files/page.html)', /not published/],
];

test('a broken link is a problem with its line', async () => {
  for (const [markdown, problem] of BROKEN) {
    const { links } = await render(`---\ntitle: T\n---\n\nText\n\n- item ${markdown}`);
    assert.equal(links.problems.length, 1, markdown);
    assert.match(links.problems[0]?.message ?? '', problem);
    assert.equal(links.problems[0]?.line, 7, markdown);
  }
  const without = await renderPage('a.md', Buffer.from('[x](operation:listPets)'), {
    ...TARGETS,
    references: [],
  });
  assert.match(without.links.problems[0]?.message ?? '', /needs an OpenAPI document/);
});

test('very many broken links take no longer than others, and the first ones say what was meant', async () => {
  const numbers = Array.from({ length: 1_000 }, (_, at) => at);
  const topic = (at: number) => `guides/section-${at % 40}/some-page-about-topic-${at}`;
  const [reference] = TARGETS.references;
  assert.ok(reference);
  const targets = {
    ...TARGETS,
    files: new Set(numbers.flatMap((at) => [`${topic(at)}.md`, `${topic(at)}.png`])),
    references: [
      { ...reference, operations: new Map(numbers.map((at) => [topic(at), '/reference/pets'])) },
    ],
  };
  const [link, image, operation, model] = [
    (at: number) => `[x](/${topic(at)}x.md)`,
    (at: number) => `![y](/${topic(at)}x.png)`,
    (at: number) => `[z](operation:${topic(at)}x)`,
    (at: number) => `<Model id="${topic(at)}x" />`,
  ];
  for (const [mark, hasHint] of [
    ...[link, image, operation].map((one) => [one, true] as const),
    [model, false] as const,
  ]) {
    const markdown = numbers.map(mark).join('\n\n');
    let page: RenderedPage | undefined;
    const took = await cpuTimeOfRequest(async () => {
      page = await renderPage('a.md', Buffer.from(markdown), targets);
    });
    const told = [...(page?.links.problems ?? []), ...(page?.links.warnings ?? [])];
    assert.equal(told.length, 1_000);
    assert.equal(
      /did you mean `.*topic-0\b/.test(told[0]?.message ?? ''),
      hasHint,
      told[0]?.message,
    );
    assert.ok(took < 5_000, `${mark(0)}: ${took} ms`);
  }
});

const MISSING: readonly [markdown: string, warning: RegExp][] = [
  ['![x & y](../images/gone.png)', /image `\.\.\/images\/gone\.png` is not in the archive/],
  ['<img src="gone.png" alt="x &amp; y">', /image `gone\.png` is not in the archive/],
  ['![x & y](../files/data.csv)', /not an image/],
];

test('of an image that is not there the text is shown, with a warning', async () => {
  for (const [markdown, warning] of MISSING) {
    const { links, html: shown } = await render(`---\ntitle: T\n---\n\nSee ${markdown}.`);
    assert.deepEqual(links.problems, [], markdown);
    assert.match(links.warnings[0]?.message ?? '', warning);
    assert.equal(links.warnings[0]?.line, 5, markdown);
    assert.match(shown, /<p>See x &#x26; y\.<\/p>/, markdown);
  }
});

test('a link to a heading that is not there is a problem, on each page', async () => {
  const pages = await Promise.all([
    render('# Start\n\n[a](#start) [b](#begin)\n\n[c](安装.md#步骤) [d](安装.md#steps)'),
    render('## 步骤\n\n<a name="old"></a>[e](start.md#start) [f](#old)', 'guides/安装.md'),
  ]);
  const found = checkAnchors(pages).map(({ path, line, message }) => `${path}:${line} ${message}`);
  assert.equal(found.length, 2, found.join('\n'));
  assert.match(found[0] ?? '', /^guides\/start\.md:3 The link `#begin`/);
  assert.match(found[1] ?? '', /^guides\/start\.md:5 The link `安装\.md#steps`.*has no `#steps`/);
});

const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src="/images/a%20b.png" onerror="alert(1)">',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '<a href="java&#10;script:alert(1)">x</a>',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '![x](javascript:alert(1))',
  '<iframe src="https://x.example"></iframe>',
  '<form action="https://x.example"><input name=password><button>x</button></form>',
  '<style>body{display:none}</style>',
  '<p style="position:fixed" onclick="alert(1)">x</p>',
  '<base href="https://x.example">',
  '<meta http-equiv=refresh content="0;url=https://x.example">',
  '<object data=x></object><embed src=x>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<a href="https://x.example" target="_blank" ping="https://y.example">x</a>',
  '<details ontoggle=alert(1) open>x</details>',
  '<img id=cookie name=cookie src="/images/a%20b.png">',
  '<p id="layout-nav">x</p>',
];

test('nothing in a page can run, frame, send or restyle', async () => {
  for (const attack of ATTACKS) {
    const page = await render(`${attack}\n\ntext`);
    // What attributes hold is text.
    const html = page.html.replaceAll(/ (\w+)="[^"]*"/g, (whole, name) =>
      ['id', 'href', 'src'].includes(name) ? whole : ` ${name}=""`,
    );
    assert.doesNotMatch(
      html,
      /<(?:script|iframe|form|button|style|base|meta|object|embed|svg|math|link)\b/i,
      attack,
    );
    assert.doesNotMatch(html, /\s(?:on\w+|style|target|ping|name|srcdoc|action)=/i, attack);
    assert.doesNotMatch(html, /(?:href|src)="(?:java|data|vb)/i, attack);
    assert.doesNotMatch(html, /id="(?:cookie|layout-nav)"/, attack);
    assert.match(html, /text/);
  }
});

test('HTML that pages cannot have is left out with a warning that names its line', async () => {
  const page = await render(
    [
      '---\ntitle: T\n---\n\nA <svg><path d="M0 0"></path></svg> icon.\n',
      '<script>\nalert(1)\n</script>\n',
      '<div>\n<style>p {}</style>\n</div>\n',
      '<form action="https://x.example">\n<svg></svg>Name</form>\n\n<details>x</details>',
    ].join('\n'),
  );
  assert.deepEqual(
    page.links.warnings.map(({ rule, message, line }) => [rule, line, message.split(':')[0]]),
    [
      ['left-out', 5, '`<svg>` is left out'],
      ['left-out', 7, '`<script>` is left out'],
      ['left-out', 12, '`<style>` is left out'],
      ['left-out', 15, '`<form>` is left out'],
    ],
  );
  assert.match(page.html, /Name/);
  assert.deepEqual(page.links.problems, []);
});

test('what documentation needs stays', async () => {
  const result = await html(
    `<details open><summary>S</summary>\n\n| a | b |\n|--|:-:|\n| 1 | 2 |\n\n</details>

<kbd>K</kbd> H<sub>2</sub> x<sup>2</sup> ~~gone~~ <mark>m</mark>

- [x] done

> [!WARNING]
> Hot.

\`\`\`ts
const a: string = '<b>';
\`\`\`

\`\`\`nonsense
<b>
\`\`\`
`,
  );
  for (const part of [
    '<details open><summary>S</summary>',
    '<td align="center">2</td>',
    '<kbd>K</kbd> H<sub>2</sub> x<sup>2</sup> <del>gone</del> <mark>m</mark>',
    '<input type="checkbox" checked disabled aria-label="Done">',
    '<div class="note note-warning"><p class="note-title"><svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="m21.73 18',
    '</svg>Warning</p>\n<p>Hot.</p>',
    '<span>ts</span>',
    '<span class="hljs-keyword">const</span>',
    '&#x3C;b>',
  ]) {
    assert.ok(result.includes(part), `${part} in ${result}`);
  }
});

test('headings have ids of their own, in every alphabet, and no two the same', async () => {
  const page = await render('# One\n## Привет, мир\n## 安装\n## One\n## !!!\n<p id="one">x</p>');
  assert.deepEqual(
    page.headings.map(({ id }) => id),
    ['one', 'привет-мир', '安装', 'one-1', 'section-1'],
  );
  assert.equal(page.html.match(/id="one"/g)?.length, 1);
  const named = await render('## भुगतान\n\n## Refunds {#रिफंड}');
  assert.deepEqual(
    named.headings.map(({ id, text }) => [id, text]),
    [
      ['भुगतान', 'भुगतान'],
      ['रिफंड', 'Refunds'],
    ],
  );
});

test('the fragments that Mintlify has for headings and fields lead to them, too', async () => {
  const page = await render(
    [
      '## OAuth 2.0\n## Analytics & Dashboard\n## REST - In `context.run`\n## Plain words\n## Plain-words',
      '<ParamField path="expireAfterSecs">x</ParamField>\n\n<ParamField path="base_url">x</ParamField>',
    ].join('\n\n'),
  );
  assert.deepEqual(
    page.headings.map(({ id, text }) => [id, text]),
    [
      ['oauth-20', 'OAuth 2.0'],
      ['analytics--dashboard', 'Analytics & Dashboard'],
      ['rest---in-contextrun', 'REST - In context.run'],
      ['plain-words', 'Plain words'],
      ['plain-words-1', 'Plain-words'],
    ],
  );
  for (const id of [
    ...['oauth-2-0', 'analytics-and-dashboard', 'rest-in-context-run'],
    ...['param-expire-after-secs', 'param-base-url'],
  ]) {
    assert.ok(page.ids.includes(id), id);
    assert.equal(page.html.split(`id="${id}"`).length, 2, id);
  }
  const link = await render('## Begin & end\n\n[a](#begin-and-end) [b](#begin-or-end)');
  assert.match(checkAnchors([link])[0]?.message ?? '', /`#begin-or-end` leads to no heading/);
  assert.equal(checkAnchors([link]).length, 1);
});

const DESCRIBED: readonly [markdown: string, description: string][] = [
  ['---\ndescription: Given.\n---\nText.', 'Given.'],
  ['# A\n\nOne *two*\n[three](#a) `four`.[^1]\n\nFive.\n\n[^1]: Six.', 'One two three four.'],
  [
    '![](https://x.example/a.png)\n\n> [!NOTE]\n> Seven.\n\n- eight\n\nNine <b>&lt;</b> x<sup>2</sup>.',
    'Nine < x2.',
  ],
  ['# A\n\n```\ncode\n```', ''],
  [`${'word '.repeat(100)}`, `${'word '.repeat(39)}word…`],
];

test('a page is described by its front matter, or else by its first paragraph, as plain text', async () => {
  for (const [markdown, expected] of DESCRIBED) {
    const { description, lead } = await render(markdown);
    assert.equal(description, expected, markdown);
    assert.equal(lead, markdown.startsWith('---') ? expected : '', markdown);
  }
});

test('front matter may have line breaks of Windows, and nothing in it', async () => {
  const page = await render('---\r\ntitle: "Start"\r\n---\r\n\r\nText.\r\n');
  assert.deepEqual(page.links.problems, []);
  assert.equal(page.title, 'Start');
  assert.equal((await render('---\n---\n# Empty\n')).title, 'Empty');
});

test('below a title of the front matter, headings are one level lower where one is of the first', async () => {
  const levels = async (text: string) =>
    [...(await render(text)).html.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
  const titled = '---\ntitle: Start\n---\n\n';
  assert.deepEqual(await levels(`${titled}Text\n\n# A\n\n## B\n`), [2, 3]);
  assert.deepEqual(await levels(`${titled}Text\n\n## A\n\n### B\n`), [2, 3]);
  assert.deepEqual(await levels(`${titled}# A\n\n## B\n\n# C\n`), [1, 2, 1]);
  assert.deepEqual(await levels('Text\n\n# A\n\n## B\n'), [1, 2]);
});

test('a page has its title from its front matter, its heading, or its name', async () => {
  assert.equal((await render('---\ntitle: F\n---\n# H')).title, 'F');
  assert.equal((await render('# H *x*')).title, 'H x');
  assert.equal((await render('text', 'guides/getting-started.md')).title, 'Getting started');
  const wrong = await render('---\ntitle: [\n---\n');
  const [problem] = wrong.links.problems;
  assert.equal(problem?.line, 2);
  assert.match(problem?.message ?? '', /^The `\[` of line 2 is not closed|never closed/);
  const latin1 = await renderPage('a.md', Buffer.from([0xe9]), TARGETS);
  assert.match(latin1.links.problems[0]?.message ?? '', /not UTF-8/);
});

test('an image of another site becomes a link, with a warning', async () => {
  const page = await render('![Badge](https://img.example/b.svg)');
  assert.match(page.html, /<a href="https:\/\/img\.example\/b\.svg"[^>]*>Badge<\/a>/);
  assert.match(page.links.warnings[0]?.message ?? '', /on another site/);
});

test('pages that are nested without end are refused at once', async () => {
  const pages = [
    '>'.repeat(100_000),
    `${'- '.repeat(500)}x`,
    '<div>'.repeat(50_000),
    '<b><i>'.repeat(9_000),
  ];
  for (const markdown of pages) {
    const took = await cpuTimeOfRequest(async () => {
      const { links } = await render(markdown);
      assert.match(links.problems[0]?.message ?? '', /nested more than 100 levels/);
    });
    assert.ok(took < 5_000, `${markdown.slice(0, 10)}: ${took} ms`);
  }
});

/** So many milliseconds of a build of four seconds. Where they are not what is tested they are never over. */
const within = ({ page = 600_000, total = 600_000 }) => ({
  time: { page, total, build: 4_000 },
  log: () => {},
});

/**
 * What comes of something in the least of these milliseconds that is enough: a page that takes too long keeps a core busy
 * for all of them, and a machine that has other work needs more for the other pages.
 */
async function withLeastTime<T>(
  times: readonly number[],
  work: (ms: number) => Promise<{ readonly result: T; readonly isEnough: boolean }>,
): Promise<T> {
  for (const [at, ms] of times.entries()) {
    const { result, isEnough } = await work(ms);
    if (isEnough || at === times.length - 1) return result;
  }
  assert.fail('no time was given');
}

test('a page that takes too long is given up by name, and the thread with it', async () => {
  // Quadratic in every parser of emphasis; an hour at this length.
  const slow = Buffer.from('_a*'.repeat(300_000));
  const files = new Map([
    ['a.md', Buffer.from('# A')],
    ['slow.md', slow],
  ]);
  const problems = await withLeastTime([300, 3_000, 60_000], async (page) => {
    const { problems } = await renderPages(files, TARGETS, within({ page }));
    return { result: problems, isEnough: problems[0]?.path === 'slow.md' };
  });
  assert.equal(problems.length, 1);
  assert.equal(problems[0]?.path, 'slow.md');
  assert.match(problems[0]?.message ?? '', /takes too long/);
});

test('a page that takes too long is given up at once while another thread renders on', async () => {
  const pages = Array.from({ length: 150 }, (_, at) => [`a${at}.md`, Buffer.from('# A')] as const);
  const slow = Buffer.from('_a*'.repeat(300_000));
  const files = new Map([...pages, ['slow-1.md', slow], ['slow-2.md', slow]] as const);
  const { problems, took, page } = await withLeastTime([500, 2_000, 60_000], async (page) => {
    const begun = performance.now();
    const { problems } = await renderPages(files, TARGETS, within({ page }));
    const took = performance.now() - begun;
    return { result: { problems, took, page }, isEnough: problems[0]?.path === 'slow-1.md' };
  });
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['slow-1.md'],
  );
  await assertTook(took, Math.max(20_000, 2 * page));
});

test('pages that take too long together say how far they came, which are slow, and whose bound it is', async () => {
  const files = new Map([
    ['a.md', Buffer.from('# A')],
    ['slow.md', Buffer.from('_a*'.repeat(300_000))],
  ]);
  const said =
    /^The pages take too long to render: 1 of 2 were ready after (?:2|9|90) of the 4 seconds that a build may take \(DASHBOARD_BUILD_SECONDS, .*The slowest: `slow\.md` \([\d.]+ s\)\./;
  const [problem] = await withLeastTime([2_000, 9_000, 90_000], async (total) => {
    const { problems } = await renderPages(files, TARGETS, within({ total }));
    return { result: problems, isEnough: said.test(problems[0]?.message ?? '') };
  });
  assert.match(problem?.message ?? '', said);
  assert.equal(problem?.path, '');
});

/** The threads that a piece of work starts. */
async function threadsOf(work: () => Promise<unknown>): Promise<number> {
  let started = 0;
  const count = () => {
    started += 1;
  };
  subscribe('worker_threads', count);
  await work();
  unsubscribe('worker_threads', count);
  return started;
}

test('a thread that rendered a site renders the next one, of which it knows nothing else', async () => {
  const page = Buffer.from('[x](other.md)\n\n{% include "other.md" %}\n');
  const first = new Map([
    ['a.md', Buffer.from('# A')],
    ['other.md', Buffer.from('# Other')],
  ]);
  await renderPages(first, { ...TARGETS, files: new Set(first.keys()) }, within({}));
  const threads = await threadsOf(async () => {
    const { pages, problems } = await renderPages(
      new Map([['b.md', page]]),
      { ...TARGETS, files: new Set(['b.md']) },
      within({}),
    );
    assert.deepEqual(
      pages.map(({ file }) => file),
      ['b.md'],
    );
    assert.match(brokenLinks(pages)[0]?.message ?? '', /no `other\.md`/);
    assert.match(problems[0]?.message ?? '', /`other\.md` is not in the archive/);
  });
  assert.equal(threads, 0);
  const slow = new Map([['slow.md', Buffer.from('_a*'.repeat(300_000))]]);
  await renderPages(slow, TARGETS, within({ page: 100 }));
  assert.equal(await threadsOf(() => renderPages(first, TARGETS, within({}))), 1);
});

test('a page that is too large is refused before anything is rendered', async () => {
  const large = new Map([['a.md', Buffer.alloc(2 * 1024 * 1024 + 1, 'x')]]);
  const { problems } = await renderPages(large, TARGETS, within({}));
  assert.match(problems[0]?.message ?? '', /larger than 2 MB/);
});

test('pages are in the order of their paths, and the log says how far rendering is', async () => {
  const files = new Map(
    Array.from({ length: 5_001 }, (_, at) => [`${at}.md`, Buffer.from(`# ${at}`)] as const),
  );
  const said: string[] = [];
  const { pages, problems } = await renderPages(files, TARGETS, {
    ...within({}),
    log: ({ message }) => said.push(message),
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    pages.map(({ file }) => file),
    [...files.keys()].sort(),
  );
  assert.deepEqual(said, ['Rendered 5,000 of 5,001 pages.']);
});

test('of pages that were rendered before, those are rendered that changed, or whose links might', async () => {
  const cache = new PageCache();
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const filesOf = (texts: Record<string, string>) =>
    new Map(Object.entries(texts).map(([file, text]) => [file, bytesOf(text)]));
  const render = async (texts: Record<string, string>) => {
    const files = filesOf(texts);
    const targets = { ...TARGETS, files: new Set(files.keys()) };
    return renderPages(files, targets, { ...within({}), cache });
  };
  const texts = { 'a.md': '# A\n\n[B](b.md)\n', 'b.md': '# B\n', 'c.md': '# C\n' };
  const first = await render(texts);
  assert.deepEqual(first.problems, []);
  const second = await render({ ...texts, 'b.md': '# New\n' });
  assert.equal(second.pages[0], first.pages[0], 'the same object: not rendered again');
  assert.equal(second.pages[2], first.pages[2]);
  assert.equal(second.pages[1]?.title, 'New');
  assert.deepEqual(await render({ ...texts, 'b.md': '# New\n' }), second);

  // What a page includes is a part of it.
  const withPart = (text: string) => ({
    'a.md': '# A\n\n{% include "snippets/part.md" %}\n',
    'b.md': '# B\n',
    'snippets/part.md': text,
  });
  const before = await render(withPart('One part.'));
  const after = await render(withPart('Another part.'));
  assert.match(before.pages[0]?.html ?? '', /One part/);
  assert.match(after.pages[0]?.html ?? '', /Another part/);
  assert.equal(after.pages[1], before.pages[1]);

  // A link may lead nowhere now, though its page is as it was.
  const alone = { 'a.md': texts['a.md'], 'c.md': texts['c.md'] };
  const broken = brokenLinks((await render(alone)).pages);
  assert.match(broken[0]?.message ?? '', /there is no `b\.md`/);
  assert.deepEqual(brokenLinks((await render(alone)).pages), broken);
});
