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
  /** Give the figures since the last `measure` of the same, and begin anew. */
  | { readonly do: 'measure'; readonly of: Span }
  /** Ask these API machines by themselves from now on; give the figures of those that were asked until now. */
  | { readonly do: 'ask-alone'; readonly apis: readonly Address[] }
  /** Ask one of the machines, as an operator does. */
  | { readonly do: 'post'; readonly url: string; readonly body: object }
  /** Stop the clients and compare. */
  | { readonly do: 'end' };

/** What figures are taken over: a fault from one whole cluster to the next, or only while its cause is there. */
export type Span = 'trial' | 'cause';

/** The figures of some time. */
export interface Measured {
  readonly reads: Figures;
  readonly writes: Figures;
  readonly acknowledged: number;
}

/** What became of requests that went to one API machine, past the balancers. */
export interface Alone {
  readonly name: string;
  readonly reads: Figures;
  readonly writes: Figures;
}

/** What the checker says. */
export type FromChecker =
  | { readonly said: 'second'; readonly state: State; readonly measured: Measured }
  | { readonly said: 'violation'; readonly violation: Violation }
  | { readonly said: 'begun' }
  | { readonly said: 'measured'; readonly measured: Measured }
  | { readonly said: 'alone'; readonly alone: readonly Alone[] }
  | { readonly said: 'posted'; readonly status: number; readonly text: string }
  | { readonly said: 'ended' };
