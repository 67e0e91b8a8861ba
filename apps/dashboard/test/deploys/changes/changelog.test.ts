import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { deployFiles } from '../../support/guides.ts';
import { createProject, deploy } from '../../support/project.ts';
import { json, startService } from '../../support/service.ts';
import { fetchFromSite } from '../../support/site.ts';

const TAKEN = 'The same files were built before: the result of that build is taken, and its log:';

/** A document with these operations, each with what is given. */
const petsWith = (version: string, paths: Readonly<Record<string, object>>, more: object = {}) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operation]) => [
        path,
        {
          get: {
            operationId: `get${path.replaceAll('/', '-')}`,
            tags: ['animals'],
            responses: { 200: { description: 'Done.' } },
            ...operation,
          },
        },
      ]),
    ),
    ...more,
  });

async function setUp(t: TestContext) {
  const clock = { now: Date.parse('2026-03-01T10:00:00Z') };
  const service = await startService(t, {}, { now: () => clock.now });
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  return {
    ...{ service, root, url, clock },
    nextDay: () => {
      clock.now += 86_400_000;
    },
    get: (path: string, site = url) => fetchFromSite(`${site}${path}`),
    log: async ({ id }: Deploy) => {
      const path = `/api/projects/pets/deploys/${id}/log`;
      const { items } = await json<{ items: { message: string }[] }>(await root.call('GET', path));
      return items.map(({ message }) => message);
    },
  };
}

const DEPRECATED = { deprecated: true, 'x-deprecated-sunset': '2027-01-31' };

/** The days of a changelog, the newest first. */
const daysOf = (page: string) =>
  [...page.matchAll(/<section class="log-day" id="([\d-]+)"/g)].map(([, day]) => day);

onBothEngines('a site tells what changes in its API, by day and version', async (t) => {
  const { root, get, nextDay, url } = await setUp(t);
  await deploy(root, 'pets', petsWith('1.0.0', { '/pets': {}, '/owners': {} }));
  assert.equal((await get('/changelog')).status, 404);
  assert.doesNotMatch((await get('/')).body, /changelog/i);

  nextDay();
  const second = { '/pets': { parameters: [{ name: 'limit', in: 'query' }] }, '/shops': {} };
  await deploy(root, 'pets', petsWith('2.0.0', second));
  const { status, body } = await get('/changelog');
  assert.equal(status, 200);
  assert.deepEqual(daysOf(body), ['2026-03-02']);
  assert.match(body, /Version 2\.0\.0<\/h3>[\s\S]*Before: 1\.0\.0/);
  assert.match(body, /Breaking[\s\S]*\/owners[\s\S]*Was removed\.[\s\S]*Compatible/);
  assert.match(body, /<a class="log-operation" href="\/reference\/animals\/get-shops">/);
  assert.doesNotMatch(body, /href="\/reference\/animals\/get-owners"/);
  // Every page leads there.
  const page = (await get('/reference/animals/get-shops')).body;
  assert.match(page, /<nav class="site-links"[^>]*><a href="\/changelog">Changelog<\/a>/);
  assert.match(page, /<link rel="alternate" type="application\/atom\+xml"[^>]*atom\.xml">/);
  const [, anchor] = /Added <a href="\/changelog#(2026-03-02-[0-9a-f]{8})"/.exec(page) ?? [];
  assert.ok(anchor && body.includes(`id="${anchor}"`), anchor);
  assert.match((await get('/reference/animals/get-pets')).body, />Changed <a href="\/changelog#/);

  nextDay();
  await deploy(root, 'pets', petsWith('2.1.0', { ...second, '/shops': DEPRECATED }));
  assert.deepEqual(daysOf((await get('/changelog')).body), ['2026-03-03', '2026-03-02']);
  const shops = (await get('/reference/animals/get-shops')).body;
  assert.match(shops, /Added <a[^>]*><time datetime="2026-03-02">/);
  assert.match(shops, /Deprecated since <a[^>]*><time datetime="2026-03-03">/);
  assert.match(shops, /Will be removed on <a[^>]*><time datetime="2027-01-31">/);
  assert.match(
    (await get('/reference/animals/get-shops.md')).body,
    /Added \[2026-03-02\]\(\/changelog\.md\), Deprecated since \[2026-03-03\]/,
  );

  // Whoever looks for pages finds it.
  assert.match(
    (await get('/changelog.md')).body,
    /## 2026-03-03\n\n### Version 2\.1\.0\n\nBefore: 2\.0\.0/,
  );
  assert.match((await get('/sitemap.xml')).body, /\/changelog<\/loc><lastmod>2026-03-03T/);
  assert.match(
    (await get('/llms.txt')).body,
    /## Changelog\n\n- \[Changelog\]\(http.*changelog\.md/,
  );
  assert.match((await get('/llms-full.txt')).body, /# Changelog\n/);
  const feed = JSON.parse((await get('/changelog/feed.json')).body);
  assert.equal(feed.feed_url, `${url}/changelog/feed.json`);
  assert.deepEqual(
    feed.items.map(({ title, date_published }: Record<string, string>) => [title, date_published]),
    [
      ['Version 2.1.0: 2 compatible', '2026-03-03T10:00:00Z'],
      ['Version 2.0.0: 1 breaking, 2 compatible', '2026-03-02T10:00:00Z'],
    ],
  );
});

onBothEngines('the changelog goes with the deploys: back, in versions, in previews', async (t) => {
  const { root, get, nextDay, url } = await setUp(t);
  const paths = { '/pets': {} };
  await deploy(root, 'pets', petsWith('1', paths));
  nextDay();
  const second = await deploy(root, 'pets', petsWith('2', { ...paths, '/shops': {} }));
  nextDay();
  await deploy(root, 'pets', petsWith('3', { ...paths, '/shops': {}, '/vets': {} }));
  assert.deepEqual(daysOf((await get('/changelog')).body), ['2026-03-03', '2026-03-02']);
  const preview = await deploy(root, 'pets', petsWith('4', paths), '?branch=x');
  assert.ok(preview.url);
  assert.deepEqual(daysOf((await get('/changelog', preview.url)).body), [
    '2026-03-03',
    '2026-03-02',
  ]);
  assert.match((await get('/changelog', preview.url)).body, /\/vets[\s\S]*Was removed\./);
  assert.doesNotMatch((await get('/changelog')).body, /Was removed\./);

  const path = `/api/projects/pets/deploys/${second.id}/activate`;
  await json(await root.call('POST', path));
  assert.deepEqual(daysOf((await get('/changelog')).body), ['2026-03-02']);

  await deploy(root, 'pets', petsWith('1', paths), '?version=v9');
  assert.equal((await get('/v9/changelog')).status, 404);
  nextDay();
  await deploy(root, 'pets', petsWith('2', { ...paths, '/fish': {} }), '?version=v9');
  const ofVersion = await get('/v9/changelog');
  assert.deepEqual(daysOf(ofVersion.body), ['2026-03-04']);
  assert.match(ofVersion.body, /href="\/v9\/reference\/animals\/get-fish"/);
  assert.match(ofVersion.body, /href="\/v9\/changelog\/atom\.xml"/);
  const atom = (await get('/v9/changelog/atom.xml')).body;
  assert.ok(atom.includes(`href="${url}/v9/changelog#2026-03-04-`), atom);
  assert.ok(atom.includes(`${url}/v9/reference/animals/get-fish`), atom);
});

onBothEngines('the same files are not built again, whatever the changelog has', async (t) => {
  const { root, get, nextDay, log } = await setUp(t);
  const files = (document: string, text = 'Hello.') => ({
    'docs.yaml': 'title: Pets\nopenapi: openapi.json\n',
    'index.md': `# Pets\n\n${text}\n`,
    'openapi.json': document,
  });
  const one = files(petsWith('1', { '/pets': {} }));
  const two = files(petsWith('2', { '/pets': {}, '/shops': {} }));
  await deployFiles(root, 'pets', one);
  nextDay();
  assert.ok((await log(await deployFiles(root, 'pets', one))).includes(TAKEN));
  nextDay();
  assert.ok(!(await log(await deployFiles(root, 'pets', two))).includes(TAKEN));
  nextDay();
  const again = await deployFiles(root, 'pets', two);
  assert.ok((await log(again)).includes(TAKEN));
  assert.deepEqual(again.changes, { breaking: 0, risky: 0, compatible: 0, documentation: 0 });
  assert.deepEqual(daysOf((await get('/changelog')).body), ['2026-03-03']);
  // A guide alone: nothing is compared, and the changelog goes on.
  const guide = await deployFiles(root, 'pets', { ...two, 'index.md': '# Pets\n\nChanged.\n' });
  assert.ok(!(await log(guide)).some((line) => line.startsWith('Compared')));
  assert.deepEqual(daysOf((await get('/changelog')).body), ['2026-03-03']);
  // Back to the first files: their site is another one now.
  nextDay();
  const back = await deployFiles(root, 'pets', one);
  assert.ok(!(await log(back)).includes(TAKEN));
  assert.deepEqual(daysOf((await get('/changelog')).body), ['2026-03-05', '2026-03-03']);
  assert.match((await get('/reference/animals/get-pets')).body, /<header class="ref-head">/);
});

onBothEngines('each of several documents has entries and histories of its own', async (t) => {
  const { root, get, nextDay } = await setUp(t);
  const files = (pets: string, shops: string) => ({
    'docs.yaml':
      'title: All\nreferences:\n  - { openapi: pets.json, title: The pets }\n  - { openapi: shops.json }\n',
    'index.md': '# All\n',
    'pets.json': pets,
    'shops.json': shops,
  });
  const both = (version: string, paths: object) => petsWith(version, { '/same': {}, ...paths });
  await deployFiles(root, 'pets', files(both('1', {}), both('1', {})));
  nextDay();
  await deployFiles(
    root,
    'pets',
    files(both('2', { '/new': {} }), both('1', { '/same': DEPRECATED })),
  );
  const { body } = await get('/changelog');
  assert.match(body, /<h3>The pets <span class="log-version">2<\/span><\/h3>/);
  assert.match(body, /<h3>Pets <span class="log-version">1<\/span><\/h3>/);
  assert.match(body, /href="\/reference\/pets\/animals\/get-new"/);
  assert.match(body, /href="\/reference\/shops\/animals\/get-same"/);
  assert.match((await get('/reference/shops/animals/get-same')).body, />Deprecated since </);
  assert.doesNotMatch((await get('/reference/pets/animals/get-same')).body, /ref-history/);
});

test('a note may have any name: the feeds stay whole', async (t) => {
  const { root, get, url } = await setUp(t);
  await deployFiles(root, 'pets', {
    'docs.yaml': 'title: Pets\n',
    'index.md': '# Pets\n',
    'changelog/2026-02-27-q&a.md': '# Questions\n',
    'changelog/2026-02-28-"><b>{{origin}}.md': '# Marks\n',
  });
  const page = (await get('/changelog')).body;
  const atom = (await get('/changelog/atom.xml')).body;
  const links = [...atom.matchAll(/<entry>[\s\S]*?<link [^>]*href="([^"]*)"\/>\n<content/g)];
  const expected = [
    `${url}/changelog#note-2026-02-28-%22%3E%3Cb%3E%7B%7Borigin%7D%7D`,
    `${url}/changelog#note-2026-02-27-q%26a`,
  ];
  assert.deepEqual(
    links.map(([, href]) => href),
    expected,
  );
  const { items } = JSON.parse((await get('/changelog/feed.json')).body);
  assert.deepEqual(
    items.map((item: { url: string }) => item.url),
    expected,
  );
  assert.ok(page.includes('id="note-2026-02-27-q&amp;a"'));
  assert.ok(page.includes('id="note-2026-02-28-&quot;&gt;&lt;b&gt;{{origin}}"'));
});

test('what is between those who publish is not told to readers', async (t) => {
  const { root, get, nextDay } = await setUp(t);
  const files = (paths: Readonly<Record<string, object>>, rules = '') => ({
    'docs.yaml': `title: Pets\nopenapi: openapi.json\n${rules}`,
    'index.md': '# Pets\n',
    'openapi.json': petsWith('1', paths),
  });
  const all = { '/pets': {}, '/owners': {}, '/secret': { 'x-internal': true } };
  await deployFiles(root, 'pets', files(all));
  nextDay();
  const rules = `changes:\n  exceptions:\n    - code: operation-removed\n      operation: GET /owners\n      reason: "Acme allowed it: Allowed until 2027-01-01: twice."\n      until: 2999-12-31\n`;
  const done = await deployFiles(root, 'pets', files({ '/pets': {} }, rules));
  assert.deepEqual([done.changes?.breaking, done.changes?.compatible], [0, 1]);
  const { body } = await get('/changelog');
  assert.match(body, /Breaking[\s\S]*\/owners[\s\S]*Was removed\./);
  for (const path of [
    '/changelog',
    '/changelog.md',
    '/_site/changelog.json',
    '/changelog/feed.json',
  ])
    assert.doesNotMatch((await get(path)).body, /Acme|Allowed until|twice|secret/, path);
});

test('what cannot be compared leaves the changelog as it was', async (t) => {
  const { root, get, nextDay, log, service } = await setUp(t);
  await deploy(root, 'pets', petsWith('1', { '/pets': {} }));
  nextDay();
  await deploy(root, 'pets', petsWith('2', { '/pets': {}, '/shops': {} }));
  const broken = Buffer.from('{"openapi": 7');
  const { sql } = await import('kysely');
  await sql`UPDATE blobs SET bytes = ${broken} WHERE hash IN (
    SELECT hash FROM blobs WHERE CAST(bytes AS TEXT) LIKE '{%"openapi": "3.1.0"%')`.execute(
    service.db,
  );
  nextDay();
  const third = await deploy(root, 'pets', petsWith('3', { '/pets': {} }));
  assert.equal(third.live, true);
  assert.ok((await log(third)).some((line) => /could not be compared.*changelog stays/.test(line)));
  assert.deepEqual(daysOf((await get('/changelog')).body), ['2026-03-02']);
});

onBothEngines('notes of a folder are in the changelog, by their day', async (t) => {
  const { root, get, log } = await setUp(t);
  const files = {
    'docs.yaml': 'title: Pets\nnavigation: [index.md]\n',
    'index.md':
      '# Pets\n\nSee [what is new](changelog/2026-02-27-search.md#how) and [all](/changelog).\n',
    'changelog/2026-02-27-search.md':
      '---\ntitle: Search is faster\ndescription: By half.\n---\n\n## How\n\nSee [how](#how), and the [start](../index.md).\n\n<Tabs><Tab title="A">One</Tab><Tab title="B">Two</Tab></Tabs>\n',
    'changelog/2026-02-27-zoo.md': '# A zoo\n\n## How\n\n![](flow.svg)\n',
    'changelog/flow.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'changelog/2026-03-02.md': 'Tomorrow somewhere is today.\n',
    'changelog/2026-03-09-launch.md': '# Embargoed\n\n[Plan](../plan.pdf)\n',
    'changelog/2026-02-26-draft.md': '---\nhidden: true\n---\n\n# Embargoed as well\n',
    'plan.pdf': 'x',
    'changelog/2026-02-30.md': '# No such day\n',
    'changelog/summer.md': '# Summer\n',
  };
  const done = await deployFiles(root, 'pets', files);
  assert.equal(done.state, 'succeeded', JSON.stringify(done.errors));
  assert.deepEqual(
    done.warnings
      .filter(({ rule }) => rule === 'changelog')
      .map(({ file, line, message }) => [file, line, message.slice(0, 27)]),
    [
      ['changelog/2026-02-30.md', 1, 'There is no day 2026-02-30,'],
      ['changelog/summer.md', 1, 'A note of the changelog is '],
    ],
  );
  assert.deepEqual(
    done.hints.map(({ rule, file, line }) => [rule, file, line]),
    [['note-to-come', 'changelog/2026-03-09-launch.md', 1]],
  );
  assert.equal((await get('/plan.pdf')).status, 404);
  const { body } = await get('/changelog');
  assert.deepEqual(daysOf(body), ['2026-03-02', '2026-02-27']);
  assert.match(body, /<h3>Search is faster<\/h3><p class="log-about">By half\.<\/p>/);
  assert.match(body, /<h4 id="note-2026-02-27-search--how">How/);
  assert.match(body, /<h4 id="note-2026-02-27-zoo--how">How/);
  assert.match(body, /<a href="#note-2026-02-27-search--how">how<\/a>/);
  assert.match(body, /<h3>A zoo<\/h3>/);
  assert.match(body, /src="\/changelog\/flow\.svg"/);
  const ids = [...body.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length, 'each id once');
  const start = (await get('/')).body;
  assert.match(start, /href="\/changelog#note-2026-02-27-search--how">what is new/);
  for (const path of ['/', '/changelog', '/changelog.md', '/llms-full.txt', '/sitemap.xml'])
    assert.doesNotMatch((await get(path)).body, /Embargoed|launch/, path);
  assert.equal((await get('/changelog/2026-03-09-launch')).status, 404);
  assert.equal((await get('/changelog/2026-03-09-launch.md')).status, 404);
  // Where a page would be, its place is.
  const { status, headers } = await get('/changelog/2026-02-27-zoo');
  assert.deepEqual([status, headers.location], [308, '/changelog#note-2026-02-27-zoo']);
  assert.equal((await get('/changelog/summer')).status, 200);
  assert.ok(!(await log(done)).some((line) => /2026-02-27.*navigation/.test(line)));
  assert.match((await get('/changelog.md')).body, /### Search is faster\n\n#### How/);
  assert.match(
    (await get('/changelog/atom.xml')).body,
    /href=&quot;http:[^&]*\/changelog#note-2026-02-27-search--how&quot;/,
  );
});

test('a page of one’s own at /changelog stays, and `changelog` switches it off and on', async (t) => {
  const { root, get, nextDay, log } = await setUp(t);
  const files = (config: string, paths: readonly string[], more: Record<string, string> = {}) => ({
    'docs.yaml': `title: Pets\nopenapi: openapi.json\n${config}`,
    'index.md': '# Pets\n',
    'openapi.json': petsWith('1', Object.fromEntries(paths.map((path) => [path, {}]))),
    ...more,
  });
  await deployFiles(root, 'pets', files('changelog: true\n', ['/pets']));
  assert.match((await get('/changelog')).body, /There is nothing yet\./);
  nextDay();
  const off = await deployFiles(root, 'pets', files('changelog: false\n', ['/pets', '/a']));
  assert.equal(off.changes?.compatible, 1);
  assert.equal((await get('/changelog')).status, 404);
  assert.doesNotMatch((await get('/reference/animals/get-a')).body, /ref-history/);
  const note = { 'changelog/2026-01-01.md': '# A page\n' };
  const taken = { ...note, 'changelog/index.md': '# My own\n' };
  await deployFiles(root, 'pets', files('', ['/pets', '/a'], taken));
  nextDay();
  const own = await deployFiles(root, 'pets', files('', ['/pets', '/a', '/b'], taken));
  assert.match((await get('/changelog')).body, /<h1 id="my-own">My own<\/h1>/);
  assert.equal((await get('/changelog/2026-01-01')).status, 200);
  assert.deepEqual(own.warnings, []);
  assert.ok((await log(own)).some((line) => line.includes('of its own at `/changelog`')));
  const redirect = 'redirects:\n  /changelog: https://example.com/changes\n';
  const led = await deployFiles(root, 'pets', files(redirect, ['/pets', '/c']));
  assert.equal(led.state, 'succeeded', JSON.stringify(led.errors));
  assert.equal((await get('/changelog')).headers.location, 'https://example.com/changes');
  const wrong = await deployFiles(root, 'pets', files('changelog: yes please\n', ['/pets']));
  assert.match(JSON.stringify(wrong.errors), /`changelog` must be `true`/);
});
