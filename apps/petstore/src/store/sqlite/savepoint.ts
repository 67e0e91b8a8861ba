import type { DatabaseSync } from 'node:sqlite';

/** All of a piece of work, or nothing of it and what it threw. Within a transaction. */
export function inSavepoint<T>(db: DatabaseSync, work: () => T): T {
  db.exec('SAVEPOINT command');
  try {
    return work();
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK TO command');
    throw error;
  } finally {
    if (db.isTransaction) db.exec('RELEASE command');
  }
}
