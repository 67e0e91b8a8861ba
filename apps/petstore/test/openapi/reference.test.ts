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
  assert.doesNotMatch(await page.text(), /(?:src|href)="(?:https?:)?\/\//);
});

test('what has its version in its name is kept for ever, under an older one it is asked for anew', async (t) => {
  const { origin } = await startService(t);
  const page = await (await fetch(`${origin}/reference`)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/reference\/[^"]+)"/g)].map(([, path]) => path);
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
    '/reference/nothing.js',
    '/reference/constructor-0123456789abcdef.js',
    '/reference/other-0123456789abcdef.js',
  ]) {
    await assertError(await fetch(origin + path), 'not_found');
  }
});

test("the reference's document says its marks in words, and has no number that a browser would round", async (t) => {
  const { origin } = await startService(t, { now: () => Date.parse('2026-06-01') });
  const text = await (await fetch(`${origin}/reference/openapi.json`)).text();
  JSON.parse(text, (name, value, { source }: { source?: string } = {}) => {
    if (typeof value === 'number') assert.equal(String(value), source, name);
    return value;
  });
  const { paths } = JSON.parse(text) as {
    paths: Record<string, Record<string, { description: string; 'x-badges'?: object[] }>>;
  };
  const getPet = paths['/pets/{petId}']?.get;
  assert.match(
    getPet?.description ?? '',
    /^\*\*To be removed on 5 December 2030\.\*\* Use \[List animals\]/,
  );
  assert.deepEqual(getPet?.['x-badges'], [{ name: 'until 5 December 2030', color: '#b3261e' }]);
  assert.match(paths['/pets/{petId}']?.patch?.description ?? '', /^\*Beta: /);
  assert.match(paths['/store/orders']?.get?.description ?? '', /^\*Experimental: /);
  assert.equal(paths['/pets']?.get?.['x-badges'], undefined);
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
