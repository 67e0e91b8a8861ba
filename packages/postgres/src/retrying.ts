import { setTimeout as sleep } from 'node:timers/promises';
import { isReadOnly } from './errors.ts';

/** Waits before the retries, in milliseconds. */
const RETRY_DELAYS_MS = [5, 20, 100, 300];

/**
 * The result of a transaction, which is tried again where `isRetryable` says so of its error, up to four times. One
 * that was refused because its server takes no writes (25006) is tried once more: its connection may be older than a
 * promotion, and a new one may lead to another server. Rejects with the last error.
 */
export async function retrying<T>(
  transaction: () => Promise<T>,
  isRetryable: (error: unknown) => boolean,
): Promise<T> {
  let wasReadOnly = false;
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await transaction();
    } catch (error) {
      const mayBeOutdated: boolean = isReadOnly(error) && !wasReadOnly;
      if (!mayBeOutdated && !isRetryable(error)) throw error;
      wasReadOnly ||= mayBeOutdated;
      // With jitter, or transactions that undid each other would do so again.
      await sleep(delay * (0.5 + Math.random()));
    }
  }
  return transaction();
}
