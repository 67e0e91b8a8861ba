import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { levelOf } from '@petstore/site/rules.ts';
import { type BuildInput, findingText } from '../../../server/src/deploys/artifact.ts';
import { tarGzOf, tarOf, zipOf } from '../../support/archives.ts';
import { buildInMemory, textOf } from '../../support/build-site.ts';
import { folderFiles } from '../../support/folder-files.ts';
import '../../support/compressions.ts';

const PARCELS = fileURLToPath(new URL('fixtures/parcels', import.meta.url));

type Files = ReadonlyMap<string, string | Uint8Array>;

const entries = (files: Files) => [...files].map(([name, content]) => ({ name, content }));

async function build(files: Files, kind: 'tar.gz' | 'zip' = 'zip', bytes?: Uint8Array) {
  const lines: string[] = [];
  const packed = bytes ?? (kind === 'zip' ? zipOf(entries(files)) : await tarGzOf(entries(files)));
  const publication = { now: '2026-11-30T09:00:00Z' };
  const input: BuildInput = { kind, bytes: packed, name: 'docs', publication };
  const result = await buildInMemory(input, (line) => {
    lines.push('rule' in line ? `${levelOf(line.rule)}: ${findingText(line)}` : line.message);
  });
  return { result, lines };
}

async function built(files: Files) {
  const { result, lines } = await build(files);
  assert.ok('artifact' in result, JSON.stringify(result));
  const { artifact } = result;
  const { manifest, hash } = artifact;
  return { manifest, text: (path: string) => textOf(artifact, path), lines, hash };
}

async function problems(files: Files) {
  const { result } = await build(files);
  assert.ok('problems' in result, 'it was built');
  return result.problems.map(({ path, line, message }) => `${path}:${line} ${message}`);
}

const pages = (...names: string[]): Files =>
  new Map([['docs.yaml', 'title: T'], ...names.map((name) => [name, `# ${name}`] as const)]);

const OVERLAY = `overlay: 1.0.0
info: {title: For partners, version: '1'}
actions:
  - {target: $.info, update: {title: Partner API}}
  - {target: $.paths.*.delete, remove: true}
  - {target: $.paths.*.put, update: {x-badges: [{name: New}]}}
`;

test('overlays of docs.yaml are applied to the document, the one that readers download, too', async () => {
  const config = 'title: T\nopenapi: openapi.json\noverlays: [partner.yaml]';
  const operation = (operationId: string) => ({ operationId, summary: operationId, responses: {} });
  const paths = { '/a': { get: operation('getA'), delete: operation('deleteA') } };
  const document = { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths };
  const files = new Map([
    ['docs.yaml', config],
    ['openapi.json', JSON.stringify(document)],
    ['partner.yaml', OVERLAY],
  ]);
  const { manifest, text, lines } = await built(files);
  const pages = Object.keys(manifest.files).filter((path) => path.includes('/operations/'));
  assert.deepEqual(
    pages.filter((path) => !path.endsWith('.md')),
    ['/reference/operations/getA'],
  );
  assert.match(text('/'), /<h1>Partner API<\/h1>/);
  assert.equal(JSON.parse(text('/openapi.json')).info.title, 'Partner API');
  assert.ok(!manifest.files['/partner.yaml']);
  assert.ok(
    lines.some((line) => /^warning: .*partner\.yaml.*\$\.paths\.\*\.put/s.test(line)),
    lines.join('\n'),
  );

  const broken = new Map(files).set('partner.yaml', OVERLAY.replace('actions', 'action'));
  assert.deepEqual(await problems(broken), [
    'partner.yaml:1 `actions` is missing: each has a `target`, and `update` or `remove`.',
  ]);
});

test('a folder of documentation becomes a site', async () => {
  const { manifest, text, lines } = await built(await folderFiles(PARCELS));
  assert.equal(manifest.title, 'Parcel API');
  for (const path of [
    '/',
    '/guides/quickstart',
    '/guides/quickstart.md',
    '/languages/ja',
    '/reference',
    '/openapi.json',
    '/openapi.yaml',
    '/llms.txt',
    '/llms-full.txt',
    '/404.html',
    '/favicon.svg',
    '/images/phone.png',
    '/downloads/sample.csv',
  ]) {
    assert.ok(manifest.files[path], path);
  }
  const operations = Object.keys(manifest.files).filter((path) =>
    /^\/reference\/(?:parcels|labels)\/\w+$/.test(path),
  );
  assert.equal(operations.length, 5);
  assert.equal(manifest.files['/images/phone.png']?.type, 'image/png');
  assert.equal(manifest.files['/sitemap.xml']?.template, true);
  assert.equal(manifest.files['/docs.yaml'], undefined);
  assert.match(manifest.contentSecurityPolicy, /script-src 'self'[;]/);
  assert.match(text('/guides/quickstart'), /<title>Quickstart · Parcel API<\/title>/);
  assert.match(text('/guides/quickstart'), /rel="prev" href="\/"/);
  assert.match(text('/guides/quickstart'), /rel="next" href="\/guides\/authentication"/);
  assert.match(text('/guides/webhooks'), /aria-current="page">Webhooks<\/a>/);
  assert.match(text('/reference'), /class="site-search"/);
  assert.match(text('/llms.txt'), /\/guides\/quickstart\.md\): From an empty folder/);
  assert.match(text('/llms.txt'), /POST \/parcels/);
  assert.match(text('/sitemap.xml'), /\{\{origin\}\}\/languages\/ja</);
  assert.ok(lines.includes('Rendered 9 pages.'), lines.join('\n'));
});

test('scripts come from files of the site alone, whose names change with their content', async () => {
  const { manifest, text } = await built(await folderFiles(PARCELS));
  for (const [path, { type }] of Object.entries(manifest.files)) {
    // The page of a window that OAuth opens has a name that is registered elsewhere.
    if (!type.startsWith('text/html') || path === '/_assets/oauth-callback.html') continue;
    for (const [tag] of text(path).matchAll(/<script[^>]*>[^<]/g)) {
      assert.match(tag, /type="application\/json"/, path);
    }
    for (const [, address = ''] of text(path).matchAll(
      /<(?:script|link rel="stylesheet")[^>]+(?:src|href)="([^"]+)"/g,
    )) {
      assert.ok(manifest.files[address], `${path} loads ${address}`);
      assert.equal(manifest.files[address]?.immutable, true, address);
    }
  }
  const shared = (files: object) =>
    Object.keys(files).filter((path) =>
      /\/_assets\/(?:site|search|theme|panel|snippets)-.*(?:js|css)$/.test(path),
    );
  const other = await built(pages('a.md'));
  assert.deepEqual(shared(other.manifest.files), shared(manifest.files));
  assert.equal(shared(manifest.files).length, 7);
});

test('the same files give the same artifact, in any order, format and folder, at any time', async () => {
  const files = await folderFiles(PARCELS);
  const reversed = entries(files).reverse();
  const archives = [
    ['zip', zipOf(entries(files))],
    [
      'zip',
      zipOf(reversed.map((entry) => ({ ...entry, name: `out/${entry.name}`, stored: true }))),
    ],
    ['tar.gz', await tarGzOf(entries(files))],
    [
      'tar.gz',
      gzipSync(
        await tarOf(reversed.map((entry) => ({ ...entry, mtime: new Date(1e12), mode: 0o600 }))),
        { level: 1 },
      ),
    ],
  ] as const;
  const hashes = [];
  for (const [kind, bytes] of archives) {
    const { result } = await build(files, kind, bytes);
    assert.ok('artifact' in result);
    hashes.push(result.artifact.hash);
  }
  assert.equal(new Set(hashes).size, 1, hashes.join());
});

test('without docs.yaml the document is built alone; without both, the problem shows what is needed', async () => {
  const files = await folderFiles(PARCELS);
  const openapi = files.get('openapi.yaml') ?? '';
  const { manifest, text } = await built(
    new Map([
      ['openapi.yaml', openapi],
      ['README.md', '# R'],
    ]),
  );
  assert.equal(manifest.title, 'Parcel API');
  assert.match(text('/'), /<h1[^>]*>Parcel API<\/h1>/);
  assert.equal(manifest.files['/README'], undefined);
  const [problem] = await problems(new Map([['notes.txt', 'x']]));
  assert.match(problem ?? '', /docs:null .*docs\.yaml.*title: My API$/s);
});

test('without pages the reference is the start page; without a document there is none', async () => {
  const openapi = (await folderFiles(PARCELS)).get('openapi.yaml') ?? '';
  const alone = await built(
    new Map([
      ['docs.yaml', 'title: T'],
      ['openapi.yaml', openapi],
    ]),
  );
  assert.match(alone.text('/'), /<h1[^>]*>Parcel API<\/h1>/);
  assert.equal(alone.manifest.files['/reference'], undefined);
  const guides = await built(pages('b.md', 'a.md'));
  assert.match(guides.text('/'), /<h1 id="amd">a\.md<\/h1>/);
  assert.equal(guides.manifest.files['/reference'], undefined);
  assert.equal(guides.manifest.files['/openapi.json'], undefined);
  assert.doesNotMatch(guides.manifest.contentSecurityPolicy, /unsafe/);
  assert.match(
    (await problems(new Map([['docs.yaml', 'title: T']])))[0] ?? '',
    /nothing to publish/,
  );
});

test('what is wrong with documents and pages is told with file and line, in their order', async () => {
  const files = new Map<string, string>([
    ['docs.yaml', 'title: T'],
    ['a.md', '[y](b.md#gone)\n\n[x](gone.md)'],
    ['b.md', '[x](a.md#gone)'],
  ]);
  const found = await problems(files);
  assert.match(found[0] ?? '', /^a\.md:1 .*no `#gone`/);
  assert.match(found[1] ?? '', /^a\.md:3 .*`gone\.md` is broken: there is no/);
  assert.match(found[2] ?? '', /^b\.md:1 .*no `#gone`/);
});

test('broken links are warnings where the configuration says so', async () => {
  const files = new Map<string, string>([
    ['docs.yaml', 'title: T\nonBrokenLinks: warn\nredirects: { /old: /b, /was/*: /b }'],
    ['a.md', '[y](b.md#gone)\n\n[x](gone.md) [old](/old) [was](/was/here)'],
    ['b.md', '# B'],
  ]);
  const { lines, text } = await built(files);
  const found = lines.filter((line) => /^warning: .*The link/.test(line));
  assert.equal(found.length, 2, found.join('\n'));
  assert.match(found[0] ?? '', /a\.md.*no `#gone`/);
  assert.match(found[1] ?? '', /a\.md.*`gone\.md` is broken: there is no/);
  assert.match(text('/a'), /href="\/old"[^>]*>old<[\s\S]*href="\/was\/here"/);
});

test('of the broken links and images that are told, each says what was meant', async () => {
  const numbers = Array.from({ length: 60 }, (_, at) => at);
  const broken = numbers.map((at) => `[x](guides/topic-${at}x.md) ![y](images/flow-${at}x.svg)`);
  const { lines } = await built(
    new Map([
      ['docs.yaml', 'title: T\nonBrokenLinks: warn'],
      ['a.md', broken.join('\n\n')],
      ...numbers.map((at) => [`guides/topic-${at}.md`, '# Topic'] as const),
      ...numbers.map((at) => [`images/flow-${at}.svg`, '<svg/>'] as const),
    ]),
  );
  const told = lines.filter((line) => line.startsWith('warning: a.md'));
  assert.equal(told.length, 100);
  for (const line of told)
    assert.match(line, /(?:topic|flow)-(\d+)x\.(\w+)`.*did you mean `[a-z/]+-\1\.\2`\?/);
});

test('a link to a folder leads to its page, however the name of its file is written', async () => {
  const { text } = await built(
    new Map([
      ['docs.yaml', 'title: T'],
      ['index.md', '[one](/lower) [two](UPPER/) [three](/lower#here) [four](loud)'],
      ['lower/readme.md', '# Here\n\n[self](../lower/)'],
      ['UPPER/INDEX.md', '# There\n\n[other](../lower)'],
      ['loud.MD', '# Loud'],
    ]),
  );
  for (const href of ['/lower', '/UPPER', '/lower#here', '/loud'])
    assert.ok(text('/').includes(`href="${href}"`), href);
  assert.match(text('/lower'), /href="\/lower">self/);
  assert.match(text('/UPPER'), /href="\/lower">other/);
});

test('the icon of a site may be a PNG anywhere, which /favicon.ico leads to', async () => {
  const { manifest, text } = await built(
    new Map([
      ['docs.yaml', 'title: T\nfavicon: images/icon.png'],
      ['a.md', '# A'],
      ['images/icon.png', 'PNG'],
    ]),
  );
  assert.match(text('/a'), /<link rel="icon" href="\/images\/icon\.png">/);
  assert.equal(manifest.files['/images/icon.png']?.type, 'image/png');
  assert.deepEqual(manifest.redirects?.['/favicon.ico'], { to: '/images/icon.png', status: 302 });
  const wrong = new Map([
    ['docs.yaml', 'title: T\nfavicon: a.md'],
    ['a.md', '# A'],
  ]);
  assert.deepEqual(await problems(wrong), [
    'docs.yaml:2 `favicon` must be an SVG, PNG or ICO file, not `a.md`.',
  ]);
});

test('ignored files and folders are no part of the site', async () => {
  const files = new Map<string, string>([
    ['docs.yaml', 'title: T\nignore: [README.md, /blog, drafts/]'],
    ['a.md', '# A'],
    ['blogs.md', '# Blogs'],
    ['README.md', '[gone](gone.md)'],
    ['blog/post.md', '[gone](gone.md)'],
    ['drafts/picture.svg', '<svg/>'],
  ]);
  const { manifest } = await built(files);
  const paths = Object.keys(manifest.files);
  for (const path of ['/a', '/blogs']) assert.ok(paths.includes(path), path);
  for (const path of ['/README', '/blog/post', '/drafts/picture.svg'])
    assert.ok(!paths.includes(path), path);
});

test('all that is wrong with the configuration, the document and the pages is told at once', async () => {
  const files = new Map<string, string>([
    ['docs.yaml', 'title: T\ncolour: red\nnavigation: [a.md, gone.md]'],
    ['openapi.yaml', 'openapi: 3.1.0\ninfo: {titel: T, version: "1"}\n'],
    ['a.md', '[x](b.md)\n\n[y](/reference#tag/any) [z](operation:any)'],
    ['c.md', '---\ntitle: [\n---\n'],
  ]);
  const found = await problems(files);
  const wanted = [
    /^docs\.yaml:2 .*no key `colour`/,
    /^docs\.yaml:3 `gone\.md` is not in the archive/,
    /^:1 The document must have `paths`/,
    /^\/info:2 .*must have `title`\. It has `titel` on line 2/,
    /^a\.md:1 .*there is no `b\.md`/,
    /^c\.md:\d /,
  ];
  assert.equal(found.length, wanted.length, found.join('\n'));
  for (const [at, says] of wanted.entries()) assert.match(found[at] ?? '', says);

  const broken = await problems(new Map([...files, ['docs.yaml', 'title: "T\nopenapi: x.yaml']]));
  assert.match(broken[0] ?? '', /^docs\.yaml:1 The closing quote/);
  assert.ok(
    broken.some((problem) => problem.startsWith('a.md:1')),
    broken.join('\n'),
  );
});

test('a document of docs.yaml is published with the files that it refers to', async () => {
  const files = await folderFiles(PARCELS);
  const openapi = Buffer.from(files.get('openapi.yaml') ?? '')
    .toString()
    .replace("'#/components/schemas/Parcel'", "'./schemas/parcel.yaml'")
    .replace("'#/components/schemas/Parcel'", "'./schemas/gone.yaml'");
  const { lines, text } = await built(
    new Map<string, string | Uint8Array>([
      ...files,
      ['openapi.yaml', openapi],
      ['schemas/parcel.yaml', 'type: object'],
    ]),
  );
  assert.match(lines.join('\n'), /^warning: \/paths.*There is no file `\.\/schemas\/gone\.yaml`/m);
  assert.doesNotMatch(lines.join('\n'), /Not published.*parcel\.yaml/);
  assert.deepEqual(JSON.parse(text('/openapi.json')).components.schemas.parcel, { type: 'object' });
});

test('without docs.yaml the only OpenAPI document is published, wherever it is', async () => {
  const document = (title: string, more = '') =>
    `openapi: 3.1.0\ninfo: {title: ${title}, version: "1"}\npaths: {}\n${more}`;
  const one = await built(
    new Map([
      ['specs/payments.yml', document('Payments', 'x: {$ref: other.yaml#/paths}\n')],
      ['specs/other.yaml', document('Other')],
      ['specs/notes.yaml', 'about: "openapi: 3.1.0"\nof: {openapi: 3.1.0}\n'],
      ['README.md', 'openapi: 3.1.0'],
    ]),
  );
  assert.match(one.text('/'), /Payments/);
  const several = new Map([
    ['a.yaml', document('A')],
    ['b/c.json', '{"swagger": "2.0", "info": {"title": "C", "version": "1"}, "paths": {}}'],
  ]);
  assert.deepEqual(await problems(several), [
    'docs:null The archive has 2 OpenAPI documents: `a.yaml`, `b/c.json`. Name those that are published in a `docs.yaml`; one alone as `openapi: a.yaml`, several as:\n\ntitle: My API\nreferences:\n  - openapi: a.yaml\n  - openapi: b/c.json',
  ]);
  assert.match((await problems(new Map([['a.yaml', 'a: 1']])))[0] ?? '', /nor an OpenAPI document/);
});

test('pages that nothing publishes are told, and whose configuration there is', async () => {
  const document = JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} },
  });
  const warningsOf = async (others: readonly string[]) => {
    const files = new Map([
      ['openapi.json', document],
      ...others.map((one) => [one, 'x'] as const),
    ]);
    const { lines } = await built(files);
    return lines.filter((line) => line.startsWith('warning'));
  };
  assert.deepEqual(await warningsOf(['logo.txt']), []);
  assert.deepEqual(await warningsOf(['a.mdx', 'b/c.md', 'docs.json']), [
    "warning: 2 pages (.md, .mdx), such as `a.mdx`, are not published, since there is no `docs.yaml`. `docs.json` is a configuration of Mintlify's. A `docs.yaml` with a `title` is enough.",
  ]);
  assert.match((await warningsOf(['README.md'])).join(), /1 page .* is not published/);
});

const ONE_OPERATION = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'A', version: '1' },
  paths: { '/a': { get: { operationId: 'getA', summary: 'A', responses: {} } } },
});

test('addresses that two files would have are refused', async () => {
  const cases: readonly [Files, RegExp][] = [
    [pages('guides.md', 'guides/index.md'), /`\/guides`, where `guides\.md` is/],
    [pages('a.md', '_assets/x.md'), /which the site itself has/],
    [pages('a.md', '404.html.md'), /`\/404\.html`, which the site itself has/],
    [pages('index.md', 'index/README.md'), /^index\/README\.md:.*`\/index\.md`, which the site/],
    [pages('a.md', 'index/index.md'), /^index\/index\.md:.*`\/index\.md`, which the site itself/],
    [pages('a.md', 'a.md.md'), /^a\.md\.md:.*`\/a\.md`, where `a\.md` is/],
    [
      new Map([...pages('changelog.md.md'), ['changelog/2020-01-01.md', 'New.']]),
      /^changelog\.md\.md:.*`\/changelog\.md`, which the site itself has/,
    ],
    [
      new Map([...pages('reference/operations/getA.md.md'), ['openapi.json', ONE_OPERATION]]),
      /`\/reference\/operations\/getA\.md`, which the site itself has/,
    ],
  ];
  for (const [files, problem] of cases) assert.match((await problems(files))[0] ?? '', problem);
  await built(pages('README.md', 'guides/README.md', 'guides/index.md'));
  await built(pages('index.md', 'index/start.md', '_a/index.md', '_a.md'));
});

test('what nobody means to publish is left out, and the log tells', async () => {
  const { manifest, lines } = await built(
    new Map([
      ...pages('a.md', 'b.md'),
      ['docs.yaml', 'title: T\nnavigation: [a.md]'],
      ['.env', 'SECRET=1'],
      ['.git/config', 'x'],
      ['notes.json', '{}'],
      ['page.html', '<script>alert(1)</script>'],
      ['pic.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ]),
  );
  for (const path of ['/.env', '/.git/config', '/notes.json', '/page.html']) {
    assert.equal(manifest.files[path], undefined, path);
  }
  assert.equal(manifest.files['/pic.svg']?.type, 'image/svg+xml');
  assert.ok(lines.some((line) => /2 files whose names begin with a dot: \.env/.test(line)));
  assert.ok(lines.some((line) => /Not published.*notes\.json, page\.html/.test(line)));
  assert.ok(lines.some((line) => /^warning: b\.md is published, but the navigation/.test(line)));
});

test('of very many problems in pages fifty are told, and the others counted', async () => {
  const page = '[x](gone.md)\n\n'.repeat(80);
  const found = await problems(
    new Map([
      ['docs.yaml', 'title: T'],
      ['a.md', page],
    ]),
  );
  assert.equal(found.length, 51);
  assert.match(found[50] ?? '', /And 30 more problems/);
});

test('of very many warnings fifty are in the log, each once, and the others counted', async () => {
  const image = (at: number) => `![](https://elsewhere.example/${at}.png)`;
  const images = Array.from({ length: 1_000 }, (_, at) => image(at % 500));
  const { lines } = await built(
    new Map([
      ['docs.yaml', 'title: T'],
      ['a.md', `# A\n\n${images.join('\n')}`],
    ]),
  );
  const warnings = lines.filter((line) => line.startsWith('warning'));
  assert.equal(warnings.length, 51);
  assert.match(warnings[50] ?? '', /^warning: And 450 others of this rule/);
});

test('redirects of prefixes get into the artifact, and those above pages are warnings', async () => {
  const log: string[] = [];
  const build = (redirects: string) =>
    buildInMemory(
      {
        kind: 'zip',
        name: 'docs.zip',
        bytes: zipOf([
          { name: 'docs.yaml', content: `title: D\nredirects:\n${redirects}` },
          { name: 'index.md', content: '# Start\n' },
          { name: 'guides/start.md', content: '# Guide\n' },
        ]),
      },
      (line) => 'rule' in line && log.push(findingText(line)),
    );
  const made = await build('  /old/*: { to: /none/*, status: 302 }\n  /none/*: /\n');
  assert.ok('problems' in made);
  assert.deepEqual(made.problems, [
    {
      message: '`/old/*` leads to another redirect: write its last target, `/`.',
      ...{ path: 'docs.yaml', line: 3 },
    },
  ]);
  const sound = await build('  /old/*: { to: /guides/*, status: 302 }\n  /*: /guides/start\n');
  assert.ok('artifact' in sound, JSON.stringify(sound));
  assert.deepEqual(sound.artifact.manifest.redirectPrefixes, {
    '/': '/guides/start',
    '/old/': { to: '/guides/', status: 302, keepsRest: true },
  });
  assert.match(log.at(-1) ?? '', /^docs\.yaml:4: `\/\*` has 2 pages of the site below it/);
});

test('variables stand for their texts, in code too; unknown ones stay, and are told', async () => {
  const page =
    '# {{product}}\n\nCosts {{ price }}, {{prise}}.\n\n```sh\ncurl {{base-url}}/pets\n```\n';
  const config =
    'title: T\nvariables:\n  product: Pets & *more*\n  price: $5\n  base-url: https://api.example.com\n';
  const site = await built(
    new Map([
      ['docs.yaml', config],
      ['a.md', page],
      ['b.md', '{{constructor}}\n'],
    ]),
  );
  assert.match(site.text('/a'), /<h1[^>]*>Pets &#x26; <em>more<\/em>/);
  assert.match(site.text('/a'), /Costs \$5, \{\{prise\}\}\./);
  assert.match(site.text('/a'), /https:\/\/api\.example\.com\/pets/);
  assert.match(site.text('/a.md'), /curl https:\/\/api\.example\.com\/pets/);
  const told = site.lines.filter((line) => line.includes('variable'));
  assert.deepEqual(told, [
    'warning: a.md:3: There is no variable `prise`, so `{{prise}}` is shown as it is: did you mean `price`?',
    'warning: b.md:1: There is no variable `constructor`, so `{{constructor}}` is shown as it is.',
  ]);
  const plain = await built(
    new Map([
      ['docs.yaml', 'title: T'],
      ['a.md', page],
    ]),
  );
  assert.ok(!plain.lines.some((line) => line.includes('variable')), 'where a site has none');
});

test('a title may be a number or a word that YAML takes for something else', async () => {
  const { text } = await built(
    new Map([
      ['docs.yaml', 'title: T\nnavigation: [a.md, b.md]'],
      ['a.md', '---\ntitle: 2.0\nsidebarTitle: 1.10\ndescription: yes\n---\n\nText.'],
      ['b.md', '---\ntitle: true # or not\n---\n\nText.'],
      ['changelog/2020-02-01.md', '---\ntitle: 2.0\ndescription: 0x10\n---\n\nNew.'],
    ]),
  );
  assert.match(text('/a'), /<title>2\.0 · T<\/title>/);
  assert.match(text('/a'), /<h1>2\.0<\/h1><p class="docs-lead">yes<\/p>/);
  assert.match(text('/b'), /<title>true · T<\/title>/);
  assert.match(text('/b'), />1\.10<\/a>/);
  assert.match(text('/changelog'), /<h3>2\.0<\/h3><p class="log-about">0x10<\/p>/);
  assert.match(text('/changelog/atom.xml'), /<title>2\.0<\/title>/);
});

test('a link to a note that no reader sees is a problem, and so is one to a heading that a note lacks', async () => {
  const files = (page: string, more: Record<string, string> = {}): Files =>
    new Map([
      ['docs.yaml', 'title: T'],
      ['index.md', `# T\n\n${page}`],
      ['changelog/2999-01-01.md', '# Later\n\n[Another](2999-01-02.md)'],
      ['changelog/2999-01-02.md', '# Later still'],
      ['changelog/2020-01-01-draft.md', '---\nhidden: true\n---\n\n# Draft'],
      ...Object.entries(more),
    ]);
  const note = { 'changelog/2020-01-02.md': '# New\n\n## How\n\n[a](#how) [b](2020-01-02.md)' };
  assert.deepEqual(
    await problems(
      files(
        [
          '[a](changelog/2999-01-01.md)',
          '[b](/changelog/2020-01-01-draft)',
          '[c](changelog/2020-01-02.md#hwo)',
          '[d](changelog/2020-01-02.md#how) [e](changelog/2020-01-02.md)',
        ].join('\n\n'),
        note,
      ),
    ),
    [
      'index.md:3 The link `changelog/2999-01-01.md` leads to a note that readers do not see: the day of `changelog/2999-01-01.md` has not come.',
      'index.md:5 The link `/changelog/2020-01-01-draft` leads to a note that readers do not see: `changelog/2020-01-01-draft.md` is hidden.',
      'index.md:7 The link `changelog/2020-01-02.md#hwo` leads to no heading: `changelog/2020-01-02.md` has no `#hwo`: did you mean `how`?',
    ],
  );
  await built(files('Nothing.', note));
  // What is there of notes is hidden, or of the future.
  const { manifest, text } = await built(files('Nothing.'));
  assert.equal(manifest.files['/changelog'], undefined);
  assert.doesNotMatch(text('/'), /href="\/changelog"/);
});

test('the addresses in a snippet lead where it says, whichever page includes it', async () => {
  const snippet = [
    '[a](../guides/b.md)',
    '![b](../images/p.svg)',
    '<Card title="c" href="../guides/b" img="../images/p.svg" icon="../images/p.svg">Card</Card>',
    '<img src="../images/p.svg" alt="d">',
    "<a href='../guides/b.md'>e</a>",
    '<Frame><img src="../images/p.svg" alt="f" /></Frame>',
    '<File src="../files/x.csv" />',
    'Text <a title=" href=\'x\'" href="../guides/b.md">g</a>.',
    '<Card title="h" href={to}>Card</Card>',
  ].join('\n\n');
  const { text } = await built(
    new Map([
      ['docs.yaml', 'title: T'],
      ['index.md', 'import S from "/snippets/s.md"\n\n# T\n\n<S to="guides/b.md" />'],
      ['x/y/page.md', 'import S from "/snippets/s.md"\n\n# T\n\n<S to="../../guides/b.md" />'],
      ['guides/b.md', '# B'],
      ['images/p.svg', '<svg/>'],
      ['files/x.csv', 'x'],
      ['snippets/s.md', snippet],
    ]),
  );
  const addresses = (path: string) => {
    const [article = ''] = /<article[\s\S]*<\/article>/.exec(text(path)) ?? [];
    const found = article.matchAll(/(?:href|src)="(\/(?:guides|images|files)\/[^"]*)"/g);
    return [...found].map(([, address]) => address);
  };
  const [page, image] = ['/guides/b', '/images/p.svg'];
  for (const path of ['/', '/x/y/page'])
    assert.deepEqual(
      addresses(path),
      [page, image, image, image, page, image, page, image, '/files/x.csv', page, page],
      path,
    );
});
