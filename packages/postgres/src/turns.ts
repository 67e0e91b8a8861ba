const TURN_MS = 100;

/**
 * Calls `work` after so many milliseconds of the time in which this process runs: one that stands still reads nothing,
 * so that counts as one turn. Keeps no process alive. Returns what prevents the call.
 */
export function afterTurns(ms: number, work: () => void): () => void {
  let left = ms;
  const turn = () => {
    left -= TURN_MS;
    if (left <= 0) work();
    else timer = setTimeout(turn, TURN_MS).unref();
  };
  let timer = setTimeout(turn, TURN_MS).unref();
  return () => clearTimeout(timer);
}

/** Waits so long, counted as `afterTurns` does. */
export const sleepInTurns = (ms: number): Promise<void> =>
  new Promise((resolve) => afterTurns(ms, resolve));
