import type { DatabaseSync } from 'node:sqlite';
import { retryWhileLockedSync } from '@petstore/service/sqlite/locks.ts';
import { isUnavailable } from '@petstore/service/sqlite/result-codes.ts';
import { NotedEvents } from '../../events/event-group.ts';
import { OWN_STORE } from '../own-store.ts';
import { prepareCategoryWrites } from './category-writes.ts';
import {
  type Command,
  isOneStatement,
  isQuiet,
  needsNoDisk,
  type Outcome,
  type Value,
  type Writes,
} from './command.ts';
import { eventAppender, prepareEventWrites } from './event-writes.ts';
import { prepareFaultWrites } from './fault-writes.ts';
import { prepareIdempotentWrites } from './idempotent-writes.ts';
import { prepareKeyWrites } from './key-writes.ts';
import { APPLICATION_ID } from './open.ts';
import { prepareOrderWrites } from './order-writes.ts';
import { preparePetWrites } from './pet-writes.ts';
import { quietCommits } from './quiet-commits.ts';
import { prepareReportWrites } from './report-writes.ts';
import { prepareSandboxWrites } from './sandbox-writes.ts';
import { inSavepoint } from './savepoint.ts';

/**
 * Makes the function that commits a group of commands as one transaction: one fsync for all of them, if any needs it.
 *
 * The group ends with the events of all that was changed, in one row. A group of quiet writes alone is counted in
 * `quiet_commits`, so that caches stay valid.
 *
 * A command that violates a constraint changes nothing and fails alone. When the database cannot work (locked, full),
 * the function throws, and none of the commands happened.
 */
export function groupCommit(db: DatabaseSync): (commands: readonly Command[]) => Outcome[] {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const noted = new NotedEvents();
  const append = eventAppender(db);
  const writes = prepareWrites(db, noted, append);
  const quietly = quietCommits(db);
  const run = (command: Command): Outcome => {
    const write = writes[command.kind] as (...args: unknown[]) => Value;
    noted.mark();
    try {
      // SQLite rolls back a statement that fails, but neither those before it nor the transaction around them.
      return isOneStatement(command)
        ? write(...command.args)
        : inSavepoint(db, () => write(...command.args));
    } catch (error) {
      noted.undo();
      if (isUnavailable(error) || !db.isTransaction) throw error;
      return { failed: String(error) };
    }
  };

  const commitGroup = (commands: readonly Command[]): Outcome[] => {
    retryWhileLockedSync(() => begin.run());
    try {
      const runAll = () => commands.map(run);
      const outcomes = commands.every(isQuiet) ? quietly(runAll) : runAll();
      append(OWN_STORE, noted);
      commit.run();
      return outcomes;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    } finally {
      noted.clear();
    }
  };
  let isFull = true;
  const setSynchronousFull = () => {
    db.exec('PRAGMA synchronous = FULL');
    isFull = true;
  };
  return (commands) => {
    if (!commands.every(needsNoDisk)) {
      if (!isFull) setSynchronousFull();
      return commitGroup(commands);
    }
    isFull = false;
    db.exec('PRAGMA synchronous = NORMAL');
    try {
      return commitGroup(commands);
    } finally {
      try {
        setSynchronousFull();
      } catch {
        // What was committed stays so. The next group that needs the disk tries again, or fails.
      }
    }
  };
}

function prepareWrites(
  db: DatabaseSync,
  noted: NotedEvents,
  append: ReturnType<typeof eventAppender>,
): Writes {
  const events = prepareEventWrites(db);
  const writes = {
    ...preparePetWrites(db, noted),
    ...prepareCategoryWrites(db),
    ...prepareOrderWrites(db, noted),
    ...events,
    ...prepareSandboxWrites(db, append, events),
    ...prepareFaultWrites(db),
    ...prepareReportWrites(db),
    ...prepareKeyWrites(db),
  };
  return {
    ...writes,
    ...prepareIdempotentWrites(db, writes),
    probe: (touchesDisk) => {
      // Writes the existing value, so nothing changes, but its page is written.
      if (touchesDisk) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      return 'done';
    },
  };
}
