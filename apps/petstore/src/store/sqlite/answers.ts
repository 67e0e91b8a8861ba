import type { DatabaseSync } from 'node:sqlite';
import { isRefusal, type Refusal } from '../../refusal.ts';
import { decodeAnswer, RunningKeys } from '../once.ts';
import type { AnswerStore, Once, WrittenOnce } from '../store.ts';
import type { Write } from './commands.ts';
import { translateErrors } from './errors.ts';
import type { InnerCommand } from './once-writes.ts';

/** Does a write that is to happen once. */
export type WriteOnce = (once: Once, ...command: InnerCommand) => Promise<WrittenOnce | Refusal>;

/** What reads and writes the things of one kind. */
export interface TableDeps {
  /** The connection that reads. */
  readonly db: DatabaseSync;
  readonly write: Write;
  readonly writeOnce: WriteOnce;
}

export function writingOnce(write: Write): WriteOnce {
  const running = new RunningKeys();
  return (once, ...command) =>
    running.alone(once, async () => {
      const { owner, key, fingerprint, at, since, address } = once;
      const [now, then] = [at.getTime(), since.getTime()];
      const answer = await write('once', owner, key, fingerprint, now, then, address, ...command);
      return isRefusal(answer) ? answer : decodeAnswer(answer);
    });
}

export function sqliteAnswers(db: DatabaseSync, write: Write): AnswerStore {
  const isAnyOlder = db.prepare('SELECT 1 FROM idempotent_answers WHERE created_at < ? LIMIT 1');
  return {
    async forgetBefore(instant, count) {
      // Each write has all processes read their pages anew, so none is made for nothing.
      const isAny = translateErrors(() => isAnyOlder.get(instant.getTime()));
      return isAny ? write('forgetAnswersBefore', instant.getTime(), count) : 0;
    },
    forgetBeyond: (owner, kept, count) => write('forgetAnswersBeyond', owner, kept, count),
  };
}
