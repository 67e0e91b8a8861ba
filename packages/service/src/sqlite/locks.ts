import { setTimeout as sleep } from 'node:timers/promises';
import { SQLITE, sqliteCode } from './result-codes.ts';

/** How long a statement waits for another process's lock, in milliseconds. */
export const BUSY_TIMEOUT_MS = 2_000;

/** How often the lock is tried meanwhile, in milliseconds. */
const BUSY_POLL_MS = 1;

/**
 * Retries each millisecond while another process holds the lock, up to the timeout, and blocks the thread
 * meanwhile. SQLite's own waiting sleeps longer each time, up to 100 ms, and so misses the short pauses between the
 * transactions of a process that writes without end, such as an import.
 */
export function retryWhileLockedSync(work: () => void, timeoutMs = BUSY_TIMEOUT_MS): void {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (sqliteCode(error) !== SQLITE.BUSY || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_POLL_MS);
    }
  }
}

/** The same for a thread that must not block: other work goes on between the attempts. */
export async function retryWhileLocked<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (sqliteCode(error) !== SQLITE.BUSY || performance.now() > deadline) throw error;
      await sleep(BUSY_POLL_MS);
    }
  }
}
