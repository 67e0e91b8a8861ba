import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityTag } from '@petstore/http/entity-tags.ts';
import type { StoredOrder } from '../../src/orders/order.ts';
import { endOrder, orderJson, orderNotFound, refuseOrder } from '../../src/orders/order-rules.ts';

const placedAt = new Date(0);
const ORDER: StoredOrder = { id: 1n, petId: 2n, status: 'placed', placedAt, updatedAt: placedAt };

test('an order is placed for an available animal alone', () => {
  assert.equal(refuseOrder('available'), undefined);
  for (const status of ['pending', 'sold'] as const) {
    const message = `The animal is ${status}. Only an available one can be ordered.`;
    assert.deepEqual(refuseOrder(status), { refused: 'conflict', message });
  }
  const message = 'No animal has the id that petId names.';
  assert.deepEqual(refuseOrder(undefined), { refused: 'not_found', message });
  assert.deepEqual(orderNotFound(), { refused: 'not_found', message: 'No order has this id.' });
});

test('the animal of a completed order is sold, that of a cancelled one is available again', () => {
  assert.equal(endOrder(ORDER, 'pending', 'completed', undefined), 'sold');
  assert.equal(endOrder(ORDER, 'pending', 'cancelled', undefined), 'available');
});

test('an order that has ended does not end again, whatever became of its animal', () => {
  for (const status of ['completed', 'cancelled'] as const) {
    for (const end of ['completed', 'cancelled'] as const) {
      const message = `The order is ${status} already. Only a placed one can be ${end}.`;
      const ended = endOrder({ ...ORDER, status }, 'pending', end, undefined);
      assert.deepEqual(ended, { refused: 'invalid_transition', message });
    }
  }
});

test('an open order whose animal is not pending any more does not end, and the refusal says what the animal is', () => {
  const founds = [
    ['available', 'is available'],
    ['sold', 'is sold'],
    [undefined, 'is gone'],
  ] as const;
  for (const [status, found] of founds) {
    const message = `The animal of this order ${found}; it should be pending.`;
    const ended = endOrder(ORDER, status, 'cancelled', undefined);
    assert.deepEqual(ended, { refused: 'conflict', message });
  }
});

test('what the client says of an order is asked first of all', () => {
  const ended = { ...ORDER, status: 'completed' } as const;
  const precondition = { ifMatch: entityTag(orderJson(ORDER)), ifNoneMatch: undefined };
  const refused = endOrder(ended, undefined, 'completed', precondition);
  assert.equal(typeof refused === 'object' && refused.refused, 'precondition_failed');
  assert.equal(endOrder(ORDER, 'pending', 'completed', precondition), 'sold');
});
