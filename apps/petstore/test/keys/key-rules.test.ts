import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKey, type KeyRecord } from '../../src/keys/key.ts';
import { isValid, type Rotation, type RotationOrder, rotate } from '../../src/keys/key-rules.ts';
import { isRefusal } from '../../src/refusal.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-01T00:00:00.000Z');
const onDay = (day: number) => new Date(START + day * DAY_MS);

const keyWith = (changes: Partial<KeyRecord> = {}): KeyRecord => ({
  ...generateKey('ci', 'staging', onDay(0), { scopes: ['pets:read'] }).record,
  id: 'key_1',
  ...changes,
});

function rotated(key: KeyRecord, order: RotationOrder): Rotation {
  const result = rotate(key, order);
  assert.ok(!isRefusal(result), JSON.stringify(result));
  return result;
}

const ORDER: RotationOrder = { at: onDay(10), until: onDay(11) };

test('a key is valid until the moment in which it expires, and never once it is revoked', () => {
  assert.equal(isValid(keyWith(), onDay(1_000_000)), true);
  const expiring = keyWith({ expiresAt: onDay(2) });
  assert.equal(isValid(expiring, new Date(onDay(2).getTime() - 1)), true);
  assert.equal(isValid(expiring, onDay(2)), false);
  assert.equal(isValid(keyWith({ revokedAt: onDay(5) }), onDay(4)), false);
  assert.equal(isValid(keyWith({ revokedAt: onDay(5), expiresAt: onDay(9) }), onDay(4)), false);
});

test('the successor of a key has its name, environment and scopes, and a secret of its own', () => {
  const key = keyWith();
  const { replaced, until, successor } = rotated(key, ORDER);
  assert.equal(replaced, key);
  assert.deepEqual(until, onDay(11));
  const { id, ...record } = successor.record;
  assert.notEqual(id, key.id);
  const { id: _, ...before } = key;
  assert.deepEqual(record, { ...before, createdAt: onDay(10) });
  assert.match(successor.key, /^pk_test_/);
});

test('a successor lives as long as its key was created for, unless it is told when to end', () => {
  const key = keyWith({ createdAt: onDay(3), expiresAt: onDay(33) });
  assert.deepEqual(rotated(key, ORDER).successor.record.expiresAt, onDay(40));
  const told = rotated(key, { ...ORDER, expiresAt: onDay(12) });
  assert.deepEqual(told.successor.record.expiresAt, onDay(12));
  const endless = rotated(keyWith(), { ...ORDER, expiresAt: onDay(13) });
  assert.deepEqual(endless.successor.record.expiresAt, onDay(13));
});

test('a key that is replaced works until the overlap ends, and never longer than it would have', () => {
  assert.deepEqual(rotated(keyWith({ expiresAt: onDay(20) }), ORDER).until, onDay(11));
  const sooner = new Date(onDay(11).getTime() - 1);
  assert.deepEqual(rotated(keyWith({ expiresAt: sooner }), ORDER).until, sooner);
});

test('a key that no longer works, or has a successor, is not replaced, and the refusal says what to do', () => {
  const instead = 'Create a new one: petstore keys create --name NAME';
  const refusals: [KeyRecord | undefined, string, string][] = [
    [undefined, 'not_found', 'No key has this id.'],
    [
      keyWith({ revokedAt: onDay(9), expiresAt: onDay(9), replacedBy: 'key_2' }),
      'conflict',
      `key_1 was revoked on 2026-11-10T00:00:00.000Z. ${instead}`,
    ],
    [
      keyWith({ expiresAt: onDay(10), replacedBy: 'key_2' }),
      'conflict',
      `key_1 expired on 2026-11-11T00:00:00.000Z. ${instead}`,
    ],
    [
      keyWith({ replacedBy: 'key_2' }),
      'conflict',
      'key_1 was rotated already: key_2 replaces it. Rotate that one, or revoke key_1 to end it sooner.',
    ],
  ];
  for (const [key, refused, message] of refusals) {
    assert.deepEqual(rotate(key, ORDER), { refused, message });
  }
});
