import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitResponses } from '../src/response-rate.ts';

const RATE = { perSecond: 10, burst: 2 };

test('a network is a /24, and a /56 in IPv6, however its addresses are written', () => {
  const networks: [same: string[], other: string][] = [
    [['192.0.2.1', '192.0.2.255', '::ffff:192.0.2.7'], '192.0.3.1'],
    [['2001:db8:0:100::1', '2001:db8::1ff:0:0:0:1', '2001:db8:0:1aa:ffff::'], '2001:db8:0:200::1'],
    [['fe80::1%eth0', 'fe80::2'], 'fe80:0:0:100::1'],
  ];
  for (const [same, other] of networks) {
    const allowance = limitResponses({ perSecond: 1, burst: same.length }, () => 0);
    for (const address of same) assert.equal(allowance(address), 'answer', address);
    for (const address of same) assert.notEqual(allowance(address), 'answer', address);
    assert.equal(allowance(other), 'answer', other);
  }
});

test('after a burst a network has its rate, and of the rest each second response is truncated', () => {
  let now = 0;
  const allowance = limitResponses(RATE, () => now);
  const take = (count: number) => Array.from({ length: count }, () => allowance('192.0.2.1'));
  assert.deepEqual(take(6), ['answer', 'answer', 'drop', 'slip', 'drop', 'slip']);
  now = 100;
  assert.deepEqual(take(2), ['answer', 'drop']);
  now = 60_000;
  assert.deepEqual(take(3), ['answer', 'answer', 'slip']);
});

test('a clock that is put back silences nobody', () => {
  let now = 60_000;
  const allowance = limitResponses(RATE, () => now);
  assert.equal(allowance('192.0.2.1'), 'answer');
  now = 0;
  assert.equal(allowance('192.0.2.1'), 'answer');
  now = 100;
  assert.equal(allowance('192.0.2.1'), 'answer');
});

test('a flood from every address takes no more memory than from some', () => {
  const allowance = limitResponses(RATE, () => 0);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 400_000; i += 1)
    allowance(`${i & 255}.${(i >> 8) & 255}.${(i >> 16) & 255}.1`);
  globalThis.gc?.();
  assert.ok(process.memoryUsage().heapUsed - before < 60_000_000);
  assert.equal(allowance('127.0.0.1'), 'answer');
});
