import type { Rate } from '../token-buckets.ts';

/** What the request proxy of one process of the edge lets pass. Times are in milliseconds. */
export interface ProxyBounds {
  /** Of a request's body. */
  readonly bodyBytes: number;
  /** Of a request's head: its address and its headers. */
  readonly headBytes: number;
  /** Of the requests that are held in memory, from their announcement on: of one client, of a project, of all. */
  readonly heldOfClient: number;
  readonly heldOfProject: number;
  readonly heldBytes: number;
  /** Of a response's body, decoded. */
  readonly responseBytes: number;
  readonly responseHeadBytes: number;
  /** For a request to arrive. */
  readonly arrivalMs: number;
  /** From then to the head of the response, redirects included. */
  readonly headMs: number;
  /** Between two pieces of a response. */
  readonly idleMs: number;
  /** For all of it. */
  readonly wholeMs: number;
  /** At once. */
  readonly ofClient: number;
  readonly ofProject: number;
  readonly ofAll: number;
  readonly clientRate: Rate;
  readonly projectRate: Rate;
}

/** A reader tries an operation by hand. The edge itself closes a connection without a byte for 60 s, so `idleMs` is less. */
export const DEFAULT_BOUNDS: ProxyBounds = {
  bodyBytes: 10_000_000,
  headBytes: 64 * 1024,
  // Two of the largest, three, and so many that one project leaves room for others.
  heldOfClient: 21_000_000,
  heldOfProject: 32_000_000,
  heldBytes: 96_000_000,
  responseBytes: 50_000_000,
  responseHeadBytes: 32 * 1024,
  arrivalMs: 30_000,
  headMs: 30_000,
  idleMs: 45_000,
  wholeMs: 300_000,
  ofClient: 4,
  ofProject: 16,
  ofAll: 64,
  clientRate: { burst: 20, perSecond: 2 },
  projectRate: { burst: 60, perSecond: 10 },
};
