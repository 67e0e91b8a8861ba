import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertError } from '../support/assert-error.ts';
import { serve } from '../support/program.ts';
import { startService } from '../support/service.ts';

// What the page is made of; a browser opens it in test/browser.

test('the root leads to the reference, whose policy lets nothing in from elsewhere', async (t) => {
  const { origin } = await startService(t, {
    config: { stagingBaseUrl: 'https://staging.example.com/v1' },
  });
  const root = await fetch(`${origin}/`, { redirect: 'manual' });
  assert.deepEqual([root.status, root.headers.get('location')], [302, '/reference']);
  const page = await fetch(`${origin}/reference`);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src 'self' ${origin} https://staging.example.com`,
    "frame-ancestors 'none'",
  ]) {
    assert.ok(policy.split('; ').includes(directive), `${directive} is not in ${policy}`);
  }
  assert.doesNotMatch(await page.text(), /<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\//);
});

test('what has its version in its name is kept for ever, under an older one it is asked for anew', async (t) => {
  const { origin } = await startService(t);
  const page = await (await fetch(`${origin}/reference`)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/_assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.equal(files.length, 3);
  for (const path of files) {
    const file = await fetch(origin + path);
    assert.equal(file.status, 200);
    assert.match(file.headers.get('cache-control') ?? '', /immutable/);
    const older = await fetch(origin + path?.replace(/-[0-9a-f]{16}/, '-0123456789abcdef'));
    assert.deepEqual([older.status, older.headers.get('cache-control')], [200, 'no-cache']);
  }
  for (const path of [
    '/reference/',
    '/reference/nothing',
    '/_assets/constructor-0123456789abcdef.js',
    '/_assets/other-0123456789abcdef.js',
    '/_assets/site.js',
  ]) {
    await assertError(await fetch(origin + path), 'not_found');
  }
});

test('the reference says its marks in words, and what takes the place of what is to be removed', async (t) => {
  const { origin } = await startService(t, { now: () => Date.parse('2026-06-01') });
  const page = async (path: string) => (await fetch(`${origin}/reference/${path}`)).text();
  const getPet = await page('pets/getPet');
  assert.match(getPet, /Removed on 5 December 2030/);
  assert.match(getPet, /Use <a href="\/reference\/pets\/listPets">List animals<\/a> with a/);
  assert.match(await page('pets/updatePet'), /<em>Beta: it hardly changes any more\.<\/em>/);
  assert.match(await page('orders/listOrders'), /<em>Experimental: it may change/);
  assert.doesNotMatch(await page('pets/listPets'), /ref-badge/);
});

test('the first reader of the reference makes no one else wait: most of the work is done on another thread', async (t) => {
  const { child, origin } = await serve(t, await temporaryFolder(t), {
    PETSTORE_DATABASE_URL: 'sqlite::memory:',
  });
  const ticks = (file: string) => {
    const [, fields = ''] = readFileSync(file, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13);
    return Number(user) + Number(system);
  };
  const spent = () => ({
    all: ticks(`/proc/${child.pid}/stat`),
    main: ticks(`/proc/${child.pid}/task/${child.pid}/stat`),
  });
  const before = spent();
  assert.equal((await fetch(`${origin}/reference`)).status, 200);
  const after = spent();
  const share = (after.main - before.main) / (after.all - before.all);
  assert.ok(share < 0.5, `the thread that answers did ${Math.round(share * 100)} % of it`);
});
