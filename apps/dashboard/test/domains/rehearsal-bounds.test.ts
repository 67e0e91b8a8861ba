import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { joinAs } from '../support/project.ts';
import { assertError, json } from '../support/service.ts';
import { createRecords, getDomain } from './support/domains.ts';
import { page, startOldSite } from './support/old-site.ts';
import {
  codesOf,
  DOMAIN,
  ended,
  HOST,
  prepareMove,
  rehearse,
  resultOf,
} from './support/rehearsals.ts';

// What a rehearsal may ask of a site that somebody named, and who may have it asked.

const GUIDES = { 'docs.yaml': 'title: Parcel\n', 'index.md': '# Parcel' };
const REHEARSALS = `${DOMAIN}/rehearsals`;

test('the old site is asked politely, and no other place is asked because of it', async (t) => {
  const { root, old, zone } = await prepareMove(t, GUIDES);
  const stranger = await startOldSite(t, '127.0.0.4');
  stranger.pages = { '/': page('Stranger'), '/x': page('Stranger') };
  zone.setRecords('other.example.test', 'A', ['127.0.0.4']);
  const [here, there] = [`https://${HOST}`, 'https://other.example.test'];
  const links = ['/public', '/private/x', '/bomb', '/away', `${there}:${stranger.port}/x`];
  const wrong = [
    `${here}:${stranger.port}/x`,
    'https://127.0.0.4/x',
    'javascript:alert(1)',
    'http://[/',
  ];
  old.headers = { 'set-cookie': 'a=1' };
  old.pages = {
    '/robots.txt': {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: petstore-dashboard-rehearsal\nDisallow: /private/\n',
    },
    '/': page('Parcel', ...links, ...wrong, '/public#part', '/public?page=2'),
    '/public': page('Public'),
    '/away': { status: 302, headers: { location: `${there}:${stranger.port}/x` } },
    // A megabyte of it is read, and it says to be 40.
    '/bomb': {
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.concat([Buffer.from(page('Bomb', '/late')), Buffer.alloc(40_000_000)])),
    },
  };
  old.answer = (request, response) => {
    // After the first look, the name leads to the stranger.
    zone.setRecords(HOST, 'A', ['127.0.0.4'], 1);
    old.answer = undefined;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end((old.pages['/'] as string | undefined) ?? String(request.url));
  };

  const { comparison } = await resultOf(root);
  const asked = old.requests.map(({ url }) => url).sort();
  assert.deepEqual(asked, [
    '/',
    '/away',
    '/bomb',
    '/late',
    '/public',
    '/robots.txt',
    '/sitemap.xml',
  ]);
  assert.equal(stranger.requests.length, 0);
  assert.equal(comparison?.excluded, 1);
  assert.equal(comparison?.cutBy, null);
  for (const { method, headers } of old.requests) {
    assert.equal(method, 'GET');
    assert.match(headers['user-agent'] ?? '', /^petstore-dashboard-rehearsal\/\S+ \(\+http/);
    assert.equal(headers.cookie ?? headers.authorization, undefined);
  }
});

test('a site without end is looked at in part, two addresses at a time', async (t) => {
  const { root, old } = await prepareMove(t, GUIDES);
  let underWay = 0;
  let most = 0;
  let numbers = 0;
  const { promise: second, resolve: arrived } = Promise.withResolvers<void>();
  old.answer = async (request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    // One waits for another beside it, and that one so long that a third would come.
    if (old.requests.length === 6) await second;
    else if (old.requests.length === 7) await sleep(100).then(arrived);
    else await new Promise(setImmediate);
    underWay -= 1;
    const isPage = !/robots|sitemap/.test(request.url ?? '');
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' });
    const next = Array.from({ length: 10 }, () => `/p/${numbers++}`);
    response.end(isPage ? page('Page', ...next) : '');
  };
  const result = await resultOf(root);
  const { comparison } = result;
  assert.equal(comparison?.pages.length, 500);
  assert.equal(comparison?.cutBy, 'addresses');
  assert.ok(codesOf(result).includes('partly_compared'));
  assert.equal(old.requests.length, 502, 'with robots.txt and the sitemap');
  assert.equal(most, 2);
});

test('a site that fails again and again is left alone', async (t) => {
  const { root, old } = await prepareMove(t, GUIDES);
  const links = Array.from({ length: 50 }, (_, i) => `/p/${i}`);
  old.pages = { '/': page('Parcel', ...links) };
  for (const link of links) old.pages[link] = { status: 503 };
  const { comparison } = await resultOf(root);
  assert.equal(comparison?.cutBy, 'failures');
  assert.ok(old.requests.length < 12, `${old.requests.length}`);
});

test('only whoever controls the name at this moment has the site there fetched', async (t) => {
  const service = await prepareMove(t, GUIDES);
  const { root, old, zone } = service;
  old.pages = { '/': page('Parcel') };
  const editor = await joinAs(service, root, 'pets', 'editor@example.com', 'editor');
  await assertError(await editor.call('POST', REHEARSALS), 403, 'forbidden');
  await assertError(await editor.call('GET', `${REHEARSALS}/latest`), 404, 'not_found');

  const records = zone.records().filter(({ name }) => name.startsWith('_acme-challenge.'));
  zone.removeRecords(`_acme-challenge.${HOST}`);
  const refused = await resultOf(root);
  assert.deepEqual(codesOf(refused), ['not_proven']);
  assert.equal(old.requests.length, 0);
  for (const record of records) zone.addRecord(record);

  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const { promise: go, resolve: release } = Promise.withResolvers<void>();
  old.answer = async (_request, response) => {
    resolve();
    await go;
    response.writeHead(401).end();
  };
  await json(await root.call('POST', REHEARSALS), 202);
  await arrived;
  const twice = await root.call('POST', REHEARSALS);
  assert.match(await assertError(twice, 409, 'conflict'), /is under way/);
  const running = await json<{ state: string }>(await editor.call('GET', `${REHEARSALS}/latest`));
  assert.equal(running.state, 'running');
  release();
  const protectedSite = await ended(root);
  const [finding] =
    protectedSite.result?.findings.filter(({ code }) => code === 'not_compared') ?? [];
  assert.match(finding?.message ?? '', /asks for a sign-in \(401\)/);

  // The name leads here: there is nothing to compare.
  zone.removeRecords(HOST);
  createRecords(service.dns, await getDomain(root, 'pets', HOST));
  const before = old.requests.length;
  assert.equal((await resultOf(root)).verdict, 'nothing_to_move');
  assert.equal(old.requests.length, before);

  for (let more = 0; more < 3; more++) await rehearse(root);
  const late = await root.call('POST', REHEARSALS);
  assert.match(await assertError(late, 429, 'rate_limited'), /Try again in \d+ minutes/);
  assert.ok(Number(late.headers.get('retry-after')) > 60);

  const unverified = { hostname: 'new.example.test', prepare: true };
  await json(await root.call('POST', '/api/projects/pets/domains', unverified), 201);
  const path = '/api/projects/pets/domains/new.example.test';
  await json(await root.call('POST', `${path}/verify`));
  const early = await root.call('POST', `${path}/rehearsals`);
  assert.match(
    await assertError(early, 409, 'conflict'),
    /create the record at _acme-challenge\.new/,
  );
});

test('a private address is not asked, unless the operator allows it', async (t) => {
  const { root, old } = await prepareMove(t, GUIDES, { dnsPrivateServers: 'refuse' });
  const { findings, comparison } = await resultOf(root);
  const [finding] = findings.filter(({ code }) => code === 'not_compared');
  assert.match(finding?.message ?? '', /127\.0\.0\.3, which is not an address of the internet/);
  assert.equal(comparison, null);
  assert.equal(old.requests.length, 0);
});
