import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { History, type Violation } from '@petstore/cluster/checker/history.ts';
import '@petstore/test-support/clean-up.ts';

/** A history, and the kinds of what it found. */
function record() {
  const violations: Violation[] = [];
  const history = new History((violation) => violations.push(violation));
  return { history, found: () => violations.splice(0).map(({ kind }) => kind) };
}

/** A moment after which a request begins. */
async function later(): Promise<number> {
  await sleep(1);
  return performance.now();
}

test('responses that fit together are not a violation', async () => {
  const { history, found } = record();
  history.mayBeCreated('never answered');
  history.created('a', 1);
  history.created('b', 2);
  history.created('b', 2);
  const sentAt = await later();
  history.found(1, sentAt, true);
  history.listed({ sentAt, behind: 0, ids: [1, 2, 3], isLast: true });
  history.listed({ sentAt, behind: 0, ids: [1], isLast: false });
  history.counted(9, 4);
  history.read(9, 5, history.least(9));
  history.sold(1, 7);
  history.sold(1, 7);
  const animals = new Map([
    [1, 'a'],
    [2, 'b'],
    [3, 'never answered'],
    [9, 'counter 5'],
  ]);
  history.finallyThere(animals);
  history.finallyOrdered(new Map([[7, 1]]));
  history.finallyWalked(new Set([1, 2, 3, 9]), 9, animals);
  assert.deepEqual(found(), []);
});

test('an acknowledged animal that is not there, or not on its page, is a lost write', async () => {
  const { history, found } = record();
  history.created('a', 1);
  history.created('c', 3);
  const sentAt = await later();
  history.found(1, sentAt, false);
  assert.deepEqual(found(), ['lost write']);
  history.listed({ sentAt, behind: 0, ids: [3], isLast: true });
  assert.deepEqual(found(), ['lost write'], 'left out in the middle');
  history.listed({ sentAt, behind: 0, ids: [1], isLast: true });
  assert.deepEqual(found(), ['lost write'], 'left out at the end');
  history.finallyThere(new Map([[1, 'a']]));
  assert.deepEqual(found(), ['lost write']);
});

test('what was acknowledged after a request began need not show in its response', () => {
  const { history, found } = record();
  const sentAt = performance.now();
  history.created('a', 1);
  history.found(1, sentAt, false);
  history.listed({ sentAt, behind: 0, ids: [], isLast: true });
  assert.deepEqual(found(), []);
});

test('a page in the wrong order, a counter that goes back, and a row that vanishes are found', () => {
  const { history, found } = record();
  history.listed({ sentAt: 0, behind: 4, ids: [6, 5], isLast: true });
  history.listed({ sentAt: 0, behind: 4, ids: [4], isLast: true });
  assert.deepEqual(found(), ['wrong order', 'wrong order']);
  history.counted(9, 4);
  history.read(9, 3, history.least(9));
  assert.deepEqual(found(), ['went back']);
  history.finallyWalked(new Set([1, 2]), 2, new Map([[1, 'a']]));
  assert.deepEqual(found(), ['went back']);
});

test('what is done twice is found: an id, a name, a sale', () => {
  const { history, found } = record();
  history.created('a', 1);
  history.created('a', 2);
  history.created('b', 1);
  assert.deepEqual(found(), ['done twice', 'done twice']);
  history.sold(5, 1);
  history.sold(5, 2);
  assert.deepEqual(found(), ['sold twice']);
});

test('in the end the store has what was acknowledged, once, and nothing that nobody asked for', () => {
  const { history, found } = record();
  history.created('a', 1);
  history.finallyThere(
    new Map([
      [1, 'a'],
      [2, 'a'],
    ]),
  );
  assert.deepEqual(found(), ['done twice']);
  history.finallyThere(
    new Map([
      [1, 'a'],
      [2, 'a stranger'],
    ]),
  );
  assert.deepEqual(found(), ['wrong response']);
  history.finallyWalked(
    new Set([2]),
    2,
    new Map([
      [1, 'a'],
      [2, 'b'],
    ]),
  );
  assert.deepEqual(found(), ['left out']);
  history.sold(1, 7);
  history.finallyOrdered(new Map([[8, 1]]));
  assert.deepEqual(found(), ['lost write']);
  history.finallyOrdered(
    new Map([
      [7, 1],
      [8, 1],
    ]),
  );
  assert.deepEqual(found(), ['sold twice']);
});
