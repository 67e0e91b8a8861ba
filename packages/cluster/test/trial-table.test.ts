import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figures } from '@petstore/cluster/checker/statistics.ts';
import type { Trial } from '@petstore/cluster/run/trial.ts';
import { trialTable } from '@petstore/cluster/run/trial-table.ts';
import '@petstore/test-support/clean-up.ts';

const away = (awayMs: number): Figures => ({
  ...{ ok: 1, unavailable: 1, awayMs, p50: 2, p99: awayMs / 10, longestMs: awayMs },
});

function trial(title: string, awayMs: number, what: Partial<Trial> = {}): Trial {
  const about = { fault: title, title, at: '', to: 'db1', heldMs: 5_000, wholeAfterMs: awayMs };
  return { ...about, reads: away(awayMs), writes: away(2 * awayMs), ...what };
}

test('each fault has a row, and each machine that it reached one of its own', () => {
  const during = { name: 'api1', reads: away(9_000), writes: away(9_000) };
  const reached = [{ during, after: { ...during, reads: away(200), writes: away(300) } }];
  assert.equal(
    trialTable([trial('One', 1_000), trial('Other', 100, { heldMs: 5, reached })]),
    `
| what happens      | for      | reads away  | p99 of reads  | writes away  | well again after  |
| ---               | ---      | ---         | ---           | ---          | ---               |
| One               | 5.0 s    | 1.0 s       | 100 ms        | 2.0 s        | 1.0 s             |
| Other             | at once  | 0.1 s       | 10 ms         | 0.2 s        | 0.1 s             |
| … api1 by itself  |          | 9.0 s       |               | 9.0 s        | 0.3 s             |`.trim(),
  );
});

test('one that was played several times has the median, and the longest', () => {
  const [, , row] = trialTable(
    [3_000, 1_000, 2_000].map((ms) => trial('One', ms, { heldMs: 2 * ms })),
  ).split('\n');
  assert.deepEqual(
    row?.split('|').map((cell) => cell.trim()),
    [
      '',
      'One (3 times)',
      '4.0 s',
      '2.0 s (3.0 s)',
      '200 ms (300 ms)',
      '4.0 s (6.0 s)',
      '2.0 s (3.0 s)',
      '',
    ],
  );
});
