import type { Load } from './contenders.ts';
import type { Machine } from './machine.ts';
import type { Spread } from './statistics.ts';

/** One contender under one load at one number of connections, in one round. */
export interface Sample {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** To the bare server under the same load in the same round. */
  readonly ratio: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly readsP99: number | undefined;
  /** Of a mix: the part of the requests that were creates. */
  readonly createShare: number | undefined;
  /** Busy cores, on average. */
  readonly cpu: number;
  readonly peakMiB: number;
}

type Summary = { readonly [Figure in keyof Sample]: Spread | undefined };

/** All rounds of a contender under a load. */
export interface Cell extends Summary {
  readonly load: Load;
  readonly connections: number;
  readonly contender: string;
  readonly requestsPerSecond: Spread;
  readonly ratio: Spread;
  readonly p50: Spread;
  readonly p99: Spread;
  readonly p999: Spread;
  readonly cpu: Spread;
  readonly peakMiB: Spread;
}

/** What bench/results/latest.json holds. */
export interface Comparison {
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly pets: number;
  readonly contenders: readonly {
    readonly name: string;
    readonly label: string;
    readonly commitsEach: boolean;
  }[];
  readonly cells: readonly Cell[];
}

/** Runs of fewer rounds are trials, whose figures are not to be quoted. */
const FULL_ROUNDS = 5;

export function isTrial({ rounds }: Pick<Comparison, 'rounds'>): boolean {
  return rounds < FULL_ROUNDS;
}

export function findCell(
  { cells }: Pick<Comparison, 'cells'>,
  load: Load,
  connections: number,
  contender: string,
): Cell | undefined {
  return cells.find(
    (cell) =>
      cell.load === load && cell.connections === connections && cell.contender === contender,
  );
}
