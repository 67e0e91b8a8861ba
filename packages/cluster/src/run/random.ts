import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../faults/fault.ts';
import { FAULTS } from '../faults/faults.ts';
import type { Stage } from './stage.ts';
import type { Trial } from './trial.ts';

/** How long the cause of a fault lasts. */
const HOLD_MS = { least: 2_000, most: 30_000 };

/** Quiet between two faults. */
const PAUSE_MS = { least: 1_000, most: 6_000 };

/** A fault that the state of the cluster did not allow, such as a switchover that Patroni refuses for now. */
export interface NotDone {
  readonly fault: string;
  /** When, in RFC 3339. */
  readonly at: string;
  readonly why: string;
}

/** Plays random faults until the time is over. Each kind comes once before any is repeated. */
export async function playAtRandom(
  stage: Stage,
  minutes: number,
  onTrial: (trial: Trial) => void,
  onNotDone: (notDone: NotDone) => void,
): Promise<void> {
  const end = performance.now() + minutes * 60_000;
  let left: Fault[] = [];
  while (performance.now() < end) {
    if (left.length === 0) left = shuffled(FAULTS);
    const fault = left.pop() as Fault;
    const trial = await stage.play(fault, between(HOLD_MS)).catch((error: Error) => {
      onNotDone({ fault: fault.id, at: new Date().toISOString(), why: error.message });
      return undefined;
    });
    if (trial) onTrial(trial);
    await sleep(between(PAUSE_MS));
  }
}

function between({ least, most }: { least: number; most: number }): number {
  return least + Math.random() * (most - least);
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
