import type { DatabaseSync } from 'node:sqlite';

/** Does the work of a transaction, or of a part of it. */
type Doing = <T>(work: () => T) => T;

/**
 * Counts commits that nobody needs to hear of who keeps animals or keys of the service in memory: what sandboxes write
 * is in the same file, and may come at a high pace. Returns what does the work of a whole transaction of that kind, and
 * counts its commit in the database, if there will be one. See ChangeDetector.
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
