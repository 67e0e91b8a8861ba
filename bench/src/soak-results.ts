import type { Machine } from './machine.ts';

export interface Slice {
  readonly requestsPerSecond: number;
  /** Of the lists alone, in milliseconds. */
  readonly readsP99: number;
  readonly residentMiB: number;
}

/** What bench/results/soak.json holds. */
export interface Soak {
  readonly machine: Machine;
  readonly minutes: number;
  readonly connections: number;
  readonly sliceSeconds: number;
  readonly slices: readonly Slice[];
  readonly petsBefore: number;
  readonly petsAfter: number;
  /** The database with its log, in MiB. */
  readonly fileMiBAfter: number;
}

/** The first and the last tenth of a soak: the medians of their slices. */
export function ends({ slices }: Soak): { start: Slice; end: Slice } {
  const count = Math.max(1, Math.round(slices.length / 10));
  return { start: middle(slices.slice(0, count)), end: middle(slices.slice(-count)) };
}

function middle(slices: readonly Slice[]): Slice {
  const median = (figure: keyof Slice) =>
    slices.map((slice) => slice[figure]).sort((a, b) => a - b)[Math.floor(slices.length / 2)] ??
    Number.NaN;
  return {
    requestsPerSecond: median('requestsPerSecond'),
    readsP99: median('readsP99'),
    residentMiB: median('residentMiB'),
  };
}
