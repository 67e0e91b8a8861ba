import type { DatabaseSync } from 'node:sqlite';
import { asUnavailable } from './errors.ts';
import { retryWhileLocked } from './open.ts';

/** Does a piece of work in one transaction, in its turn; it may be tried again. */
export type RareWrite = <T>(work: () => T) => Promise<T>;

/**
 * The way of writes that are few, such as those of keys: here and not by the thread, beside which they
 * wait their turn. `onWrite` is called after each.
 */
export function rareWrites(db: DatabaseSync, onWrite: () => void): RareWrite {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return async (work) => {
    try {
      return await retryWhileLocked(() => {
        begin.run();
        try {
          const result = work();
          commit.run();
          return result;
        } catch (error) {
          if (db.isTransaction) db.exec('ROLLBACK');
          throw error;
        }
      });
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      onWrite();
    }
  };
}
