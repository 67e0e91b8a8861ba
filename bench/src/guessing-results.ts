import type { Machine } from './machine.ts';
import type { Spread } from './statistics.ts';

/** What is measured each time that some of the guesses have been made. */
export interface GuessingSlice {
  /** Wrong keys so far. */
  readonly guesses: number;
  /** Processor time of a list with the right key, in microseconds, at the service that was guessed at. */
  readonly cpuUs: number;
  /** That, as a part of the same at a service that nobody guessed at. */
  readonly ratio: Spread;
  /** What is resident at either, in MiB. */
  readonly residentMiB: number;
  readonly quietResidentMiB: number;
}

/** What bench/results/guessing.json holds. */
export interface Guessing {
  readonly machine: Machine;
  readonly connections: number;
  readonly pairs: number;
  readonly seconds: number;
  /** The first is from before any guess. */
  readonly slices: readonly GuessingSlice[];
  /** How often each status answered a guess. */
  readonly statuses: Readonly<Record<string, number>>;
}
