import type { DatabaseSync } from 'node:sqlite';

/** Does the work of a transaction, or of a part of it. */
type Doing = <T>(work: () => T) => T;

/**
 * Counts quiet commits: those that leave the caches of the service's own pages and keys valid. Sandboxes are in the
 * same file, and may be written to often. The returned function does all the work of a transaction, and adds one to the
 * count in the database if the work changed anything. See ChangeDetector.
 */
export function quietCommits(db: DatabaseSync): Doing {
  const changes = db.prepare('SELECT total_changes() AS n');
  const count = db.prepare('UPDATE quiet_commits SET number = number + 1');
  return (work) => {
    const before = changes.get()?.n;
    const result = work();
    // A transaction that changes nothing is no commit: nothing is written.
    if (changes.get()?.n !== before) count.run();
    return result;
  };
}
