import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import { PageCache } from '../../src/store/sqlite/page-cache.ts';

/** A page of some 20,000 bytes. */
const page = () => ({ json: 'x'.repeat(10_000), next: undefined });

/** Whether a page has to be read, which then is in the cache as the newest. */
function isRead(cache: PageCache, name: string, made = page()): boolean {
  return cache.get(name, () => made) === made;
}

test('pages never weigh more than allowed, and those that were used last stay', () => {
  const cache = new PageCache(100_000, new Metrics());
  for (let i = 1; i <= 50; i++) {
    assert.ok(isRead(cache, `${i}`));
    if (i > 1) assert.ok(!isRead(cache, '1'), 'it was used just now');
  }
  const kept = Array.from({ length: 50 }, (_, i) => `${i + 1}`).filter((name) => {
    let wasRead = false;
    cache.get(name, () => {
      wasRead = true;
      return { json: '', next: undefined };
    });
    return !wasRead;
  });
  assert.deepEqual(kept, ['1', '48', '49', '50']);
});

test('a page beyond the bound is not kept, nor any where there is no room', () => {
  const cache = new PageCache(50_000, new Metrics());
  for (let i = 0; i < 2; i++) {
    assert.ok(isRead(cache, 'huge', { json: 'x'.repeat(30_000), next: undefined }));
  }
  assert.ok(isRead(cache, 'a'));
  assert.ok(!isRead(cache, 'a'));
  cache.clear();
  assert.ok(isRead(cache, 'a'));
  const none = new PageCache(0, new Metrics());
  for (let i = 0; i < 2; i++) assert.ok(isRead(none, 'a', { json: '[]', next: undefined }));
});
