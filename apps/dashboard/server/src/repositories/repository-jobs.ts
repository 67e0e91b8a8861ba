import type { Log } from '@petstore/service/log.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { underLease, workerName } from '../jobs/lease.ts';
import { leaseCommitStatus } from '../store/commit-statuses.ts';
import { leaseRepository, type RepositoryRow, releaseRepository } from '../store/repositories.ts';
import {
  endBranchLease,
  type LeasedBranch,
  leaseBranch,
  renewBranchLease,
} from '../store/repository-branches.ts';
import { trustedRoots } from '../trusted-roots.ts';
import { type CheckDeps, checkRepository } from './check-repository.ts';
import { deployBranch, type FetchDeps } from './deploy-branch.ts';
import { recordFetchFailure } from './fetch-failure.ts';
import { STATUS_LEASE_MS, type StatusDeps, sendStatus } from './statuses/send-status.ts';

/** How many hosts a process asks at the same time: each waits for the network most of the time. */
const CHECKS_AT_ONCE = 8;

/** How many branches it fetches: each takes a disk, and a processor for a while. One of them may be of the same account. */
const FETCHES_AT_ONCE = 2;

const STATUSES_AT_ONCE = 4;

/** How long a process has a check, in milliseconds: longer than one takes, so that the lease is never renewed. */
const CHECK_LEASE_MS = 90_000;

/** How long the lease of a fetch lasts, in milliseconds, and how often it is renewed. */
const FETCH_LEASE_MS = 30_000;
const RENEW_MS = 8_000;

/** When a check is tried again after an error of the service itself, in milliseconds. */
const RETRY_MS = 60_000;

export interface RepositoryJobDeps extends CheckDeps, FetchDeps {
  readonly log: Log;
}

/**
 * Asks repositories for new commits, deploys those, and tells their hosts what became of them, for as long as the process
 * lives. Throws UserError where DASHBOARD_GIT_CA_FILE cannot be read. Where the operator refuses repositories, it does
 * nothing.
 */
export function startRepositoryJobs(deps: RepositoryJobDeps): JobRunner {
  const { config, log } = deps;
  const roots = trustedRoots('DASHBOARD_GIT_CA_FILE', config.git.caFile);
  const runners =
    config.git.sources === 'refuse'
      ? []
      : [startChecks(deps), startFetches(deps), startStatuses({ ...deps, roots }, log)];
  return {
    wake() {
      for (const runner of runners) runner.wake();
    },
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()));
    },
  };
}

function startChecks(deps: RepositoryJobDeps): JobRunner {
  const { db, log, now } = deps;
  const worker = workerName();
  const check = async (repository: RepositoryRow, stop: AbortSignal) => {
    try {
      await checkRepository(deps, repository, worker, stop);
    } catch (error) {
      // A check that was aborted is due at once for another process.
      if (!stop.aborted)
        log.error({ err: error, repository: repository.id }, 'a repository could not be checked');
      const dueAt = stop.aborted ? now() : now() + RETRY_MS;
      await releaseRepository(db, repository.id, worker, dueAt);
    }
  };
  return startJobRunner({
    async take() {
      const repository = await leaseRepository(db, worker, now(), now() + CHECK_LEASE_MS);
      return repository && ((stop) => check(repository, stop));
    },
    ...{ limit: CHECKS_AT_ONCE, log, failureMessage: 'the repositories to ask cannot be read' },
  });
}

function startFetches(deps: RepositoryJobDeps): JobRunner {
  const { db, log, now } = deps;
  const worker = workerName();
  return startJobRunner({
    async take() {
      const leased = await leaseBranch(db, worker, now(), now() + FETCH_LEASE_MS);
      return leased && ((stop) => fetchUnderLease(deps, worker, leased, stop));
    },
    ...{ limit: FETCHES_AT_ONCE, log, failureMessage: 'the branches to fetch cannot be read' },
  });
}

function fetchUnderLease(
  deps: RepositoryJobDeps,
  worker: string,
  leased: LeasedBranch,
  stop: AbortSignal,
): Promise<void> {
  const { db, now } = deps;
  const { branch } = leased;
  const renew = () => renewBranchLease(db, branch, worker, now() + FETCH_LEASE_MS);
  return underLease(renew, RENEW_MS, stop, async (signal) => {
    try {
      await deployBranch(deps, leased, worker, signal);
    } catch (error) {
      // A lost lease means that the repository was changed or removed, or that another process has the branch now.
      if (signal.aborted) await endBranchLease(db, branch, worker, {});
      else await recordFetchFailure(deps, leased, worker, error);
    }
  });
}

function startStatuses(deps: StatusDeps, log: Log): JobRunner {
  const { db, now } = deps;
  return startJobRunner({
    async take() {
      const status = await leaseCommitStatus(db, now(), now() + STATUS_LEASE_MS);
      return status && ((stop) => sendStatus(deps, status, stop));
    },
    ...{ limit: STATUSES_AT_ONCE, log, failureMessage: 'commit statuses could not be sent' },
  });
}
