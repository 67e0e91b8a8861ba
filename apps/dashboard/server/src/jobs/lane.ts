import type { Log } from '@petstore/service/log.ts';
import { createAlarm } from './alarm.ts';

/** How often is looked for what other processes put there, and for what is due again, in milliseconds. */
const POLL_MS = 1_000;

/** Does a piece of work until its end, or until the signal. */
type Job = (stop: AbortSignal) => Promise<void>;

export interface Lane {
  /** There is work: look now. */
  kick(): void;
  /** Calls off what is under way, and ends. */
  stop(): Promise<void>;
}

export interface LaneOptions {
  /** Takes what is due next, under a lease. */
  readonly take: () => Promise<Job | undefined>;
  /** How many pieces of work are under way at most. */
  readonly limit: number;
  readonly log: Log;
  /** What the log says where work cannot be taken or done. */
  readonly trouble: string;
}

/** Does what is found, `limit` pieces at a time, for as long as the process lives. */
export function startLane({ take, limit, log, trouble }: LaneOptions): Lane {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const alarm = createAlarm();
  /** The database is away, say: what was taken is taken anew when its lease ends. */
  const note = (error: unknown) => {
    log.error({ err: error }, trouble);
    return undefined;
  };
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const rest = alarm.set();
      const job = running.size < limit ? await take().catch(note) : undefined;
      if (!job) {
        await rest(POLL_MS);
        continue;
      }
      const run = job(stopping.signal)
        .catch(note)
        .finally(() => {
          running.delete(run);
          alarm.ring();
        });
      running.add(run);
    }
    await Promise.all(running);
  })();
  return {
    kick: alarm.ring,
    async stop() {
      stopping.abort();
      alarm.ring();
      await loop;
    },
  };
}
