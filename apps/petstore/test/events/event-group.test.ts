import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventsOf, NotedEvents } from '../../src/events/event-group.ts';
import { INT64_MAX, INT64_MIN } from '../../src/int64.ts';
import { petJson } from '../../src/pets/pet-rules.ts';

// The text in which the events of a commit are stored: whatever was noted is read again, to the letter.

const TYPES = ['pet.created', 'pet.updated', 'pet.deleted'] as const;

const anAnimal = fc.record({
  type: fc.constantFrom(...TYPES),
  // Mostly neighbours, whose lines are short.
  id: fc.oneof({ weight: 9, arbitrary: fc.bigInt(-2n, 3n) }, fc.constantFrom(INT64_MIN, INT64_MAX)),
  pet: fc.record({
    name: fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }),
      fc.constantFrom(
        'a "b" \\',
        '\n\r\u2028',
        '猫🐈 Ü',
        '7 sold "x"',
        'pet.deleted 3 7 sold "x"',
        ' ',
      ),
    ),
    categoryId: fc.constantFrom(1n, 7n, -7n, INT64_MIN, INT64_MAX),
    status: fc.constantFrom('available', 'pending', 'sold'),
  }),
});
const aNote = fc.oneof(
  { weight: 8, arbitrary: anAnimal },
  { weight: 3, arbitrary: fc.constantFrom('mark', 'undo') },
  fc.constantFrom('order', 'clear'),
);

const ORDER = '{"id":1,"petId":2,"status":"placed"}';

test('what is noted is read again to the letter, from any event on, and without what was undone', () => {
  const check = fc.property(fc.array(aNote, { maxLength: 25, size: 'max' }), (notes) => {
    const noted = new NotedEvents();
    let expected: string[] = [];
    let marked: string[] = [];
    noted.mark();
    for (const note of notes) {
      if (note === 'order') {
        noted.note('order.placed', ORDER);
        expected = [...expected, `order.placed ${ORDER}`];
      } else if (note === 'mark') {
        noted.mark();
        marked = expected;
      } else if (note === 'undo') {
        noted.undo();
        expected = marked;
      } else if (note === 'clear') {
        noted.clear();
        noted.mark();
        expected = [];
        marked = [];
      } else {
        const { type, id, pet } = note;
        noted.notePet(type, id, pet);
        expected = [...expected, `${type} ${petJson(id, pet)}`];
      }
    }
    assert.equal(noted.count, expected.length);
    if (expected.length === 0) return;
    const group = { firstId: 11n, at: 5, events: noted.text };
    for (let after = 9; after <= 11 + expected.length; after++) {
      for (const limit of [1, 3, 100]) {
        const first = Math.max(0, after - 10);
        assert.deepEqual(
          eventsOf(group, BigInt(after), limit).map(
            ({ id, type, data }) => `${id} ${type} ${data}`,
          ),
          expected.slice(first, first + limit).map((event, i) => `${11 + first + i} ${event}`),
        );
      }
    }
  });
  fc.assert(check, { numRuns: 300 });
});

test('lines in a row are short, and those that earlier versions wrote are read', () => {
  const noted = new NotedEvents();
  const pet = { name: 'Rex', categoryId: 7n, status: 'sold' } as const;
  for (const id of [5n, 6n, 8n]) noted.notePet('pet.created', id, pet);
  assert.deepEqual(noted.text.split('\n'), [
    ...['pet.created 5 7 sold "Rex"', '7 sold "Rex"', 'pet.created 8 7 sold "Rex"'],
  ]);
  // What was undone is not gone on with.
  noted.mark();
  noted.notePet('pet.updated', 5n, pet);
  noted.undo();
  noted.notePet('pet.updated', 6n, pet);
  assert.equal(noted.text.split('\n').at(-1), 'pet.updated 6 7 sold "Rex"');
  const before = { firstId: 1n, at: 0, events: `pet.created ${petJson(5n, pet)}\npet.deleted {}` };
  assert.deepEqual(
    eventsOf(before, 0n, 10).map(({ type, data }) => `${type} ${data}`),
    [`pet.created ${petJson(5n, pet)}`, 'pet.deleted {}'],
  );
});
