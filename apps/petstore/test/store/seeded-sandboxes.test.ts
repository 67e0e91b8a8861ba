import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import {
  canonicalFilter,
  PetFilter,
  type PetFilter as PetFilterType,
  searchFor,
} from '../../src/pets/pet-filter.ts';
import { MAX_SEED } from '../../src/pets/synthetic-pet.ts';
import { DEFAULT_PETS } from '../../src/sandboxes/sandbox.ts';
import { decodeState, encodeState, stateText } from '../../src/store/sandbox/encoded-state.ts';
import { searchPets } from '../../src/store/sandbox/sandbox-pages.ts';
import { seededState } from '../../src/store/sandbox/seeded-state.ts';

// These digests never change: lessons and tests of others name a seed, and expect its animals.
const DIGESTS = [
  [200, 50, '51a049f4d72cfc889259b65622a545ffba79cf664d74f45a3f2870efd6acf85f'],
  [0, 0, '097c3ce363aff40189be103c7d7491b489c29c8c52b9f6f2957fe891b02b2c3a'],
  [MAX_SEED, 500, 'd74585456d60dcfe81c81879cc272d662ab1c6a3dcc90ed67d9320497558ecb5'],
] as const;

test('a seed and a number of animals give the same data for ever', () => {
  for (const [seed, pets, digest] of DIGESTS) {
    assert.equal(hash('sha256', stateText(seededState({ seed, pets }))), digest, `${seed} ${pets}`);
  }
});

test('the data of a seed keep the rules: ids from 1, one open order for each pending animal, none for others', () => {
  const { pets, orders, categories, next } = seededState({ seed: 7, pets: 300 });
  assert.deepEqual(
    [...pets.keys()],
    Array.from({ length: 300 }, (_, i) => BigInt(i + 1)),
  );
  const open = [...orders.values()].filter(({ status }) => status === 'placed');
  const pending = [...pets].filter(([, { status }]) => status === 'pending');
  assert.ok(pending.length > 10);
  assert.deepEqual(
    open.map(({ petId }) => petId),
    pending.map(([id]) => id),
  );
  assert.ok([...pets.values()].every(({ categoryId }) => categories.has(categoryId)));
  for (const { petId, status, id } of orders.values()) {
    if (status === 'completed') assert.equal(pets.get(petId)?.status, 'sold');
    assert.ok(id < next.order);
  }
  assert.equal(new Set(categories.values()).size, categories.size);
});

test("the filter that the document shows finds something in every seed's animals", () => {
  const [example] = (PetFilter as { examples?: PetFilterType[] }).examples ?? [];
  assert.ok(example);
  const search = searchFor({ filter: canonicalFilter(example), after: undefined }, 1_000);
  for (let seed = 1; seed <= 200; seed++) {
    const { json } = searchPets(seededState({ seed, pets: DEFAULT_PETS }), search);
    assert.notEqual(json, '[]', `${seed}`);
  }
});

test('a state is read as it was written, whatever it holds', () => {
  const state = {
    ...seededState({ seed: 1, pets: 30 }),
    results: new Map([['k "ß"', { fingerprint: 'AAAA', result: '{"id":"1"}', at: 5 }]]),
    next: { pet: 2n ** 63n - 1n, category: 9007199254740993n, order: 1n },
  };
  assert.deepEqual(decodeState(encodeState(state)), state);
});
