import { findFault } from '../faults/faults.ts';
import type { Stage, Trial } from './stage.ts';

/** A fault with what clients may see of it. */
interface Scenario {
  readonly fault: string;
  /** How long its cause lasts, in milliseconds; brief ones have none. */
  readonly holdMs?: number;
  /** The longest time without a read or a write that succeeded, in milliseconds. */
  readonly limits: { readonly reads: number; readonly writes: number };
}

/** Patroni's ttl, its next look, the promotion, and the balancer's next two checks. */
const FAILOVER_MS = 35_000;

/** The rows of the cluster's table, in docs/operations.md. */
export const SCENARIOS: readonly Scenario[] = [
  row('kill-primary', { reads: FAILOVER_MS, writes: FAILOVER_MS }, 10_000),
  row('switchover', { reads: 15_000, writes: 15_000 }),
  row('freeze-primary', { reads: FAILOVER_MS, writes: FAILOVER_MS }, 30_000),
  row('cut-primary', { reads: FAILOVER_MS, writes: FAILOVER_MS }, 30_000),
  row('restart-balancers', { reads: 10_000, writes: 10_000 }),
  row('standbys-away', { reads: 1_000, writes: 60_000 }, 32_000),
  row('restart-pooler', { reads: 3_000, writes: 3_000 }),
  row('wrong-server', { reads: 6_000, writes: 6_000 }, 20_000),
  row('kill-api', { reads: 3_000, writes: 3_000 }),
  row('restart-apis', { reads: 1_000, writes: 1_000 }),
];

function row(fault: string, limits: Scenario['limits'], holdMs?: number): Scenario {
  return { fault, ...(holdMs && { holdMs }), limits };
}

/** Plays scenarios one after the other, and gives what came of each. Limits that were broken are failures. */
export async function playScenarios(
  stage: Stage,
  scenarios: readonly Scenario[],
  onTrial: (trial: Trial) => void,
): Promise<void> {
  for (const { fault, holdMs = 0, limits } of scenarios) {
    const trial = await stage.play(findFault(fault), holdMs);
    onTrial(trial);
    for (const kind of ['reads', 'writes'] as const) {
      const { awayMs } = trial[kind];
      const sentence = `${fault}: ${kind} were away for ${awayMs} ms; at most ${limits[kind]} are allowed.`;
      stage.expect(awayMs <= limits[kind], sentence);
    }
  }
}
