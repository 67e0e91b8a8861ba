import { table } from '@petstore/service/table.ts';
import type { Trial } from './stage.ts';

/** What clients saw of each fault, one line each, for people. */
export function trialTable(trials: readonly Trial[]): string {
  const head = [
    'fault',
    'on',
    'held',
    'reads away',
    'p99',
    'writes away',
    'p99',
    'longest',
    'whole after',
  ];
  return table([
    head,
    ...trials.map(({ fault, to, heldMs, wholeAfterMs, reads, writes }) => [
      fault,
      to,
      seconds(heldMs),
      seconds(reads.awayMs),
      `${Math.round(reads.p99)} ms`,
      seconds(writes.awayMs),
      `${Math.round(writes.p99)} ms`,
      seconds(Math.max(reads.longestMs, writes.longestMs)),
      seconds(wholeAfterMs),
    ]),
  ]);
}

/** One machine fails while the others go on. */
export function trialLine({ title, to, reads, writes, wholeAfterMs }: Trial): string {
  return `${title} (${to}): reads away ${seconds(reads.awayMs)}, writes away ${seconds(writes.awayMs)}, whole ${seconds(wholeAfterMs)} after`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
