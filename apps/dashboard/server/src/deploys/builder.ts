import { setTimeout as sleep } from 'node:timers/promises';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { isDeadWorker, underLease, workerName } from '../jobs/lease.ts';
import type { BuildOutcome } from '../operations/job-metrics.ts';
import {
  appendLog,
  type DeployRow,
  endBuilds,
  findDeployState,
  leaseDeploy,
  listLeased,
  releaseLease,
  renewLease,
} from '../store/deploys.ts';
import type { Db } from '../store/schema.ts';
import { type BuildDeps, buildDeploy } from './build-deploy.ts';

/**
 * How long the lease of a deploy lasts, in milliseconds. A deploy waits as long when its process was killed. It is
 * renewed three times in that time.
 */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;

/** The wait after a build that failed because of the service itself, in milliseconds: a full disk, say. */
const RETRY_MS = 10_000;

/** How many builds a process runs at the same time. */
const BUILDS_AT_ONCE = 2;

/** How many of those may belong to one account. The remaining one is for others, who then need not wait. */
const BUILDS_OF_ONE = BUILDS_AT_ONCE - 1;

/** Builds queued deploys, for as long as the process lives. When it is stopped it releases the leases of its builds. */
export function startBuilder(deps: BuildDeps): JobRunner {
  const { db, now, log } = deps;
  const worker = workerName();
  const underWay: DeployRow[] = [];
  const takenOver = takeOverFromTheDead(deps).catch((error) => {
    // Then their builds wait until their leases end.
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

/** The accounts that have as many builds under way as allowed. */
function busy(underWay: readonly DeployRow[]): string[] {
  const byAccount = Map.groupBy(underWay, ({ created_by_email }) => created_by_email);
  return [...byAccount].flatMap(([account, { length }]) =>
    length >= BUILDS_OF_ONE ? [account] : [],
  );
}

/**
 * Ends the leases of dead processes of this machine, so that their builds continue at once when the service starts
 * again.
 */
async function takeOverFromTheDead({ db }: BuildDeps): Promise<void> {
  for (const { id, leased_by } of await listLeased(db)) {
    if (leased_by !== null && isDeadWorker(leased_by)) {
      await releaseLease(db, id, leased_by, { isCounted: true });
    }
  }
}

/** What a full disk is called by the system, and by SQLite and PostgreSQL. */
const FULL = /ENOSPC|EDQUOT|SQLITE_FULL|disk is full|No space left|53100/;

/** Why a build failed that will be tried again, for whoever sent the deploy. */
export function explainBuildError(error: unknown): string {
  const { code = '', message = '' } = error as Partial<NodeJS.ErrnoException>;
  return FULL.test(`${code} ${message}`)
    ? 'The service has no room on its disk for this build. It is tried again; its operator has to make room.'
    : 'The build failed because of the service, not of what was sent. It is tried again.';
}

/** How a build ended that came to its end; the deploy may be gone with its project. */
async function outcomeOf(db: Db, id: string): Promise<BuildOutcome> {
  const state = await findDeployState(db, id);
  return state === 'succeeded' || state === 'failed' ? state : 'interrupted';
}

/** Builds a leased deploy, and renews the lease meanwhile. */
function buildUnderLease(
  deps: BuildDeps,
  worker: string,
  deploy: DeployRow,
  stop: AbortSignal,
): Promise<void> {
  const { db, metrics, now, log } = deps;
  const renew = () => renewLease(db, deploy.id, worker, now() + LEASE_MS);
  return underLease(renew, RENEW_MS, stop, async (signal) => {
    const ended = metrics?.build();
    let isBuilt = false;
    try {
      await buildDeploy(deps, worker, deploy, signal)
        .then(() => {
          isBuilt = true;
        })
        .finally(() => endBuilds(db, deploy.id, now(), worker));
      ended?.(await outcomeOf(db, deploy.id));
    } catch (error) {
      ended?.('interrupted');
      // An orderly stop releases the lease, and the attempt does not count.
      // A lost lease means that the project was deleted, that another process builds the deploy now, or that it has ended.
      const isCalledOff = signal.aborted && !isBuilt;
      if (!isCalledOff) log.error({ err: error, deploy: deploy.id }, 'a deploy could not be built');
      const isQueued = await releaseLease(db, deploy.id, worker, { isCounted: !stop.aborted });
      // Whoever waits for it sees no log of the service. Where the store has failed as well, nobody can be told.
      if (isQueued && !isCalledOff)
        await appendLog(db, deploy.id, now(), 'error', explainBuildError(error)).catch(() => {});
      if (!isCalledOff) await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => {});
    }
  });
}
