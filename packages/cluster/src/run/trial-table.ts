import { table } from '@petstore/service/table.ts';
import type { Trial } from './trial.ts';

const HEAD = [
  'what happens',
  'for',
  'reads away',
  'p99 of reads',
  'writes away',
  'well again after',
] as const;

/**
 * What clients saw of each fault, one row each, as in deploy/cluster/README.md. Of one that was played several times the
 * median, and the longest behind it.
 */
export function trialTable(trials: readonly Trial[]): string {
  const rows = [...Map.groupBy(trials, ({ title }) => title)].flatMap(([title, some]) => {
    const heldMs = median(some.map((one) => one.heldMs));
    const times = some.length > 1 ? ` (${some.length} times)` : '';
    return [
      [
        `${title}${times}`,
        heldMs < 1_000 ? 'at once' : seconds(heldMs),
        summary(some.map(({ reads }) => reads.awayMs)),
        summary(
          some.map(({ reads }) => reads.p99),
          (ms) => `${Math.round(ms)} ms`,
        ),
        summary(some.map(({ writes }) => writes.awayMs)),
        summary(some.map(({ wholeAfterMs }) => wholeAfterMs)),
      ],
      ...aloneRows(some),
    ];
  });
  const lines = [[...HEAD], HEAD.map(() => '---'), ...rows];
  return table(lines.map((row) => row.map((cell) => `| ${cell}`).concat('|')));
}

/** The machines that a fault reached: past the balancers, which send clients to the others. */
function aloneRows(trials: readonly Trial[]): string[][] {
  const all = trials.flatMap(({ reached = [] }) => reached);
  return [...Map.groupBy(all, ({ after }) => after.name)].map(([name, some]) => [
    `… ${name} by itself`,
    '',
    summary(some.map(({ during, after }) => Math.max(during.reads.awayMs, after.reads.awayMs))),
    '',
    summary(some.map(({ during, after }) => Math.max(during.writes.awayMs, after.writes.awayMs))),
    summary(some.map(({ after }) => Math.max(after.reads.awayMs, after.writes.awayMs))),
  ]);
}

function summary(values: readonly number[], words = seconds): string {
  const middle = words(median(values));
  return values.length > 1 ? `${middle} (${words(Math.max(...values))})` : middle;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** `1.5 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
