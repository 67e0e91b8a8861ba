import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, type TransactionBuilder } from 'kysely';
import { isRetryable } from './errors.ts';

/** Waits before a transaction that lost against others is done again, in milliseconds. */
const RETRY_DELAYS_MS = [5, 20, 100, 300];

/**
 * Kysely, whose transactions are done again when they were undone because of others: so whatever is in one
 * must be fit for that, and change nothing but the database.
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
      // Not all at the same moment, or they undo each other again.
      await sleep(delay * (0.5 + Math.random()));
    }
  }
  return transaction();
}
