import type { DatabaseSync } from 'node:sqlite';

/** Does all of a piece of work inside a transaction, or rolls it back and throws its error. */
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
