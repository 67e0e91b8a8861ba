import type { Machine } from './machine.ts';
import type { Spread } from './statistics.ts';

export const OPERATIONS = {
  first: 'list, first page',
  middle: 'list, from the middle',
  rare: 'list, rarest status',
  get: 'get by id',
  create: 'create',
} as const;
export type Operation = keyof typeof OPERATIONS;

export interface Operated {
  readonly requestsPerSecond: Spread;
  /** Milliseconds. */
  readonly p99: Spread;
  /** Time a request to that with the fewest pets, in the same round. */
  readonly cost: Spread;
  /** Mean size of an answer, in bytes. */
  readonly answerBytes: number;
}

interface Size {
  /** Before any create of the run. */
  readonly pets: number;
  readonly fileMiB: number;
  /** From the start of the process to its first 200, in milliseconds. */
  readonly startMs: Spread;
  /** The most that was resident under the mix, with the default settings. */
  readonly peakMiB: number;
  readonly operations: Readonly<Record<Operation, Operated>>;
}

/** What bench/results/growth.json holds. */
export interface Growth {
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly sizes: readonly Size[];
}
