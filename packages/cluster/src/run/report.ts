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

/** What clients saw of each fault, one line each, as in deploy/cluster/README.md. */
export function trialTable(trials: readonly Trial[]): string {
  const rows = trials.flatMap(({ title, heldMs, reads, writes, wholeAfterMs, reached = [] }) => [
    [
      title,
      heldMs < 1_000 ? 'at once' : seconds(heldMs),
      seconds(reads.awayMs),
      `${Math.round(reads.p99)} ms`,
      seconds(writes.awayMs),
      seconds(wholeAfterMs),
    ],
    // Past the balancers, which send clients to the other machines.
    ...reached.map(({ during, after }) => [
      `… ${after.name} by itself`,
      '',
      seconds(Math.max(during.reads.awayMs, after.reads.awayMs)),
      '',
      seconds(Math.max(during.writes.awayMs, after.writes.awayMs)),
      seconds(Math.max(after.reads.awayMs, after.writes.awayMs)),
    ]),
  ]);
  const lines = [[...HEAD], HEAD.map(() => '---'), ...rows];
  return table(lines.map((row) => row.map((cell) => `| ${cell}`).concat('|')));
}

/** One machine fails while the others go on. */
export function trialLine({
  title,
  to,
  reads,
  writes,
  wholeAfterMs,
  steady,
  reached = [],
}: Trial): string {
  const alone = reached.map(
    ({ after: { name, reads, writes } }) =>
      `; ${name} by itself reads after ${seconds(reads.awayMs)}, writes after ${seconds(writes.awayMs)}`,
  );
  const meanwhile = steady
    ? `; meanwhile p99 of reads ${steady.reads.p99} ms (${steady.before.p99} before), ${steady.connections} connections`
    : '';
  return `${title} (${to}): reads away ${seconds(reads.awayMs)}, writes away ${seconds(writes.awayMs)}, whole ${seconds(wholeAfterMs)} after${meanwhile}${alone.join('')}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
