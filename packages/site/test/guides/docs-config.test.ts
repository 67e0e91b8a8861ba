import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDocsConfig } from '../../src/guides/docs-config.ts';
import { sitePathProblems } from '../../src/guides/site-path-problems.ts';
import { accentColors, contrast, parseColor } from '../../src/site/accent.ts';

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

const REDIRECT = { isPrefix: false, toPath: undefined, keepsRest: false, status: undefined };
const UNTITLED = { title: undefined, icon: undefined };
const PAGE = { ...UNTITLED, kind: 'page', isHidden: false };

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
announcement: { text: Version 2 is here, link: /guides/start/ }
links:
  header: [{ title: Status, url: https://status.example.com }]
  footer:
    - { title: Write to us, url: 'mailto:api@example.com' }
    - { title: Ü, url: /ü b?a=b#c }
edit: { url: 'https://github.com/acme/docs/edit/main/{path}' }
redirects:
  /old/: /guides/start
  /%C3%BC%20b: /guides/end#x
  /forum: https://forum.example.com?a="
overlays: [api/partner.yaml, ./api/eu.json]
ignore: [drafts, /README.md]
onBrokenLinks: warn
favicon: dark.png
changes:
  deprecationDays: 90
  exceptions:
    - { code: operation-removed, operation: GET /pets, reason: Nobody called it., until: 2026-12-31 }
    - { operation: POST /pets, reason: It is new., until: '2027-01-31' }
changelog: true
feedback: false
repository: { url: 'git@git.acme.example:docs.git', branch: main, folder: ./api/, host: gitlab }
`,
    [...FILES, 'api/v2.yaml', 'api/partner.yaml', 'api/eu.json'],
  );
  assert.deepEqual(whole, {
    file: 'docs.yaml',
    title: 'Docs',
    references: [
      {
        ...{ file: 'api/v2.yaml', overlays: ['api/partner.yaml', 'api/eu.json'] },
        ...{ address: undefined, title: undefined, description: undefined },
      },
    ],
    navigation: [
      {
        ...UNTITLED,
        content: [
          { ...PAGE, file: 'index.md' },
          { ...PAGE, file: 'guides/start.md' },
          {
            ...{ kind: 'group', title: 'More', icon: undefined, page: undefined },
            entries: [{ ...PAGE, file: 'guides/end.md', title: 'The end' }],
          },
        ],
      },
    ],
    color: '#abc',
    darkColor: undefined,
    fonts: [],
    css: undefined,
    logo: { light: 'logo.svg', dark: 'dark.png' },
    favicon: 'dark.png',
    announcement: { text: 'Version 2 is here', link: '/guides/start' },
    links: {
      header: [{ title: 'Status', url: 'https://status.example.com/' }],
      footer: [
        { title: 'Write to us', url: 'mailto:api@example.com' },
        { title: 'Ü', url: '/%C3%BC%20b?a=b#c' },
      ],
    },
    source: {
      edit: { url: 'https://github.com/acme/docs/edit/main/{path}' },
      repository: {
        ...{ url: 'https://git.acme.example/docs', branch: 'main', folder: 'api', host: 'gitlab' },
      },
    },
    ignore: ['drafts', 'README.md'],
    changes: {
      deprecationDays: 90,
      exceptions: [
        {
          ...{ code: 'operation-removed', operation: 'GET /pets' },
          ...{ reason: 'Nobody called it.', until: '2026-12-31', line: 29 },
        },
        {
          ...{ code: undefined, operation: 'POST /pets' },
          ...{ reason: 'It is new.', until: '2027-01-31', line: 30 },
        },
      ],
    },
    changelog: true,
    feedback: false,
    onBrokenLinks: 'warn',
    redirects: [
      { ...REDIRECT, from: '/old', to: '/guides/start', toPath: '/guides/start', line: 19 },
      { ...REDIRECT, from: '/ü b', to: '/guides/end#x', toPath: '/guides/end', line: 20 },
      { ...REDIRECT, from: '/forum', to: 'https://forum.example.com/?a=%22', line: 21 },
    ],
    variables: new Map(),
    sitePaths: [
      { path: '/guides/start', line: 11, isFree: false },
      { path: '/ü b', line: 16, isFree: false },
      { path: '/old', line: 19, isFree: true },
      { path: '/guides/start', line: 19, isFree: false },
      { path: '/ü b', line: 20, isFree: true },
      { path: '/guides/end', line: 20, isFree: false },
      { path: '/forum', line: 21, isFree: true },
    ],
  });
});

test('an announcement may be a text alone', () => {
  const { announcement, links, redirects } = config('title: D\nannouncement: Soon');
  assert.deepEqual(announcement, { text: 'Soon', link: undefined });
  assert.deepEqual([links, redirects], [{ header: [], footer: [] }, []]);
});

const LINKED: readonly [link: string, address: string, path: string][] = [
  ['/guides/start', '/guides/start', '/guides/start'],
  ['guides/start.md', '/guides/start', '/guides/start'],
  ['./guides/start.md#how it works', '/guides/start#how%20it%20works', '/guides/start'],
  ['/guides/start.md', '/guides/start', '/guides/start'],
  ['index.md', '/', '/'],
  ['more/ü b.md', '/more/%C3%BC%20b', '/more/ü b'],
];

test('links lead to pages by their paths and by their files, as links in pages do', () => {
  for (const [link, address, path] of LINKED) {
    const { announcement, links, sitePaths } = config(
      `title: D\nannouncement: { text: x, link: '${link}' }\nlinks: { header: [{ title: x, url: '${link}' }] }`,
      [...FILES, 'more/ü b.md'],
    );
    assert.equal(announcement?.link, address);
    assert.deepEqual(links.header, [{ title: 'x', url: address }]);
    assert.deepEqual(sitePaths, [
      { path, line: 2, isFree: false },
      { path, line: 3, isFree: false },
    ]);
  }
});

test('paths of the site that it does not have, and redirects from those that it has, are told', () => {
  const whole = config(`title: D
announcement: { text: x, link: /guides/strat }
redirects:
  /old: /guides/start#a
  /guides/start: /
  /gone: /nowhere
`);
  const found = sitePathProblems(whole, new Set(['/', '/guides/start']));
  assert.deepEqual(
    found.map(({ path, line, message }) => `${path}:${line}: ${message}`),
    [
      'docs.yaml:2: The site has no `/guides/strat`: did you mean `/guides/start`?',
      'docs.yaml:5: `/guides/start` is a page or a file of the site, so nothing can redirect from there: remove one of both.',
      'docs.yaml:6: The site has no `/nowhere`.',
    ],
  );
});

test('a title is enough; the document is found by its name', () => {
  assert.equal(config('title: D').references.length, 0);
  assert.equal(config('title: D', [...FILES, 'openapi.json']).references[0]?.file, 'openapi.json');
  assert.match(
    problems('title: D', [...FILES, 'openapi.json', 'openapi.yaml'])[0] ?? '',
    /openapi\.json and openapi\.yaml/,
  );
});

/** A navigation of groups in groups, the innermost with a page. */
function nested(levels: number): string {
  const lines = Array.from({ length: levels }, (_, at) => {
    const indent = ' '.repeat(2 + 4 * at);
    return `${indent}- title: Level ${at + 1}\n${indent}  pages:\n`;
  });
  return `${lines.join('')}${' '.repeat(2 + 4 * levels)}- index.md\n`;
}

test('groups stand in groups, four levels deep, and entries are pages, groups and links', () => {
  const [tab] =
    config(
      `title: D
navigation:
  - page: guides/start.mdx
    icon: rocket
    hidden: true
  - title: Payments
    icon: 💳
    page: guides/end.md
    pages:
      - { title: Status, url: https://status.example.com, icon: activity }
`,
      [...FILES, 'guides/start.mdx'],
    ).navigation ?? [];
  assert.deepEqual(tab?.content, [
    { ...PAGE, file: 'guides/start.mdx', icon: 'rocket', isHidden: true },
    {
      ...{ kind: 'group', title: 'Payments', icon: '💳', page: { ...PAGE, file: 'guides/end.md' } },
      entries: [
        { kind: 'link', title: 'Status', icon: 'activity', url: 'https://status.example.com/' },
      ],
    },
  ]);
  assert.ok(config(`title: D\nnavigation:\n${nested(4)}`));
});

test('the page for missing paths is in no list', () => {
  const found = problems('title: D\nnavigation:\n  - 404.md', [...FILES, '404.md']);
  assert.deepEqual(found, ['3: `404.md` is the page for missing paths, and is in no list.']);
});

test('tabs have pages, the reference, or a link', () => {
  const tabs = config(`title: D
navigation:
  - { tab: Guides, icon: book, pages: [index.md] }
  - { tab: API, reference: true }
  - { tab: Blog, url: https://blog.example.com }
`).navigation;
  assert.deepEqual(tabs, [
    { title: 'Guides', icon: 'book', content: [{ ...PAGE, file: 'index.md' }] },
    { title: 'API', icon: undefined, content: { reference: true } },
    { title: 'Blog', icon: undefined, content: { url: 'https://blog.example.com/' } },
  ]);
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
  ['title: A\nnavigaton: []', /^2: .*no key `navigaton`: did you mean `navigation`\?/],
  ['title: A\nzzz: []', /^2: .*no key `zzz`\.$/],
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
    'title: A\nnavigation:\n  - title: X\n    pages: [index.md]\n    icons: x',
    /^5: A group takes no key `icons`: did you mean `icon`/,
  ],
  [
    'title: A\nnavigation:\n  - page: index.md\n    icon: rokcet',
    /^4: There is no icon `rokcet`: did you mean `rocket`\?/,
  ],
  [
    'title: A\nnavigation:\n  - page: index.md\n    hidden: yes please',
    /^4: `hidden` must be `true` or `false`/,
  ],
  [`title: A\nnavigation:\n${nested(5)}`, /^11: Groups can be 4 levels deep/],
  ['title: A\nnavigation:\n  - title: X\n    url: javascript:x', /^4: A link's `url` must be/],
  ['title: A\nnavigation:\n  - url: /', /^3: A link needs a `title` and a `url`/],
  [
    'title: A\nnavigation:\n  - index.md\n  - tab: X\n    url: /',
    /^3: The navigation has tabs, so each of its entries needs a `tab`/,
  ],
  ['title: A\nnavigation:\n  - tab: X', /^3: A tab needs one of `pages`, `reference: true` and/],
  ['title: A\nnavigation:\n  - tab: X\n    reference: false', /^4: `reference` must be `true`/],
  [
    'title: A\nnavigation:\n  - { tab: X, reference: true }\n  - { tab: Y, reference: true }',
    /^4: Two tabs have `reference`/,
  ],
  [
    'title: A\nnavigation:\n  - tab: X\n    pages: [{ page: index.md, hidden: true }]',
    /^4: A tab's `pages` must have a page/,
  ],
  [
    `title: A\nnavigation:\n${'  - { tab: X, url: / }\n'.repeat(11)}`,
    /^13: The navigation has more than 10 tabs/,
  ],
  ['title: A\ntheme: { color: red }', /^2: `theme\.color` must be a colour/],
  ['title: A\ntheme: { color: "#12345" }', /^2: `theme\.color` must be a colour/],
  ['title: A\ntheme: { colors: { light: "#123" } }', /^2: `theme\.colors` needs both/],
  ['title: A\ntheme: { colors: "#123" }', /^2: `theme\.colors` must be a mapping with `light`/],
  [
    'title: A\ntheme: { colors: { light: "#123", dark: red } }',
    /^2: `theme\.colors\.dark` must be a colour/,
  ],
  [
    'title: A\ntheme: { color: "#123", colors: { light: "#123", dark: "#456" } }',
    /^2: `theme` has both `color` and `colors`/,
  ],
  ['title: A\ntheme:\n  colour: "#123"', /^3: .*did you mean `color`/],
  [
    'title: A\ntheme: { fonts: a.woff2 }',
    /^2: `theme\.fonts` must be a mapping with `body`, `code`/,
  ],
  ['title: A\ntheme: { fonts: { body: notes.txt } }', /^2: `theme\.fonts\.body` must be a WOFF2/],
  ['title: A\ntheme: { fonts: { body: a.woff2 } }', /^2: `a\.woff2` is not in the archive/],
  ['title: A\ntheme: { fonts: { sans: a.woff2 } }', /^2: `theme\.fonts` takes no key `sans`/],
  ['title: A\ntheme: { css: notes.txt }', /^2: `theme\.css` must be a CSS file/],
  ['title: A\nlogo: notes.txt', /^2: `logo` must be an SVG or PNG file/],
  ['title: A\nlogo: { light: logo.svg }', /^2: `logo` needs both/],
  ['title: A\nopenapi: notes.txt', /^2: `openapi` must be a YAML or JSON file/],
  ['title: &a A\nopenapi: *a', /^2: `openapi` must be text/],
  [`title: A\nannouncement: ${'x'.repeat(301)}`, /^2: `announcement` must be text of 1 to 300/],
  ['title: A\nannouncement: { link: / }', /^2: `announcement` needs a `text`/],
  ['title: A\nannouncement:\n  text: x\n  link: x', /^4: `announcement\.link` must be an address/],
  [
    'title: A\nannouncement:\n  text: x\n  link: guides/strat.md',
    /^4: `guides\/strat\.md` is not in the archive: did you mean `guides\/start\.md`\?/,
  ],
  ['title: A\nannouncement: { text: x, link: "" }', /^2: `announcement\.link` must be text/],
  [
    'title: A\nannouncement: { text: x, link: "#x" }',
    /^2: `announcement\.link` must be an address/,
  ],
  ['title: A\nannouncement: { text: x, link: [] }', /^2: `announcement\.link` must be text/],
  [
    'title: A\nannouncement: { text: x, link: ../index.md }',
    /^2: `\.\.\/index\.md` is not in the archive/,
  ],
  ['title: A\nignore: blog/', /^2: `ignore` must be a list/],
  ['title: A\nignore: [drafts/*.md]', /^2: An entry of `ignore` must be a file such as/],
  ['title: A\nignore:\n  - a.md\n  - ../b.md', /^4: An entry of `ignore` must be a file such as/],
  [
    'title: A\nignore: [guides]\nnavigation: [index.md, guides/start.md]',
    /^3: `guides\/start\.md` is not in the archive/,
  ],
  ['title: A\nonBrokenLinks: ignore', /^2: `onBrokenLinks` must be `fail` or `warn`/],
  ['title: A\nchanges: strict', /^2: `changes` must be a mapping with `deprecationDays`/],
  ['title: A\nchanges: { exception: [] }', /`changes` takes no key `exception`.*`exceptions`/],
  ['title: A\nchanges: { deprecationDays: -1 }', /must be a whole number of 0 to 3650 days/],
  ['title: A\nchanges: { deprecationDays: some }', /must be a whole number of 0 to 3650 days/],
  [
    'title: A\nchanges:\n  exceptions:\n    - { reason: a, until: 2026-12-31 }',
    /^4: An exception must have a `code`, an `operation`, or both/,
  ],
  [
    'title: A\nchanges: { exceptions: [{ operation: GET /a, until: 2026-12-31 }] }',
    /must have a `reason`, and a day `until` which it holds/,
  ],
  [
    'title: A\nchanges: { exceptions: [{ code: A b, reason: a, until: 2026-12-31 }] }',
    /`code` must be a code such as `operation-removed`/,
  ],
  [
    'title: A\nchanges: { exceptions: [{ operation: /a, reason: a, until: 2026-12-31 }] }',
    /`operation` must be a method and a path, such as `GET \/pets`/,
  ],
  [
    'title: A\nchanges: { exceptions: [{ operation: GET /a, reason: a, until: 2026-02-30 }] }',
    /`until` must be a day such as `2026-12-31`/,
  ],
  ['title: A\nlinks: []', /^2: `links` must be a mapping with `header`, `footer`/],
  ['title: A\nlinks: { headers: [] }', /^2: .*did you mean `header`/],
  ['title: A\nlinks: { header: { title: x } }', /^2: `links\.header` must be a list/],
  ['title: A\nlinks:\n  footer:\n    - title: x', /^4: A link needs a `title` and a `url`/],
  [
    `title: A\nlinks:\n  footer:\n${'    - { title: x, url: / }\n'.repeat(11)}`,
    /^14: `links\.footer` has more than 10 links/,
  ],
  ['title: A\nedit: https://x.example', /^2: `edit` must be `true`, `false`, or `url` with/],
  ...[
    'https://x.example/edit',
    'https://{path}/',
    'https://x{path}/{path}',
    'http://x.example/{path}',
    'https://a:b@x.example/{path}',
    '/{path}',
  ].map((url): [string, RegExp] => [
    `title: A\nedit: { url: '${url}' }`,
    /^2: `edit\.url` must be an address such as/,
  ]),
  ...[
    'javascript:alert(1)',
    'http://x.example',
    '//x.example',
    '/\\x.example',
    '/..//x.example',
    '/a%2fb',
    '/%',
    'https:x.example',
    'https://a:b@x.example',
    'guides/start',
  ].flatMap((address): [string, RegExp][] => [
    [
      `title: A\nlinks: { header: [{ title: x, url: '${address}' }] }`,
      /^2: A link's `url` must be an address/,
    ],
    [`title: A\nredirects: { /a: '${address}' }`, /^2: The target of a redirect must be a path/],
  ]),
  ['title: A\nredirects: { /a: mailto:x@example.com }', /^2: The target of a redirect must/],
  ['title: A\nredirects: [/a]', /^2: A redirect of a list must be a mapping/],
  ['title: A\nredirects: /a', /^2: `redirects` must be a mapping/],
  ['title: A\nredirects:\n  - source: /a', /^3: A redirect needs a `source` and a `destination`/],
  [
    'title: A\nredirects:\n  - { source: /a, destination: /b, permanent: 301 }',
    /^3: `permanent` must be `true` or `false`/,
  ],
  ['title: A\nredirects:\n  /a: { status: 301 }', /^3: A redirect needs a `to`/],
  ['title: A\nredirects:\n  /a: { to: /b, status: 307 }', /^3: `status` must be 301 or 302/],
  ...['/a*', '/*/b', '/a/**', '/a/:slug', '/a/:slug*/b'].map((path): [string, RegExp] => [
    `title: A\nredirects:\n  '${path}': /b`,
    /^3: In a redirect, `\*` stands at the end, after a slash/,
  ]),
  ['title: A\nredirects:\n  /a: /b/*', /^3: The target of a redirect has a `\*` where its path/],
  ['title: A\nredirects:\n  /a/*: /b?x=/*', /^3: In a redirect, `\*` stands at the end/],
  ['title: A\nredirects:\n  /a/*: https://x.example*', /^3: In a redirect, `\*` stands at the end/],
  ...['http://x.example/*', '//x.example/*', 'x/*'].map((target): [string, RegExp] => [
    `title: A\nredirects:\n  /a/*: '${target}'`,
    /^3: The target of a redirect must be a path/,
  ]),
  ['title: A\nredirects:\n  /a/*: /x\n  /a/:rest*: /y', /^4: `\/a\/\*` is redirected twice/],
  ['title: A\nredirects:\n  a: /b', /^3: A redirect must begin at a path/],
  ['title: A\nredirects:\n  "/a?b": /b', /^3: A redirect must begin at a path/],
  ['title: A\nredirects:\n  https://x.example/: /b', /^3: A redirect must begin at a path/],
  ['title: A\nredirects:\n  /.well-known/x: /b', /^3: `\/\.well-known\/` belongs/],
  ['title: A\nredirects:\n  /a: /x\n  /a/: /y', /^4: `\/a` is redirected twice/],
  ['title: A\nredirects:\n  /a: /a#b', /^3: .*form a loop: `\/a` → `\/a`\./],
  [
    'title: A\nredirects:\n  /a: /b\n  /b: /c\n  /c: /b?x',
    /^4: The redirects form a loop: `\/b` → `\/c` → `\/b`\./,
  ],
  [
    `title: A\nredirects:\n${Array.from({ length: 1_001 }, (_, at) => `  /${at}: /x\n`).join('')}`,
    /^1003: `redirects` has more than 1,000/,
  ],
  ['title: A\nvariables: [a]', /^2: `variables` must be a mapping/],
  ['title: A\nvariables:\n  a b: c', /^3: The name of a variable has letters/],
  ['title: A\nvariables:\n  a: { b: c }', /^3: The variable `a` must be text/],
  ['title: A\nvariables:\n  a: "b\\nc"', /^3: The variable `a` must be one line/],
  [`title: ${'['.repeat(30_000)}`, /nested too deeply/],
  [`title: ${'x'.repeat(270_000)}`, /larger than 256 KB/],
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

test('overlays are files of the archive, for a document that is there', () => {
  const files = [...FILES, 'openapi.yaml', 'a.yaml'];
  assert.deepEqual(config('title: T', files).references[0]?.overlays, []);
  assert.deepEqual(problems('title: T\noverlays: a.yaml', files), [
    '2: `overlays` must be a list.',
  ]);
  assert.deepEqual(problems('title: T\noverlays: [b.yaml, notes.txt]', files), [
    '2: `b.yaml` is not in the archive: did you mean `a.yaml`?',
    '2: An overlay must be a YAML or JSON file, not `notes.txt`.',
  ]);
  assert.deepEqual(problems('title: T\noverlays: [a.yaml]', [...FILES, 'a.yaml']), [
    '2: `overlays` change an OpenAPI document, and there is none: name it with `openapi`.',
  ]);
});
