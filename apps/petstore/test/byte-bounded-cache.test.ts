import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBoundedCache } from '../src/byte-bounded-cache.ts';

test('entries never weigh more than allowed, and the newest stay', () => {
  const cache = new ByteBoundedCache<number>(100_000);
  for (let i = 1; i <= 50; i++) cache.set(`${i}`, i, 20_000);
  const kept = Array.from({ length: 50 }, (_, i) => i + 1).filter((i) => cache.get(`${i}`) === i);
  assert.deepEqual(kept, [47, 48, 49, 50]);
});

test('an entry that is replaced weighs once, and one beyond the bound is not kept', () => {
  const cache = new ByteBoundedCache<number>(50_000);
  for (let i = 0; i < 100; i++) cache.set('same', i, 20_000);
  cache.set('other', 1, 20_000);
  assert.deepEqual([cache.get('same'), cache.get('other')], [99, 1]);
  cache.set('huge', 1, 60_000);
  assert.equal(cache.get('huge'), undefined);
  cache.clear();
  assert.equal(cache.get('same'), undefined);
});

test('a cache of no bytes keeps nothing', () => {
  const cache = new ByteBoundedCache<number>(0);
  cache.set('a', 1, 0);
  assert.equal(cache.get('a'), undefined);
});
