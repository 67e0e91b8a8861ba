import { draw } from './draw.ts';
import type { EventFaults, FaultGroup, Faults } from './fault-kinds.ts';
import { drawLatency } from './latency.ts';

/** What happens to one request: nothing of it is left to chance. */
export interface Plan extends Omit<Faults, 'latency' | 'events'> {
  readonly events?: EventFaults;
  readonly latencyMs?: number;
  /** What drawn parts of a body depend on. */
  readonly seed: number;
  readonly request: number;
}

/** Whether it depends on the number of the request what happens. */
export function isDrawn(groups: readonly FaultGroup[]): boolean {
  return groups.some(
    ({ rate, latency, drift }) =>
      (rate > 0 && rate < 1) ||
      (latency !== undefined && latency.distribution !== 'fixed') ||
      drift === 'missing' ||
      drift === 'all',
  );
}

/**
 * What happens to a request: the groups that are drawn for it, later ones before earlier ones where they speak of the
 * same; undefined for nothing. `request`: its number, from 1.
 */
export function planOf(groups: readonly FaultGroup[], request: number): Plan | undefined {
  let plan: Plan | undefined;
  for (const [place, { rate, seed, latency, events: fault, ...faults }] of groups.entries()) {
    if (fault) plan = { ...plan, events: { fault, rate, seed }, seed, request };
    if (draw(seed, request, `group ${place}`) >= rate) continue;
    const latencyMs = latency && drawLatency(latency, seed, request);
    plan = { ...plan, ...faults, ...(latencyMs && { latencyMs }), seed, request };
  }
  return plan;
}
