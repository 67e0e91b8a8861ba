import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { appendLog, type LogRow } from '../store/deploys.ts';
import { prefix } from '../truncate.ts';

export interface LogWriter {
  (level: LogRow['level'], message: string): void;
  /** Waits until all lines are stored. */
  written(): Promise<void>;
}

const MAX_LINE_LENGTH = 2_000;

/** Stores the lines of a deploy's log in their order, without delaying the build. */
export function logWriter(
  { db, now, log }: Pick<Deps, 'db' | 'now'> & { log: Log },
  deployId: string,
): LogWriter {
  let last: Promise<void> = Promise.resolve();
  const say = (level: LogRow['level'], message: string) => {
    const line = {
      deploy_id: deployId,
      at: now(),
      level,
      message: prefix(message, MAX_LINE_LENGTH),
    };
    last = last
      .then(() => appendLog(db, line))
      // A log with a missing line is better than a failed deploy.
      .catch((error) =>
        log.error({ err: error, deploy: deployId }, "a line of a deploy's log is lost"),
      );
  };
  return Object.assign(say, { written: () => last });
}
