import type { Violation } from './history.ts';
import type { Figures } from './statistics.ts';
import type { Machines, State } from './watch.ts';

/** What the checker, a process of its own in the network of the cluster, is told at its start. */
export interface Order {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly machines: Machines;
}

/** What the checker is told later. */
export type ToChecker =
  | { readonly do: 'begin'; readonly order: Order }
  /** Give the figures since the last `measure`, and begin anew. */
  | { readonly do: 'measure' }
  /** Ask one of the machines, as an operator does. */
  | { readonly do: 'post'; readonly url: string; readonly body: object }
  /** Stop the clients and compare. */
  | { readonly do: 'end' };

/** The figures of some time. */
export interface Measured {
  readonly reads: Figures;
  readonly writes: Figures;
  readonly acknowledged: number;
}

/** What the checker says. */
export type FromChecker =
  | { readonly said: 'second'; readonly state: State; readonly measured: Measured }
  | { readonly said: 'violation'; readonly violation: Violation }
  | { readonly said: 'begun' }
  | { readonly said: 'measured'; readonly measured: Measured }
  | { readonly said: 'posted'; readonly status: number; readonly text: string }
  | { readonly said: 'ended' };
