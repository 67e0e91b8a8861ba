import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { pino } from 'pino';
import { ReaderCounts } from '../../../server/src/edge/readers/reader-counts.ts';
import type { Site } from '../../../server/src/edge/sites/site-source.ts';
import { MOST_NAMES } from '../../../server/src/readers/counted.ts';
import { startTestEdge } from '../support/edge.ts';
import { MARKDOWN, MemorySource, page, SITE } from '../support/memory-source.ts';

const NOON = Date.UTC(2026, 10, 26, 12);

/** What browsers of these years send where they show a page. */
const PERSON = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-dest': 'document',
};

function countingSource(): MemorySource {
  const source = new MemorySource();
  const files = {
    ...SITE,
    '/リファレンス': page('<h1>他の文字</h1>'),
    '/_assets/diagrams.html': page('<h1>A frame</h1>'),
    '/llms-full.txt': { type: MARKDOWN, text: '# All' },
  };
  source.deploy('a.test', files, { countsReaders: true });
  source.deploy('off.test', files, { countsReaders: false });
  source.deploy('preview.test', files, { countsReaders: true, isPreview: true });
  return source;
}

/** Asks on a connection that stays open, which the fast path answers where all is in memory. */
async function askPlainly(port: number, path: string, headers: Record<string, string>) {
  const agent = new Agent({ keepAlive: true });
  const sent = request({ port, path, agent, headers: { host: 'a.test', ...headers } });
  sent.end();
  const [response] = await once(sent, 'response');
  await buffer(response);
  agent.destroy();
  return response.statusCode as number;
}

/** What an edge counted at noon, when it has stored it. */
async function countedAt(
  { close }: { close(): Promise<void> },
  source: MemorySource,
  hour = '2026-11-26T12',
) {
  await close();
  const all = [...source.readers].filter(([key]) => key.startsWith(`${hour} `));
  return Object.fromEntries(all.map(([key, count]) => [key.slice(hour.length + 1), count]));
}

test('a view is a page that a browser shows; prefetches, scripts, assets and previews are none', async (t) => {
  const source = countingSource();
  const edge = await startTestEdge(t, { source, now: () => NOON });
  const { ask } = edge;
  const get = (path: string, headers: Record<string, string> = {}, host = 'a.test') =>
    ask(path, { host, headers: { ...PERSON, ...headers } });
  assert.equal((await get('/guides/start')).status, 200);
  const { headers } = await get('/guides/start');
  assert.equal((await get('/guides/start', { 'if-none-match': `${headers.etag}` })).status, 304);
  await get('/%E3%83%AA%E3%83%95%E3%82%A1%E3%83%AC%E3%83%B3%E3%82%B9');
  // None of these is a view.
  await ask('/guides/start', { method: 'HEAD', headers: PERSON });
  await get('/guides/start', { range: 'bytes=0-3' });
  for (const ahead of [
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ])
    await get('/guides/start', ahead);
  await get('/guides/start', { 'sec-fetch-dest': 'empty', accept: 'text/html' });
  await get('/guides/start', { 'sec-fetch-dest': 'iframe' });
  for (const wish of [{ 'sec-gpc': '1' }, { dnt: '1' }]) await get('/guides/start', wish);
  for (const path of [
    '/assets/app.1234.js',
    '/logo.svg',
    '/openapi.json',
    '/_assets/diagrams.html',
  ])
    assert.equal((await get(path)).status, 200, path);
  await get('/guides/start', {}, 'preview.test');
  await get('/guides/start', {}, 'off.test');
  assert.equal((await get('/guides/start', {}, 'other.test')).status, 404);
  assert.deepEqual(await countedAt(edge, source), {
    'view /guides/start': 3,
    'view /リファレンス': 1,
    'source (direct)': 4,
  });
});

test('the fast path counts as the server behind it does', async (t) => {
  const ways = [
    ['/guides/start', PERSON],
    ['/guides/start', { ...PERSON, 'sec-gpc': '1' }],
    ['/guides/start', { ...PERSON, dnt: '1' }],
    ['/guides/start', { ...PERSON, dnt: '0', referer: 'https://news.example/item?id=7' }],
    ['/guides/start', { ...PERSON, purpose: 'prefetch' }],
    ['/guides/start', { ...PERSON, 'sec-fetch-dest': 'empty' }],
    ['/guides/start', { ...PERSON, 'user-agent': 'GPTBot/1.2' }],
    ['/guides/start', { accept: '*/*' }],
    ['/reference/pets', { ...PERSON, accept: 'text/markdown' }],
    ['/reference/pets.md', { 'user-agent': 'Claude-User/1.0' }],
    ['/llms.txt', { 'user-agent': 'curl/8.5.0' }],
    ['/logo.svg', PERSON],
    ['/nothing', PERSON],
  ] as const;
  const countedBy = async (level: 'silent' | 'debug') => {
    const source = countingSource();
    // At level debug there is no fast path.
    const log = pino({ level }, { write() {} });
    const edge = await startTestEdge(t, { source, log, now: () => NOON });
    const ask = async (left: Record<string, string>) => {
      for (const [path, headers] of ways)
        await askPlainly(edge.port, path, { ...headers, ...left });
    };
    // Into memory.
    await ask({ 'sec-gpc': '1' });
    await ask({});
    return countedAt(edge, source);
  };
  const fast = await countedBy('silent');
  assert.deepEqual(fast, await countedBy('debug'));
  assert.deepEqual(fast, {
    'view /guides/start': 2,
    'source (direct)': 1,
    'source news.example': 1,
    'agent GPTBot page': 1,
    'agent Other programs page': 1,
    'agent Browsers markdown': 1,
    'agent Claude-User markdown': 1,
    'agent curl llms': 1,
    'missing /nothing': 1,
  });
});

test('where readers come from is a host alone, and the site itself is none', async (t) => {
  const source = countingSource();
  source.sites.set('pets.docs.test', {
    ...(source.sites.get('a.test') as Site),
    origin: 'https://a.test:8443',
  });
  const edge = await startTestEdge(t, { source, now: () => NOON });
  const from = (referer: string, host = 'a.test') =>
    edge.ask('/', { host, headers: { ...PERSON, referer } });
  for (const referer of [
    'https://news.example/item?id=7&token=secret#x',
    'https://NEWS.example:8080/other',
    'https://someone:password@news.example/',
  ])
    await from(referer);
  await from('https://xn--r8jz45g.example/');
  // The site itself, by each of its names.
  await from('http://a.test/guides/start');
  await from('https://a.test:8443/guides/start', 'pets.docs.test');
  await from('https://pets.docs.test/', 'pets.docs.test');
  // Nothing that names a page.
  const nowhere = [
    'about:blank',
    'javascript:alert(1)',
    'https://',
    'https://<script>.example/',
    `https://long.example/${'x'.repeat(5_000)}`,
    `https://${'a'.repeat(300)}/`,
    '=cmd|calc',
    '\xff\xfe\x80',
  ];
  for (const referer of nowhere) await from(referer);
  const counted = await countedAt(edge, source);
  assert.deepEqual(counted, {
    'view /': 7 + nowhere.length,
    'source news.example': 3,
    'source xn--r8jz45g.example': 1,
    'source (direct)': nowhere.length,
  });
});

test('a missing path is counted where a person was led to it, with what led there', async (t) => {
  const source = countingSource();
  const edge = await startTestEdge(t, { source, now: () => NOON });
  const get = (path: string, headers: Record<string, string> = {}) =>
    edge.ask(path, { headers: { ...PERSON, ...headers } });
  const { 'sec-fetch-dest': _, ...withoutTls } = PERSON;
  for (const path of ['/old%20page?x=1', '/old%20page'])
    assert.equal((await get(path, { referer: 'http://a.test/guides/start?q=1' })).status, 404);
  await get('/old%20page', { referer: 'https://blog.example/2024' });
  await get('/%E3%81%AA%E3%81%84', {});
  // A browser without TLS says no Sec-Fetch-Dest, and where it comes from.
  await edge.ask('/linked', { headers: { ...withoutTls, referer: 'https://blog.example/' } });
  // Guesses of programs, and what pages load.
  await edge.ask('/wp-login.php', { headers: withoutTls });
  await get('/.env', { 'user-agent': 'curl/8' });
  await get('/missing.png', { 'sec-fetch-dest': 'image' });
  await get('/missing', { 'sec-fetch-dest': 'empty' });
  await get('/missing', { 'sec-gpc': '1' });
  // What is no name.
  await get(`/${'x'.repeat(400)}`, { referer: 'https://blog.example/' });
  await get('/line%0abreak', {});
  const counted = await countedAt(edge, source);
  assert.deepEqual(counted, {
    'missing /old page /guides/start': 2,
    'missing /old page blog.example': 1,
    'missing /ない': 1,
    'missing /linked blog.example': 1,
    missing: 2,
  });
});

test('a missing path that may be about its reader counts without its name', async (t) => {
  const source = countingSource();
  const edge = await startTestEdge(t, { source, now: () => NOON });
  const get = (path: string, referer?: string) =>
    edge.ask(path, { headers: { ...PERSON, ...(referer && { referer }) } });
  const left = [
    '/invitations/jane.doe@example.com',
    '/unsubscribe/jane%40b%C3%BCcher.example',
    '/jane%EF%BC%A0example.com',
    '/customers/4917012345678',
    '/%D9%A4%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1',
    '/reset/3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c',
    '/share/6f1c2a34-9b8d-4e7f-a012-3456789abcde',
    '/pk_live_4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c',
    // It turns around what stands behind it.
    '/guides/%E2%80%AEfdp.start',
  ];
  const kept = [
    '/@acme/pets',
    '/pets@1.2.3',
    '/blog/2026-11-26-migrating-from-v2-to-v3',
    '/reference/listCustomersOfTenantV2',
    '/reference/getOrdersByCustomerAndPeriod',
    '/क्‍ष',
  ];
  for (const path of left) assert.equal((await get(path)).status, 404);
  for (const path of kept) await get(encodeURI(path));
  await get('/gone', 'http://a.test/invitations/jane@example.com');
  assert.deepEqual(await countedAt(edge, source), {
    missing: left.length,
    'missing /gone': 1,
    ...Object.fromEntries(kept.map((path) => [`missing ${path}`, 1])),
  });
});

test('counts of midnight are of their day, and wait while the store is unavailable', async (t) => {
  const source = countingSource();
  let now = Date.UTC(2026, 10, 26, 23, 59, 59, 999);
  const edge = await startTestEdge(t, { source, now: () => now });
  const get = () => edge.ask('/guides/start', { headers: PERSON });
  await get();
  now += 1;
  await get();
  await get();
  await edge.close();
  assert.equal(source.readers.get('2026-11-26T23 view /guides/start'), 1);
  assert.equal(source.readers.get('2026-11-27T00 view /guides/start'), 2);
});

test('invented names cost no more than the bounds, and hide only what is rarer', async () => {
  const source = new MemorySource();
  const log = pino({ level: 'silent' });
  const counts = new ReaderCounts(source, log, () => NOON);
  for (let at = 0; at < 100_000; at += 1) {
    counts.count('pets', 'source', at % 2 === 0 ? 'known.example' : `host${at}.example`);
    counts.count('pets', 'missing', `/missing${at}`, `/from${at}`);
    counts.count('pets', 'search', `query ${at}`, 'nothing');
    // What is new when memory is full of inventions already.
    if (at >= 20_000 && at % 20 === 0) counts.count('pets', 'search', 'webhooks', 'some');
  }
  await counts.close();
  const hour = '2026-11-26T12';
  assert.equal(source.readers.get(`${hour} source known.example`), 50_000);
  const kept = source.readers.get(`${hour} search webhooks some`) ?? 0;
  assert.ok(kept > 3_900, `${kept} of 4,000`);
  const sum = (kind: string) => {
    const all = [...source.readers].filter(([key]) => key.startsWith(`${hour} ${kind}`));
    return all.reduce((counted, [, count]) => counted + count, 0);
  };
  assert.deepEqual([sum('source'), sum('missing'), sum('search')], [100_000, 100_000, 104_000]);
  // While they are in memory, twice of each kind; and the others, of searches by what they found.
  const most = 2 * (MOST_NAMES.source + MOST_NAMES.missing + MOST_NAMES.search) + 3;
  assert.ok(source.readers.size <= most, `${source.readers.size} rows`);
});

test('a store that is away gets later what was counted, once', async () => {
  const source = new MemorySource();
  const counts = new ReaderCounts(source, pino({ level: 'silent' }), () => NOON);
  source.isAway = true;
  counts.count('pets', 'view', '/');
  await counts.close();
  counts.count('pets', 'view', '/');
  counts.addSentence('pets', { page: '/', isHelpful: true, text: 'Good.' });
  await counts.close();
  source.isAway = false;
  await counts.close();
  await counts.close();
  assert.deepEqual([...source.readers], [['2026-11-26T12 view /', 2]]);
  assert.equal(source.sentences.length, 1);
});

test('a store that is away is asked once, however many sites were read', async () => {
  const source = new MemorySource();
  let asked = 0;
  const add = source.addReaders.bind(source);
  source.addReaders = (counts) => {
    asked += 1;
    return add(counts);
  };
  const counts = new ReaderCounts(source, pino({ level: 'silent' }), () => NOON);
  source.isAway = true;
  for (let at = 0; at < 250; at += 1) counts.count(`pets${at}`, 'view', '/');
  await counts.close();
  assert.equal(asked, 1);
  source.isAway = false;
  await counts.close();
  assert.deepEqual([...source.readers], [['2026-11-26T12 view /', 250]]);
});
