import type { Violation } from './history.ts';
import type { Figures } from './statistics.ts';
import type { Address, Machines, State } from './watch.ts';

/** What the checker, a process in the network of the cluster, is told at its start. */
export interface Order {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly machines: Machines;
}

/** What the checker is told later. */
export type ToChecker =
  | { readonly do: 'begin'; readonly order: Order }
  /** Return the figures since the last `measure` of the same period. */
  | { readonly do: 'measure'; readonly of: Span }
  /**
   * Send requests of their own to these API machines from now on; return the figures of those that got them until now.
   */
  | { readonly do: 'ask-alone'; readonly apis: readonly Address[] }
  /** Send a request to one of the machines, as an operator does. */
  | { readonly do: 'post'; readonly url: string; readonly body: object }
  /** Stop the clients and compare. */
  | { readonly do: 'end' };

/** The period of figures: a fault, from one healthy cluster to the next, or only the time of its cause. */
export type Span = 'trial' | 'cause';

/** The figures of a period. */
export interface Measured {
  readonly reads: Figures;
  readonly writes: Figures;
  readonly acknowledged: number;
}

/** The outcome of requests to one API machine, past the balancers. */
export interface Alone {
  readonly name: string;
  readonly reads: Figures;
  readonly writes: Figures;
}

/** The messages of the checker. */
export type FromChecker =
  | { readonly said: 'second'; readonly state: State; readonly measured: Measured }
  | { readonly said: 'violation'; readonly violation: Violation }
  | { readonly said: 'begun' }
  | { readonly said: 'measured'; readonly measured: Measured }
  | { readonly said: 'alone'; readonly alone: readonly Alone[] }
  | { readonly said: 'posted'; readonly status: number; readonly text: string }
  | { readonly said: 'ended' };
