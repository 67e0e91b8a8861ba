import type { DatabaseSync } from 'node:sqlite';
import { retryWhileLocked } from '@petstore/service/sqlite/locks.ts';
import { asUnavailable } from './errors.ts';

/** Does a piece of work in one transaction, when its turn comes; it may be retried. */
export type RareWrite = <T>(work: () => T) => Promise<T>;

/**
 * Rare writes, such as those of keys, happen on this thread. They wait their turn beside the thread that writes.
 * `refuseDamaged` throws where the database's files would not keep what is written. `onWrite` is called after each.
 */
export function rareWrites(
  db: DatabaseSync,
  refuseDamaged: () => void,
  onWrite = () => {},
): RareWrite {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return async (work) => {
    try {
      return await retryWhileLocked(() => {
        refuseDamaged();
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
