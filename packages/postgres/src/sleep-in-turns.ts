import { setTimeout as sleep } from 'node:timers/promises';

const TURN_MS = 100;

/**
 * Waits so long, in milliseconds, of the time in which this process runs: one that stands still reads nothing, so that
 * counts as one turn. Keeps no process alive.
 */
export async function sleepInTurns(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= TURN_MS) await sleep(TURN_MS, undefined, { ref: false });
}
