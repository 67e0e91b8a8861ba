import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FEEDBACK_PATH, READERS_PATH } from '@petstore/site/site/readers/readers-format.ts';
import { onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { finished } from '@petstore/test-support/program.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { ReaderCounts } from '../../server/src/edge/readers/reader-counts.ts';
import type { SiteSource } from '../../server/src/edge/sites/site-source.ts';
import { csvOf } from '../../server/src/http/csv.ts';
import type { Project } from '../../server/src/projects/project.ts';
import { DAY_MS, HOUR_MS, type HourCounts, MOST_NAMES } from '../../server/src/readers/counted.ts';
import { readReport, readTable } from '../../server/src/readers/read-report.ts';
import type {
  ReaderReport,
  ReaderSentence,
  ReaderTable,
} from '../../server/src/readers/reader-report.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { deleteProject, findProject } from '../../server/src/store/projects.ts';
import { addReaders, listSentences, pruneReaders } from '../../server/src/store/readers.ts';
import { startEdgeProgram } from '../support/dashboard-program.ts';
import { deployFiles } from '../support/guides.ts';
import { createProject, joinAs } from '../support/project.ts';
import { assertError, json, startService } from '../support/service.ts';
import { openTestDatabase, putProject, UP_TO_DATE } from '../support/store.ts';

const HOST = 'pets.docs.localhost';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PERSON = {
  'user-agent': BROWSER,
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-dest': 'document',
};

interface Asked {
  readonly headers?: Record<string, string>;
  readonly form?: Record<string, string>;
}

/** Asks an edge as a browser does; with a form, as a page of the site sends it. */
async function ask(port: number, path: string, { headers = {}, form }: Asked = {}) {
  const own = { origin: `http://${HOST}:${port}`, 'sec-fetch-dest': 'empty' };
  const sent = request({
    ...{ host: '127.0.0.1', port, path, method: form ? 'POST' : 'GET', agent: false },
    headers: { host: `${HOST}:${port}`, ...PERSON, ...(form && own), ...headers },
  });
  sent.end(form && String(new URLSearchParams(form)));
  const [response] = await once(sent, 'response');
  const text = String(await buffer(response));
  return { status: response.statusCode as number, headers: response.headers, text };
}

const FILES = {
  'docs.yaml': 'title: Pets\nredirects:\n  /moved: /guides/webhooks\n',
  'index.md': '# Pets\n\nBegin here.\n',
  'guides/webhooks.md': '# Webhooks\n\nThey tell.\n',
  'guides/はじめに.md': '# はじめに\n\n他の文字。\n',
};

/** Waits where the day (UTC) is about to end: what a test counts is of one day then. */
async function awayFromMidnight(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < 60_000) await sleep(left + 1);
}

onSharedEngines('what several edges count adds up, for every member to read', async (t, engine) => {
  await awayFromMidnight();
  const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
  const service = await startService(t, { databaseUrl });
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  assert.deepEqual((await deployFiles(owner, 'pets', FILES)).errors, []);
  const editor = await joinAs(service, owner, 'pets', 'editor@example.com', 'editor');
  const viewer = await joinAs(service, owner, 'pets', 'viewer@example.com', 'viewer');
  const edges = await Promise.all([1, 2].map(() => startEdgeProgram(t, databaseUrl)));
  for (const { port } of edges) {
    const page = await ask(port, '/guides/webhooks', {
      headers: { referer: 'https://news.example/x' },
    });
    assert.equal(page.status, 200);
    assert.match(
      page.text,
      /<form class="docs-feedback" method="post" action="\/_site\/feedback">/,
    );
    await ask(port, '/guides/%E3%81%AF%E3%81%98%E3%82%81%E3%81%AB');
    assert.equal((await ask(port, '/docs/webhooks')).status, 404);
    assert.equal((await ask(port, '/guides/webhoks')).status, 404);
    assert.equal((await ask(port, '/=cmd')).status, 404);
    await ask(port, '/guides/webhooks.md', { headers: { 'user-agent': 'Claude-User/1.0' } });
    const search = { event: 'search', query: '=SUM(1)', found: 'nothing' };
    for (const form of [search, { ...search, query: 'hooks', found: 'all' }])
      assert.equal((await ask(port, READERS_PATH, { form })).status, 204);
    const answer = { page: '/guides/webhooks', helpful: 'no', sentence: '<b>Unclear</b>, "very"' };
    const taken = await ask(port, FEEDBACK_PATH, { form: answer, headers: { accept: '*/*' } });
    assert.equal(taken.status, 204);
    // Redirected, and so not missing.
    await ask(port, '/moved');
  }
  // What they have not stored yet they store when they end.
  for (const { child } of edges) child.kill('SIGTERM');
  for (const edge of edges) assert.equal((await finished(edge)).code, 0);

  const readers = '/api/projects/pets/readers';
  const report = await json<ReaderReport>(await viewer.call('GET', `${readers}?period=today`));
  assert.deepEqual(report.totals, {
    ...{ views: 4, searches: 4, missedSearches: 2, missing: 6 },
    ...{ helpful: 0, unhelpful: 2, calls: 0, agents: 2, tools: 0 },
  });
  assert.deepEqual([report.isCounted, report.unit], [true, 'hour']);
  // An hour may have ended meanwhile.
  assert.equal(
    report.steps.reduce((sum, { views }) => sum + views, 0),
    4,
  );
  const table = async (name: string, who = viewer) =>
    (await json<ReaderTable>(await who.call('GET', `${readers}/${name}?period=7d`))).items;
  assert.deepEqual(await table('pages'), [
    { name: '/guides/webhooks', count: 2, details: [] },
    { name: '/guides/はじめに', count: 2, details: [] },
  ]);
  assert.deepEqual(await table('sources'), [
    { name: '(direct)', count: 2, details: [] },
    { name: 'news.example', count: 2, details: [] },
  ]);
  assert.deepEqual(await table('missed-searches'), [
    { name: '=sum(1)', count: 2, details: [{ name: 'nothing', count: 2 }] },
  ]);
  assert.deepEqual(await table('agents'), [
    { name: 'Claude-User', count: 2, details: [{ name: 'markdown', count: 2 }] },
  ]);
  const redirects = (await table('missing')).map(({ name, redirect }) => [name, redirect?.line]);
  assert.deepEqual(Object.fromEntries(redirects), {
    '/docs/webhooks': '/docs/webhooks: /guides/webhooks',
    '/guides/webhoks': '/guides/webhoks: /guides/webhooks',
    '/=cmd': null,
  });
  await assertError(await viewer.call('GET', `${readers}/nothing`), 400, 'invalid_request');
  await assertError(await viewer.call('GET', `${readers}?period=1y`), 400, 'invalid_request');

  const csv = await viewer.call('GET', `${readers}/missed-searches/csv?period=90d`);
  assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(
    csv.headers.get('content-disposition') ?? '',
    /^attachment; filename="pets-readers-/,
  );
  assert.equal(await csv.text(), "search,count,some,nothing\r\n'=sum(1),2,0,2\r\n");

  // The same sentence twice is one. An editor deletes it; a viewer may not.
  const list = async () =>
    json<Page<ReaderSentence>>(await viewer.call('GET', `${readers}/sentences`));
  const [sentence, ...more] = (await list()).items as [ReaderSentence];
  assert.deepEqual(more, []);
  assert.equal(sentence.text, '<b>Unclear</b>, "very"');
  const asCsv = await (await viewer.call('GET', `${readers}/sentences/csv`)).text();
  assert.ok(asCsv.endsWith(',/guides/webhooks,no,"<b>Unclear</b>, ""very"""\r\n'), asCsv);
  const path = `${readers}/sentences/${sentence.id}`;
  await assertError(await viewer.call('DELETE', path), 403, 'forbidden');
  assert.equal((await editor.call('DELETE', path)).status, 204);
  await assertError(await editor.call('DELETE', path), 404, 'not_found');
  await assertError(await editor.call('DELETE', `${readers}/sentences/1e3`), 404, 'not_found');
  assert.deepEqual((await list()).items, []);

  // A redirect that was added solves it; switched off, nothing is asked or counted, and what was counted stays.
  await deployFiles(owner, 'pets', {
    ...FILES,
    'docs.yaml': `${FILES['docs.yaml']}  /docs/webhooks: /guides/webhooks\n`,
  });
  const solved = (await table('missing')).find(({ name }) => name === '/docs/webhooks');
  assert.equal(solved?.redirect?.state, 'solved');
  await json(await owner.call('PATCH', '/api/projects/pets', { countReaders: false }));
  const silent = await ask(service.edgePort, '/guides/webhooks');
  assert.doesNotMatch(silent.text, /docs-feedback|site-readers/);
  assert.match(silent.text, /<article class="content">/);
  const refused = await ask(service.edgePort, READERS_PATH, { form: { event: 'view', page: '/' } });
  assert.equal(refused.status, 405);
  const off = await json<ReaderReport>(await viewer.call('GET', readers));
  assert.deepEqual([off.isCounted, off.totals.views], [false, 4]);
  assert.equal((await owner.call('DELETE', readers)).status, 204);
  const gone = await json<ReaderReport>(await viewer.call('GET', readers));
  assert.deepEqual([gone.since, gone.totals.views], [null, 0]);
});

const SCRIPT = 'https://stats.example.com/js/script.js';

test('an own script of analytics is in the pages and in their policy as the owner allows it', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  assert.deepEqual((await deployFiles(owner, 'pets', FILES)).errors, []);
  const get = (path = '/guides/webhooks') => ask(service.edgePort, path);
  const before = await get();
  const set = (analytics: unknown) => owner.call('PATCH', '/api/projects/pets', { analytics });
  const origins = ['https://stats.example.com', 'https://STATS.example.com:443/'];
  const attributes = { 'data-domain': 'pets "&<' };
  const changed = await json<Project>(await set({ script: SCRIPT, attributes, origins }));
  assert.deepEqual(changed.analytics, {
    ...{ script: SCRIPT, attributes, origins: ['https://stats.example.com'] },
  });
  const after = await get();
  const policy = String(after.headers['content-security-policy']);
  assert.match(policy, /script-src 'self' https:\/\/stats\.example\.com;/);
  assert.match(policy, /connect-src 'self' https:\/\/stats\.example\.com;/);
  assert.match(policy, /default-src 'none'; .*frame-ancestors 'none'$/);
  assert.ok(
    after.text.includes(
      `<script defer src="${SCRIPT}" data-domain="pets &quot;&amp;&lt;"></script>\n</head>`,
    ),
  );
  assert.notEqual(after.headers.etag, before.headers.etag);
  const kept = await ask(service.edgePort, '/guides/webhooks', {
    headers: { 'if-none-match': String(before.headers.etag) },
  });
  assert.equal(kept.status, 200, 'a page that browsers have is fetched again, for its new policy');
  assert.equal((await get('/index.md')).text, FILES['index.md'], 'what is no page stays');

  const wrong: [unknown, RegExp][] = [
    [{ script: SCRIPT, origins: ['https://other.example'] }, /add https:\/\/stats\.example\.com/],
    [{ script: 'http://stats.example.com/a.js', origins }, /analytics\.script must be an https/],
    [{ script: 'javascript:alert(1)', origins }, /analytics\.script/],
    [{ script: `${SCRIPT}#x`, origins }, /analytics\.script/],
    ...[
      ...['http://a.example', 'https://*.example.com', '*', "'unsafe-inline'", 'data:'],
      ...['https://a.example/path', 'https://u:p@a.example', 'https://a.example; script-src *'],
      ...['https://a.example https://b.example', 'https://localhost', 'https://[::1]'],
    ].map((origin): [unknown, RegExp] => [
      { script: SCRIPT, origins: [origin] },
      /is not an https origin/,
    ]),
    [{ script: SCRIPT, origins: [] }, /origins/],
    [{ script: SCRIPT, origins: Array(6).fill('https://stats.example.com') }, /origins/],
    [{ script: SCRIPT, origins, attributes: { onload: 'x' } }, /begins with data-/],
    [{ script: SCRIPT, origins, attributes: { 'data-x y': 'x' } }, /begins with data-/],
    [{ script: SCRIPT, origins, attributes: { 'data-x': 'ü' } }, /letters of ASCII/],
  ];
  for (const [analytics, message] of wrong)
    assert.match(
      await assertError(await set(analytics), 400, 'invalid_request'),
      message,
      JSON.stringify(analytics),
    );
  await json(await set(null));
  const none = await get();
  assert.equal(none.headers.etag, before.headers.etag);
  assert.equal(none.headers['content-security-policy'], before.headers['content-security-policy']);
});

const hourOf = (at: number) => at - (at % HOUR_MS);

/** What an edge counts of one project: pairs of a name, with its detail behind a NUL, and a number. */
function counted(
  at: number,
  kind: Parameters<typeof readTable>[2] extends never ? never : 'view' | 'missing' | 'search',
  names: Iterable<readonly [string, number]>,
  projectId = 'pets',
): HourCounts {
  const counts = new Map([[kind, new Map(names)]]);
  return { hour: hourOf(at), projects: new Map([[projectId, { counts, sentences: [] }]]) };
}

test('a table of many missing paths holds up nobody else, and proposes pages for the first ones', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  await deployFiles(owner, 'pets', FILES);
  const project = (await findProject(service.db, 'pets', null))?.project;
  assert.ok(project);
  // A site of two thousand pages with long names, as any that grew.
  const { manifest, hash } = await service.db
    .selectFrom('artifacts')
    .selectAll()
    .executeTakeFirstOrThrow();
  const site = JSON.parse(manifest) as { files: Record<string, unknown> };
  const name = (word: string, at: number) => `/${word.repeat(9)}${String(at).padStart(4, '0')}`;
  for (let at = 0; at < 2_000; at += 1)
    site.files[name('pages-', at)] = site.files['/guides/webhooks'];
  await service.db
    .updateTable('artifacts')
    .set({ manifest: JSON.stringify(site) })
    .where('hash', '=', hash)
    .execute();
  // The first one is a page's with a letter too many; all others are like no page.
  const missing: [string, number][] = [[`${name('pages-', 7)}x`, 9]];
  for (let at = 0; at < 150; at += 1) missing.push([name('zzzzz-', at), 1]);
  await addReaders(service.db, counted(Date.now(), 'missing', missing, project.id));

  // From here on the edge has it all in memory.
  assert.equal((await ask(service.edgePort, '/')).status, 200);
  let isDone = false;
  const table = owner
    .call('GET', '/api/projects/pets/readers/missing?period=7d&limit=1000')
    .finally(() => {
      isDone = true;
    });
  let answered = 0;
  while (!isDone) {
    assert.equal((await ask(service.edgePort, '/')).status, 200);
    answered += 1;
  }
  const { items } = await json<ReaderTable>(await table);
  assert.equal(items.length, 151);
  assert.match(items[0]?.redirect?.to ?? '', /^\/pages-/);
  assert.ok(answered >= 5, `${answered} other requests were answered meanwhile`);
});

test('what was stored of many projects is not stored again when another one fails', async (t) => {
  const { db } = await openTestDatabase(t);
  const counts = new ReaderCounts(
    { addReaders: (hour: HourCounts) => addReaders(db, hour) } as unknown as SiteSource,
    pino({ level: 'silent' }),
    () => Date.UTC(2026, 10, 26, 12),
  );
  const slugs = Array.from({ length: 150 }, (_, at) => `pets-${String(at).padStart(3, '0')}`);
  for (const slug of slugs) {
    await putProject(db, slug);
    counts.count(slug, 'view', '/');
  }
  await sql`CREATE TRIGGER full BEFORE INSERT ON reader_counts WHEN NEW.project_id = 'pets-149'
    BEGIN SELECT RAISE(ABORT, 'no space'); END`.execute(db);
  await counts.close();
  await sql`DROP TRIGGER full`.execute(db);
  await counts.close();
  const rows = await db
    .selectFrom('reader_counts')
    .select(['project_id', 'count'])
    .where('span', '=', 'day')
    .orderBy('project_id')
    .execute();
  assert.deepEqual(
    rows.map(({ project_id, count }) => [project_id, Number(count)]),
    slugs.map((slug) => [slug, 1]),
  );
});

onBothEngines('of a day the most frequent names are kept, and all others as one', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets');
  const at = Date.UTC(2026, 10, 26, 12);
  const now = () => at;
  const count = async () => {
    const rows = await db
      .selectFrom('reader_counts')
      .select('name')
      .where('span', '=', 'day')
      .execute();
    return rows.length;
  };
  await addReaders(db, counted(at, 'view', [['/start', 50]]));
  // A flood of ten thousand paths, each once, from two edges at a time.
  const flood = (from: number) =>
    counted(
      at,
      'view',
      Array.from({ length: MOST_NAMES.view }, (_, each) => [`/x${from + each}`, 1] as const),
    );
  for (let from = 0; from < 10_000; from += 2 * MOST_NAMES.view)
    await Promise.all([from, from + MOST_NAMES.view].map((one) => addReaders(db, flood(one))));
  assert.ok((await count()) <= 2 * MOST_NAMES.view + 1, `${await count()} rows`);
  await addReaders(db, counted(at, 'view', [['/start', 1]]));
  const [first, ...rest] = await readTable({ db, now }, 'pets', 'pages', {
    ...{ period: 'today', limit: 5_000 },
  });
  assert.deepEqual(first, { name: '/start', count: 51, details: [] });
  const others = rest.at(-1);
  assert.equal(others?.name, '');
  assert.equal(
    rest.reduce((sum, row) => sum + row.count, 0),
    10_000,
    'none is lost',
  );
  const project = (await findProject(db, 'pets', null))?.project;
  assert.ok(project);
  const { totals, steps } = await readReport({ db, now }, project, 'today');
  assert.equal(totals.views, 10_051);
  assert.equal(steps[12]?.views, 10_051);

  // With the project goes all that is known of its readers; what edges have of it is dropped.
  await db.transaction().execute((trx) => deleteProject(trx, 'pets'));
  await addReaders(db, flood(0));
  assert.equal(await count(), 0);
});

onBothEngines(
  'what comes again and again is kept, however many names are invented meanwhile',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putProject(db, 'pets');
    const at = Date.UTC(2026, 10, 26, 12);
    const invented = (batch: number) =>
      Array.from(
        { length: MOST_NAMES.missing },
        (_, each) => [`/!${String(batch).padStart(3, '0')}-${each}`, 1] as const,
      );
    // Once each time, as the inventions are, which come before it, also in the alphabet.
    for (let batch = 0; batch < 40; batch += 1)
      await addReaders(
        db,
        counted(at, 'missing', [
          ...invented(batch),
          ...(batch < 5 ? [] : ([['/guides/webhoks', 1]] as const)),
        ]),
      );
    const [first] = await readTable({ db, now: () => at }, 'pets', 'missing', {
      ...{ period: 'today', limit: 1 },
    });
    assert.equal(first?.name, '/guides/webhoks');
    assert.ok(first.count > 5, `${first.count} of 35`);
  },
);

onBothEngines('days become months, and months, hours and sentences end', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets');
  const now = Date.UTC(2026, 10, 26, 12);
  const days = [
    Date.UTC(2026, 10, 26),
    Date.UTC(2026, 8, 1),
    // The last hour of a month, and the first of the next one.
    Date.UTC(2026, 6, 31, 23),
    Date.UTC(2026, 6, 1),
    Date.UTC(2026, 7, 1),
    Date.UTC(2024, 10, 26),
    Date.UTC(2024, 1, 29),
  ];
  for (const day of days) {
    await addReaders(
      db,
      counted(day, 'search', [
        ['hooks\0all', 1],
        ['hooks\0nothing', 1],
      ]),
    );
    const sentences = [{ page: '/', isHelpful: true, text: `Of ${day}` }];
    const projects = new Map([['pets', { counts: new Map(), sentences }]]);
    await addReaders(db, { hour: hourOf(day), projects });
  }
  await Promise.all([pruneReaders(db, now), pruneReaders(db, now)]);
  await pruneReaders(db, now);
  const rows = await db
    .selectFrom('reader_counts')
    .select(['span', 'start', 'detail', 'count'])
    .where('detail', '=', 'all')
    .orderBy('start')
    .execute();
  assert.deepEqual(
    rows.map(({ span, start, count }) => [
      ...[span, new Date(Number(start)).toISOString().slice(0, 10), Number(count)],
    ]),
    [
      ['month', '2024-11-01', 1],
      ['month', '2026-07-01', 2],
      ['day', '2026-08-01', 1],
      ['day', '2026-09-01', 1],
      ['day', '2026-11-26', 1],
    ],
  );
  const hours = await db
    .selectFrom('reader_counts')
    .select('start')
    .where('span', '=', 'hour')
    .execute();
  assert.equal(hours.length, 0, 'searches have none');
  const project = (await findProject(db, 'pets', null))?.project;
  assert.ok(project);
  const report = await readReport({ db, now: () => now }, project, '12m');
  assert.equal(report.totals.searches, 10);
  assert.equal(report.from, '2025-12-01T00:00:00.000Z');
  const kept = await listSentences(db, 'pets', { from: 0, limit: 100 });
  assert.equal(kept.length, 5);
  assert.ok(kept.every(({ day }) => Number(day) >= now - 181 * DAY_MS));
});

test('CSV is that of RFC 4180, and no cell is a formula', () => {
  const cells = ['=1+1', '+1', '-1', '@x', '\t=1', ' =1', '|x', 'a,b', 'a"b', 'a\r\nb', '日本', ''];
  assert.equal(
    csvOf(
      ['name', 'count'],
      cells.map((cell, at) => [cell, at]),
    ),
    [
      ...['name,count', "'=1+1,0", "'+1,1", "'-1,2", "'@x,3", "'\t=1,4", "' =1,5", "'|x,6"],
      ...['"a,b",7', '"a""b",8', '"a\r\nb",9', '日本,10', ',11', ''],
    ].join('\r\n'),
  );
});
