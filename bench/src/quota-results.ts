import type { Machine } from './machine.ts';
import type { Spread } from './statistics.ts';

/** What bench/results/quota.json holds. */
export interface QuotaCost {
  readonly machine: Machine;
  readonly rounds: number;
  /** Turns of each service in a round. */
  readonly pairs: number;
  readonly seconds: number;
  readonly connections: number;
  /** Processor time of the service for a list, in microseconds: the medians of the rounds. */
  readonly limited: Spread;
  readonly unlimited: Spread;
  /** The first as a part of the second, of turns that followed each other. */
  readonly ratio: Spread;
}
