import type { Machine } from './machine.ts';
import type { Spread } from './statistics.ts';

export const TLS_LOADS = {
  requests: 'a page of 10 kB, connections kept',
  http2: 'the same over HTTP/2, ten streams a connection',
  handshakes: 'the same, a connection for each page',
} as const;
export type TlsLoad = keyof typeof TLS_LOADS;

/** Who the handshakes go to. */
export const CROWDS = {
  few: 'ten, of ten',
  inUse: 'a thousand, of 100,000',
  any: 'any, of 100,000',
} as const;
export type Crowd = keyof typeof CROWDS;

export interface TlsServed {
  readonly perSecond: Spread;
  /** To nginx under the same load in the same round. */
  readonly ratio: Spread;
  /** Processor time of one, in microseconds. */
  readonly cpuUs: Spread;
  readonly peakMiB: Spread;
}

interface CrowdServed extends Pick<TlsServed, 'cpuUs' | 'peakMiB'> {
  /** The processor time as a multiple of that of ten hosts in the same round. */
  readonly ofFew: Spread;
}

/** What bench/results/edge-tls.json holds. */
export interface EdgeTlsComparison {
  readonly machine: Machine;
  readonly nginx: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** Without HTTP/2 where h2load is not installed. */
  readonly loads: Readonly<Partial<Record<TlsLoad, Readonly<Record<'nginx' | 'edge', TlsServed>>>>>;
  readonly crowds: Readonly<Record<Crowd, CrowdServed>>;
}
