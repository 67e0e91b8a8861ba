import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import { startTestEdge } from './support/edge.ts';
import { MemorySource, page, SITE } from './support/memory-source.ts';

const LIVE_WITHIN_MS = 1_000;

test('what is in memory is served without a question to the store', async (t) => {
  const { ask, source } = await startTestEdge(t);
  const paths = ['/', '/guides/start', '/nope', '/llms.txt', '/guides/start/'];
  for (const path of paths) await ask(path);
  await ask('/', { host: 'unknown.test' });
  source.forgetAsked();
  for (const path of paths) await ask(path);
  assert.equal((await ask('/', { host: 'unknown.test' })).status, 404);
  const { findSite, readManifest, readBlob } = source.asked;
  assert.deepEqual(
    { findSite, readManifest, readBlob },
    { findSite: 0, readManifest: 0, readBlob: 0 },
  );
});

test('many who want the same at once share one question to the store', async (t) => {
  const { ask, source } = await startTestEdge(t);
  source.delayMs = 50;
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/')));
  assert.ok(answers.every(({ status }) => status === 200));
  const { findSite, readManifest, readBlob } = source.asked;
  assert.deepEqual(
    { findSite, readManifest, readBlob },
    { findSite: 1, readManifest: 1, readBlob: 1 },
  );
});

test('while the store is unavailable, what is remembered is served and all else is a 503', async (t) => {
  const { ask, source } = await startTestEdge(t);
  source.deploy('b.test', SITE);
  // With a change, hosts without a site are asked for anew.
  await source.nextPoll();
  await ask('/');
  await ask('/', { host: 'unknown.test' });
  source.isAway = true;
  await source.nextPoll();
  assert.equal((await ask('/')).status, 200);
  assert.equal((await ask('/', { host: 'unknown.test' })).status, 404);
  for (const [path, host] of [
    ['/', 'b.test'],
    ['/', 'other.test'],
    ['/openapi.json', 'a.test'],
  ] as const) {
    const { status, headers, body } = await ask(path, { host });
    assert.equal(status, 503, host);
    assert.equal(headers['retry-after'], '1');
    assert.equal(String(body), 'The site cannot be read at the moment.\n');
  }
  source.isAway = false;
  assert.equal((await ask('/', { host: 'b.test' })).status, 200, 'a failure is not remembered');
});

test('a store that does not respond in time is as one that is away', async (t) => {
  const { ask, source } = await startTestEdge(t, { timeouts: { storeRead: 50 } });
  source.hold();
  const { status, headers } = await ask('/');
  assert.deepEqual([status, headers['retry-after']], [503, '1']);
});

test('a change in this process is served from the moment it is told', async (t) => {
  const { ask, source, invalidate } = await startTestEdge(t);
  assert.equal((await ask('/')).status, 200);
  assert.equal((await ask('/', { host: 'new.test' })).status, 404);
  source.deploy('a.test', { '/': page('second') });
  source.deploy('new.test', { '/': page('new') }, { projectId: 'new' });
  invalidate(['project of a.test', 'new']);
  assert.equal(String((await ask('/')).body), 'second');
  assert.equal(String((await ask('/', { host: 'new.test' })).body), 'new');
  invalidate([source.remove('a.test')]);
  assert.equal((await ask('/')).status, 404);
});

test('a response that was on its way when its site was removed is not remembered', async (t) => {
  const { ask, source, invalidate } = await startTestEdge(t);
  const answer = source.hold();
  const early = ask('/');
  await timeUntil(async () => source.asked.findSite === 1);
  invalidate([source.remove('a.test')]);
  const late = ask('/');
  await timeUntil(async () => source.asked.findSite === 2);
  answer();
  assert.equal((await late).status, 404);
  assert.equal((await early).status, 404, 'nor is it served, since a newer one can be had');
  assert.equal((await ask('/')).status, 404);
});

/** A change that the question under way has just missed, and its being served: the longest that it takes. */
async function serveMissedChange({ ask, source }: Awaited<ReturnType<typeof startTestEdge>>) {
  await source.nextPoll();
  const text = `version ${performance.now()}`;
  source.forgetAsked();
  source.deploy('a.test', { '/': page(text) });
  return timeUntil(async () => String((await ask('/')).body) === text);
}

test('a change is served within a second, also with a slow store', async (t) => {
  const source = new MemorySource();
  source.deploy('a.test', { '/': page('version 0') });
  const edge = await startTestEdge(t, { source });
  for (const delayMs of [0, 100, 150]) {
    source.delayMs = delayMs;
    await edge.ask('/');
    await assertWithin(LIVE_WITHIN_MS, () => serveMissedChange(edge), `${delayMs} ms of delay`);
    const { findSite, readManifest, readBlob } = source.asked;
    assert.deepEqual([findSite, readManifest, readBlob], [1, 1, 1], 'no question more');
  }
});

test('an edge catches up with what changed while the store was away, and after it was put back', async (t) => {
  const { ask, source } = await startTestEdge(t);
  const isServed = async (text: string) => String((await ask('/')).body) === text;
  const missAndCatchUp = async () => {
    const before = String((await ask('/')).body);
    source.isAway = true;
    const text = `version ${performance.now()}`;
    source.deploy('a.test', { '/': page(text) });
    await source.nextPoll();
    assert.ok(await isServed(before));
    source.isAway = false;
    return timeUntil(() => isServed(text));
  };
  await assertWithin(1_500, missAndCatchUp);

  const restored = new MemorySource();
  restored.deploy('a.test', { '/': page('restored') });
  source.changesAfter = async () => ({ position: 'elsewhere', projectIds: undefined });
  source.findSite = (host) => restored.findSite(host);
  source.readManifest = (hash) => restored.readManifest(hash);
  source.readBlob = (hash) => restored.readBlob(hash);
  await timeUntil(() => isServed('restored'));
});

test('questions about changes never overlap', async (t) => {
  const source = new MemorySource();
  let asked = 0;
  let running = 0;
  let most = 0;
  source.changesAfter = async () => {
    asked++;
    most = Math.max(most, ++running);
    // Longer than an edge waits between two: a timer of its own would come before this one.
    await sleep(300);
    running--;
    return { position: '', projectIds: [] };
  };
  await startTestEdge(t, { source });
  await timeUntil(async () => asked === 2);
  assert.equal(most, 1);
});

test('a site whose content was pruned before the news came is looked up anew', async (t) => {
  const { ask, source } = await startTestEdge(t);
  await ask('/');
  const old = source.sites.get('a.test')?.artifactHash ?? '';
  for (const { hash } of Object.values(source.manifests.get(old)?.files ?? {}))
    source.blobs.delete(hash);
  source.manifests.delete(old);
  const second = { '/': page('second'), '/new': page('new') };
  const change = source.change;
  source.change = () => undefined;
  source.deploy('a.test', second);
  source.change = change;
  assert.equal((await ask('/openapi.json')).status, 404);
  assert.equal(String((await ask('/new')).body), 'new');
  source.manifests.clear();
  source.deploy('b.test', { '/': page('gone') });
  source.manifests.clear();
  assert.equal((await ask('/', { host: 'b.test' })).status, 503);
});

test('made-up hosts and paths take no place of what is real, and no memory', async (t) => {
  const { ask, source } = await startTestEdge(t, { limits: { unknownHosts: 1_000, hosts: 10 } });
  await ask('/');
  const flood = async (count: number) => {
    for (let at = 0; at < count; at += 50) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const host = i % 2 === 0 ? `${crypto.randomUUID()}.test` : 'a.test';
          const { status } = await ask(`/${crypto.randomUUID()}`, { host });
          assert.equal(status, 404);
        }),
      );
    }
  };
  await flood(1_000);
  source.forgetAsked();
  await ask('/');
  assert.equal(source.asked.findSite, 0, 'the real host is still known');
  assert.equal(source.asked.readBlob, 0, 'and so is its page');
});

test('memory holds no more contents than it may', async (t) => {
  const { ask, source } = await startTestEdge(t, { limits: { contentBytes: 400_000 } });
  const text = 'x'.repeat(50_000);
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`/${at}`, page(at + text)]),
  );
  source.deploy('b.test', { ...files, '/large': page(`large${text.repeat(10)}`) });
  const get = async (path: string) => {
    source.forgetAsked();
    assert.equal((await ask(path, { host: 'b.test' })).status, 200);
    return source.asked.readBlob;
  };
  for (let at = 0; at < 20; at++) assert.equal(await get(`/${at}`), 1);
  assert.equal(await get('/19'), 0, 'what was asked for last is there');
  assert.equal(await get('/0'), 1, 'what was asked for first is not');
  assert.equal(await get('/large'), 1);
  assert.equal(await get('/large'), 1, 'what is too large to be kept is read each time');
  assert.equal(await get('/0'), 0, 'and takes no place');
});
