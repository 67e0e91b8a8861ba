import { setTimeout as sleep } from 'node:timers/promises';
import { createAlarm } from '../jobs/alarm.ts';
import { isDeadWorker, workerName } from '../jobs/worker.ts';
import { leaseDeploy, listLeased, releaseLease, renewLease } from '../store/deploys.ts';
import { type BuildDeps, buildDeploy } from './build-deploy.ts';

/**
 * How long a deploy belongs to a process that says nothing more, in milliseconds: so long does one wait
 * whose process was killed. Renewed three times in that while.
 */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;

/** How often the queue is looked at for what other processes put there, in milliseconds. */
const POLL_MS = 1_000;

/** How long is waited after a build that the service itself could not do, in milliseconds: a full disk, say. */
const RETRY_MS = 10_000;

export interface Builder {
  /** A deploy waits: look now. */
  kick(): void;
  /** Gives back what is being built, for the next process, and ends. */
  stop(): Promise<void>;
}

/** Builds what is queued, a deploy at a time, for as long as the process lives. */
export function startBuilder(deps: BuildDeps): Builder {
  const { log } = deps;
  const worker = workerName();
  const stopping = new AbortController();
  const alarm = createAlarm();

  const loop = (async () => {
    await takeOverFromTheDead(deps).catch((error) => {
      // Then it takes until their leases end.
      log.warn({ err: error }, 'deploys of ended processes could not be taken over');
    });
    while (!stopping.signal.aborted) {
      const rest = alarm.set();
      const isBusy = await buildNext(deps, worker, stopping.signal).catch((error) => {
        // The database is away, say: what was leased is taken up again when its lease ends.
        log.error({ err: error }, 'the queue of deploys cannot be worked on');
        return false;
      });
      if (!isBusy) await rest(POLL_MS);
    }
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

/**
 * Ends the leases of processes of this machine that are no more, so that what they built goes on at once
 * when the service starts again.
 */
async function takeOverFromTheDead({ db }: BuildDeps): Promise<void> {
  for (const { id, leased_by } of await listLeased(db)) {
    if (leased_by !== null && isDeadWorker(leased_by)) {
      await releaseLease(db, id, leased_by, { isCounted: true });
    }
  }
}

/** Builds the next deploy; whether there was one. */
async function buildNext(deps: BuildDeps, worker: string, stop: AbortSignal): Promise<boolean> {
  const { db, now, log } = deps;
  const deploy = await leaseDeploy(db, worker, now(), now() + LEASE_MS);
  if (!deploy) return false;
  const lost = new AbortController();
  const renewal = setInterval(async () => {
    const isMine = await renewLease(db, deploy.id, worker, now() + LEASE_MS).catch(() => true);
    if (!isMine) lost.abort();
  }, RENEW_MS);
  try {
    await buildDeploy(deps, worker, deploy, AbortSignal.any([stop, lost.signal]));
  } catch (error) {
    // One that is stopped in order gives back what it had begun, as if it had not.
    // One whose lease is lost went with its project, or is another's by now.
    const isCalledOff = stop.aborted || lost.signal.aborted;
    if (!isCalledOff) log.error({ err: error, deploy: deploy.id }, 'a deploy could not be built');
    await releaseLease(db, deploy.id, worker, { isCounted: !stop.aborted });
    if (!isCalledOff) await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => {});
  } finally {
    clearInterval(renewal);
  }
  return true;
}
