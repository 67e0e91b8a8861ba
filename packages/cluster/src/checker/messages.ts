import type { Violation } from './history.ts';
import type { Figures } from './statistics.ts';
import type { Machines, State } from './watch.ts';

/** What the checker, a process in the network of the cluster, is told at its start. */
export interface Order {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly machines: Machines;
}

/** What the checker is told later. */
export type ToChecker =
  | { readonly do: 'begin'; readonly order: Order }
  /** Return the figures since the last `measure`. */
  | { readonly do: 'measure' }
  /** Send a request to one of the machines, as an operator does. */
  | { readonly do: 'post'; readonly url: string; readonly body: object }
  /** Stop the clients and compare. */
  | { readonly do: 'end' };

/** The figures of a period. */
export interface Measured {
  readonly reads: Figures;
  readonly writes: Figures;
  readonly acknowledged: number;
}

/** The messages of the checker. */
export type FromChecker =
  | { readonly said: 'second'; readonly state: State; readonly measured: Measured }
  | { readonly said: 'violation'; readonly violation: Violation }
  | { readonly said: 'begun' }
  | { readonly said: 'measured'; readonly measured: Measured }
  | { readonly said: 'posted'; readonly status: number; readonly text: string }
  | { readonly said: 'ended' };
