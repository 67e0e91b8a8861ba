import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityTag } from '@petstore/http/entity-tags.ts';
import type { PetFields, PetPatch, PetStatus } from '../../src/pets/pet.ts';
import {
  expectPet,
  patchPet,
  petJson,
  refuseRemoval,
  refuseTransition,
} from '../../src/pets/pet-rules.ts';

const REX: PetFields = { name: 'Rex', categoryId: 1n, status: 'available' };

const ORDERED = {
  refused: 'conflict',
  message: 'An open order names this animal. Complete or cancel the order first.',
};

test('a status changes only to those that may follow it, and the refusal names them', () => {
  const refused: [PetStatus, PetStatus, string | undefined][] = [
    ['available', 'available', undefined],
    ['available', 'pending', undefined],
    ['available', 'sold', undefined],
    ['pending', 'available', undefined],
    ['pending', 'pending', undefined],
    ['pending', 'sold', undefined],
    ['sold', 'available', undefined],
    ['sold', 'pending', 'An animal that is sold can become available, not pending.'],
    ['sold', 'sold', undefined],
  ];
  for (const [from, to, message] of refused) {
    const expected = message && { refused: 'invalid_transition', message };
    assert.deepEqual(refuseTransition(from, to), expected, `${from} to ${to}`);
  }
});

test('a patch changes what it names and nothing else', () => {
  const patches: [PetPatch, PetFields][] = [
    [{ name: 'Max' }, { ...REX, name: 'Max' }],
    [{ categoryId: 2n }, { ...REX, categoryId: 2n }],
    [{ status: 'sold' }, { ...REX, status: 'sold' }],
  ];
  for (const [patch, after] of patches) {
    assert.deepEqual(patchPet(REX, patch, false), after);
    assert.deepEqual(patchPet(REX, patch, true), ORDERED, 'not while an order is open');
  }
  assert.deepEqual(
    patchPet({ ...REX, status: 'sold' }, { name: 'Max', status: 'pending' }, false),
    {
      refused: 'invalid_transition',
      message: 'An animal that is sold can become available, not pending.',
    },
  );
});

test('a patch that changes nothing gives the same animal, even while an order is open', () => {
  for (const patch of [{}, { name: 'Rex' }, { categoryId: 1n }, { ...REX }] as PetPatch[]) {
    assert.equal(patchPet(REX, patch, false), REX);
    assert.equal(patchPet(REX, patch, true), REX);
  }
});

test('an animal leaves unless an open order names it', () => {
  assert.equal(refuseRemoval(false), undefined);
  assert.deepEqual(refuseRemoval(true), ORDERED);
});

test('a write needs an animal that is there, and as the client says', () => {
  const ifMatch = (tag: string) => ({ ifMatch: tag, ifNoneMatch: undefined });
  assert.equal(expectPet(1n, REX, undefined), REX);
  assert.equal(expectPet(1n, REX, ifMatch(entityTag(petJson(1n, REX)))), REX);
  const other = expectPet(1n, REX, ifMatch(entityTag(petJson(2n, REX))));
  assert.equal('refused' in other && other.refused, 'precondition_failed');
  const missing = { refused: 'not_found', message: 'No animal has this id.' };
  assert.deepEqual(expectPet(1n, undefined, ifMatch('"x"')), missing);
});
