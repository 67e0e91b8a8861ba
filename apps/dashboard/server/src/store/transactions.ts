import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, type TransactionBuilder } from 'kysely';
import { isRetryable } from './errors.ts';

/** Waits before the retries of a transaction that was rolled back because of others, in milliseconds. */
const RETRY_DELAYS_MS = [5, 20, 100, 300];

/**
 * Kysely that retries transactions rolled back because of others. So a transaction may run several times and must
 * change nothing but the database.
 */
export class RetryingKysely<DB> extends Kysely<DB> {
  override transaction(): TransactionBuilder<DB> {
    const builder = super.transaction();
    const executeOnce = builder.execute.bind(builder);
    builder.execute = (work) => retrying(() => executeOnce(work));
    return builder;
  }
}

async function retrying<T>(transaction: () => Promise<T>): Promise<T> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await transaction();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      // With jitter, or they would conflict again.
      await sleep(delay * (0.5 + Math.random()));
    }
  }
  return transaction();
}
