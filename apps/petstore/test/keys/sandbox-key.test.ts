import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  generateKey,
  generateSandboxKey,
  hashKey,
  isWellFormedKey,
  isWellFormedSandboxKey,
  looksLikeKey,
} from '../../src/keys/key.ts';

test("a sandbox's key looks like one, and is that of no environment", () => {
  const { key, hash } = generateSandboxKey();
  assert.match(key, /^pk_sand_[0-9A-Za-z]{38}$/);
  assert.equal(hash, hashKey(key));
  assert.notEqual(generateSandboxKey().key, key);
  assert.ok(isWellFormedSandboxKey(key));
  assert.ok(looksLikeKey(key));
  assert.ok(!isWellFormedKey(key, 'production') && !isWellFormedKey(key, 'staging'));
  assert.ok(!isWellFormedSandboxKey(generateKey('x', 'staging', new Date()).key));
  for (let at = 0; at < key.length; at++) {
    const typo = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
    assert.ok(!isWellFormedSandboxKey(typo), typo);
  }
});
