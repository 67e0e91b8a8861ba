import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';

/** How often is looked for what other processes put there, and for what is due again, in milliseconds. */
const POLL_MS = 1_000;

/** Does a piece of work until its end, or until the signal. */
export type Job = (stop: AbortSignal) => Promise<void>;

export interface Lane {
  /** There is work: look now. */
  kick(): void;
  /** Calls off what is under way, and ends. */
  stop(): Promise<void>;
}

/** Does what `take` finds, `limit` pieces at a time, for as long as the process lives. */
export function startLane(take: () => Promise<Job | undefined>, limit: number, log: Log): Lane {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let wake = new AbortController();
  const kick = () => {
    const asleep = wake;
    wake = new AbortController();
    asleep.abort();
  };
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const asleep = wake.signal;
      const job = running.size < limit ? await take().catch(failed(log)) : undefined;
      if (!job) {
        await sleep(POLL_MS, undefined, { signal: asleep }).catch(() => {});
        continue;
      }
      const run = job(stopping.signal)
        .catch(failed(log))
        .finally(() => {
          running.delete(run);
          kick();
        });
      running.add(run);
    }
    await Promise.all(running);
  })();
  return {
    kick,
    async stop() {
      stopping.abort();
      kick();
      await loop;
    },
  };
}

/** The database is away, say: what was taken is taken anew when its lease ends. */
const failed = (log: Log) => (error: unknown) => {
  log.error({ err: error }, 'notices cannot be delivered');
  return undefined;
};
