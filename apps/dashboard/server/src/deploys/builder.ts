import { setTimeout as sleep } from 'node:timers/promises';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { isDeadWorker, underLease, workerName } from '../jobs/lease.ts';
import {
  type DeployRow,
  leaseDeploy,
  listLeased,
  releaseLease,
  renewLease,
} from '../store/deploys.ts';
import { type BuildDeps, buildDeploy } from './build-deploy.ts';

/**
 * How long a deploy belongs to a process that says nothing more, in milliseconds: so long does one wait
 * whose process was killed. Renewed three times in that while.
 */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;

/** How long is waited after a build that the service itself could not do, in milliseconds: a full disk, say. */
const RETRY_MS = 10_000;

/** How many builds a process has under way at the same time. */
const BUILDS_AT_ONCE = 2;

/** How many of those may be of one account: one is left for whoever else comes, and then need not wait. */
const BUILDS_OF_ONE = BUILDS_AT_ONCE - 1;

/** Builds what is queued, for as long as the process lives. When it is stopped it gives back what is being built. */
export function startBuilder(deps: BuildDeps): JobRunner {
  const { db, now, log } = deps;
  const worker = workerName();
  const underWay: DeployRow[] = [];
  const takenOver = takeOverFromTheDead(deps).catch((error) => {
    // Then it takes until their leases end.
    log.warn({ err: error }, 'deploys of ended processes could not be taken over');
  });
  return startJobRunner({
    async take() {
      await takenOver;
      const deploy = await leaseDeploy(db, worker, now(), now() + LEASE_MS, busy(underWay));
      if (!deploy) return undefined;
      underWay.push(deploy);
      return (stop) =>
        buildUnderLease(deps, worker, deploy, stop).finally(() => {
          underWay.splice(underWay.indexOf(deploy), 1);
        });
    },
    limit: BUILDS_AT_ONCE,
    log,
    failureMessage: 'the queue of deploys cannot be worked on',
  });
}

/** Who has as many builds under way as one may have. */
function busy(underWay: readonly DeployRow[]): string[] {
  const byAccount = Map.groupBy(underWay, ({ created_by_email }) => created_by_email);
  return [...byAccount].flatMap(([account, { length }]) =>
    length >= BUILDS_OF_ONE ? [account] : [],
  );
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

/** Builds a deploy that is leased, and keeps the lease meanwhile. */
function buildUnderLease(
  deps: BuildDeps,
  worker: string,
  deploy: DeployRow,
  stop: AbortSignal,
): Promise<void> {
  const { db, now, log } = deps;
  const renew = () => renewLease(db, deploy.id, worker, now() + LEASE_MS);
  return underLease(renew, RENEW_MS, stop, async (signal) => {
    try {
      await buildDeploy(deps, worker, deploy, signal);
    } catch (error) {
      // One that is stopped in order gives back what it had begun, as if it had not.
      // One whose lease is lost went with its project, or is another's by now.
      const isCalledOff = signal.aborted;
      if (!isCalledOff) log.error({ err: error, deploy: deploy.id }, 'a deploy could not be built');
      await releaseLease(db, deploy.id, worker, { isCounted: !stop.aborted });
      if (!isCalledOff) await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => {});
    }
  });
}
