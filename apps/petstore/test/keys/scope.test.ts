import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers, DEFAULT_SCOPES, SCOPES } from '../../src/keys/scope.ts';

test('a scope covers itself alone, and admin covers all', () => {
  assert.deepEqual(SCOPES, [
    ...['pets:read', 'pets:write', 'orders:read', 'orders:write'],
    ...['events:read', 'webhooks:read', 'webhooks:write', 'admin'],
  ]);
  for (const granted of SCOPES) {
    for (const needed of SCOPES) {
      assert.equal(covers([granted], needed), granted === needed || granted === 'admin');
    }
  }
  assert.equal(covers([], 'pets:read'), false);
  assert.equal(covers(['orders:read', 'pets:read'], 'pets:read'), true);
});

test('a key that nothing is said of may do all that there is to do with animals and orders', () => {
  for (const needed of SCOPES) assert.equal(covers(DEFAULT_SCOPES, needed), needed !== 'admin');
});
