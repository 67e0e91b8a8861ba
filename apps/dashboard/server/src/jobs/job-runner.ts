import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';

/** How often the runner looks for work of other processes, and for work that is due again, in milliseconds. */
const POLL_MS = 1_000;

/** Works until the job is done, or until the signal. */
type Job = (stop: AbortSignal) => Promise<void>;

/** Does jobs in the background for as long as the process lives. */
export interface JobRunner {
  /** There may be work: look now. */
  wake(): void;
  /** Aborts the jobs under way and waits for them. */
  stop(): Promise<void>;
}

export interface JobRunnerOptions {
  /** Leases the next job that is due; undefined where there is none. */
  readonly take: () => Promise<Job | undefined>;
  /** How many jobs run at the same time, at most. */
  readonly limit: number;
  readonly log: Log;
  /** What the log says where `take` or a job rejects. */
  readonly failureMessage: string;
}

/** Takes jobs and runs them, `limit` at a time. */
export function startJobRunner({ take, limit, log, failureMessage }: JobRunnerOptions): JobRunner {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const wakeSignal = createWakeSignal();
  /** The database is unavailable, say: another process takes the job when its lease ends. */
  const logFailure = (error: unknown) => {
    log.error({ err: error }, failureMessage);
    return undefined;
  };
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const idle = wakeSignal.arm();
      const job = running.size < limit ? await take().catch(logFailure) : undefined;
      if (!job) {
        await idle(POLL_MS);
        continue;
      }
      const run = job(stopping.signal)
        .catch(logFailure)
        .finally(() => {
          running.delete(run);
          wakeSignal.send();
        });
      running.add(run);
    }
    await Promise.all(running);
  })();
  return {
    wake: wakeSignal.send,
    async stop() {
      stopping.abort();
      wakeSignal.send();
      await loop;
    },
  };
}

/**
 * Armed before looking for work, so that a signal sent during the look ends the wait that follows. `arm` gives
 * that wait, of so many milliseconds at most.
 */
function createWakeSignal() {
  let armed = new AbortController();
  return {
    send() {
      const sent = armed;
      armed = new AbortController();
      sent.abort();
    },
    arm() {
      const { signal } = armed;
      return (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
    },
  };
}
