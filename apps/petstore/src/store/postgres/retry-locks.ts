import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, SQLSTATE } from '@petstore/postgres/errors.ts';

/** Whether a lock was not available in time, or there was a deadlock. */
export function isLockFailure(error: unknown): boolean {
  const code = codeOf(error);
  return code === SQLSTATE.LOCK_NOT_AVAILABLE || code === SQLSTATE.DEADLOCK;
}

/**
 * Does a transaction, up to `tries` times as long as it fails for its locks, with `pauseMs` in between. Rejects with the
 * last error.
 */
export async function retryLocks<T>(
  transaction: () => Promise<T>,
  { tries, pauseMs }: { tries: number; pauseMs: number },
): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await transaction();
    } catch (error) {
      if (!isLockFailure(error) || left <= 0) throw error;
      await sleep(pauseMs);
    }
  }
}
