import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Window } from '../../src/rate-limits/rate-limiter.ts';

const share = (requests: number, left: number) => ({ requests, left, endsInMs: 0 });

const takeAll = (window: Window) => {
  let taken = 0;
  while (window.take()) taken++;
  return taken;
};

test('a window runs until the moment in which it ends', () => {
  const window = new Window(5_000, 1);
  assert.equal(window.isRunning(4_999), true);
  assert.equal(window.isRunning(5_000), false);
});

test('as many requests pass as are at hand, and it is used up when nobody has more', () => {
  const window = new Window(5_000, 2);
  assert.equal(window.isUsedUp, false);
  assert.equal(takeAll(window), 2);
  assert.equal(window.isUsedUp, true);
  window.add(share(3, 4), 5_000);
  assert.equal(takeAll(window), 3);
  assert.equal(window.isUsedUp, false, 'four are with the database');
  window.takeAll();
  assert.equal(takeAll(window), 4);
  window.takeAll();
  assert.equal(takeAll(window), 0, 'nothing is taken twice');
  assert.equal(window.isUsedUp, true);
});

test('what is returned does not pass here, and counts as left until others took it', () => {
  const window = new Window(5_000, 0);
  window.add(share(5, 3), 5_000);
  window.take();
  assert.equal(window.returnUnused(), 4);
  assert.equal(window.returnUnused(), 0, 'nothing is returned twice');
  assert.equal(window.take(), false);
  assert.equal(window.isUsedUp, false);
  assert.equal(window.header(0), '"default";r=3;t=5', 'the others tell how much it is');
  window.add(share(2, 0), 5_000);
  window.take();
  assert.equal(window.returnUnused(), 1);
  assert.equal(window.isUsedUp, false, 'nobody may have taken it yet');
  assert.equal(window.header(0), '"default";r=1;t=5');
});

test('the next share is asked for when half of what was at hand is left, and there is more', () => {
  const window = new Window(5_000, 1);
  window.add(share(5, 10), 5_000);
  const low = () => {
    const { isLow } = window;
    window.take();
    return isLow;
  };
  assert.deepEqual(Array.from({ length: 7 }, low), [false, false, false, true, true, true, true]);
  window.add(share(2, 1), 5_000);
  assert.deepEqual(Array.from({ length: 3 }, low), [false, true, true], 'one is more');
  window.add(share(2, 0), 5_000);
  assert.deepEqual(Array.from({ length: 3 }, low), [false, false, false], 'there is no more');
});

test('the header tells what is left for everyone, and the seconds to the end, rounded up', () => {
  const window = new Window(5_000, 3);
  const seconds: [number, number][] = [
    [0, 5],
    [1, 5],
    [999, 5],
    [1_000, 4],
    [3_999, 2],
    [4_000, 1],
    [4_999, 1],
  ];
  for (const [now, left] of seconds) {
    assert.equal(window.secondsLeft(now), left);
    assert.equal(window.header(now), `"default";r=3;t=${left}`, `${now}`);
  }
  window.take();
  window.add(share(1, 7), 8_000);
  assert.equal(window.header(4_999), '"default";r=10;t=4', 'the later end counts at once');
  window.add(share(0, 7), 6_000);
  assert.equal(window.header(4_999), '"default";r=10;t=4');
});
