import type { Machine } from './machine.ts';
import type { Spread } from './statistics.ts';

export const EDGE_LOADS = {
  page: 'a page of 10 kB',
  compressed: 'the same, compressed',
  unchanged: 'the same, unchanged: 304',
  hosts: 'the page of 1,000 hosts in turn',
} as const;
export type EdgeLoad = keyof typeof EDGE_LOADS;

export interface Served {
  readonly requestsPerSecond: Spread;
  /** To nginx under the same load in the same round. */
  readonly ratio: Spread;
  /** Milliseconds. */
  readonly p50: Spread;
  readonly p99: Spread;
  /** Busy cores, on average. */
  readonly cpu: Spread;
  /** Processor time of a request, in microseconds: what is left where the client is the slower half. */
  readonly cpuUs: Spread;
  readonly peakMiB: Spread;
  /** Mean size of an answer with its head, in bytes. */
  readonly answerBytes: number;
}

/** What bench/results/edge.json holds. */
export interface EdgeComparison {
  readonly machine: Machine;
  readonly nginx: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly loads: Readonly<Record<EdgeLoad, { readonly nginx: Served; readonly edge: Served }>>;
}
