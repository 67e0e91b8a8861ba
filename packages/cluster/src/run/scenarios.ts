import { findFault } from '../faults/faults.ts';
import type { Stage } from './stage.ts';
import type { Trial } from './trial.ts';

/** A fault, and how long its cause lasts, in milliseconds; brief ones have none. */
interface Scenario {
  readonly fault: string;
  readonly holdMs?: number;
}

/** The rows of the table in deploy/cluster/README.md. */
export const SCENARIOS: readonly Scenario[] = [
  { fault: 'kill-primary', holdMs: 10_000 },
  { fault: 'switchover' },
  { fault: 'freeze-primary', holdMs: 30_000 },
  { fault: 'cut-primary', holdMs: 30_000 },
  { fault: 'restart-balancers' },
  { fault: 'standbys-away', holdMs: 32_000 },
  { fault: 'restart-pooler' },
  { fault: 'wrong-server', holdMs: 20_000 },
  { fault: 'kill-api' },
  { fault: 'restart-apis' },
];

/** Plays scenarios one after the other, and returns the outcome of each. `holdMs` replaces their own durations. */
export async function playScenarios(
  stage: Stage,
  scenarios: readonly Scenario[],
  holdMs: number | undefined,
  onTrial: (trial: Trial) => void,
): Promise<void> {
  for (const scenario of scenarios) {
    onTrial(await stage.play(findFault(scenario.fault), holdMs ?? scenario.holdMs ?? 0));
  }
}
