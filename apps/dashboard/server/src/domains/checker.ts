import { ApiError } from '@petstore/http/errors.ts';
import type { Log } from '@petstore/service/log.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { workerName } from '../jobs/lease.ts';
import { leaseCheck, releaseCheck } from '../store/domain-checks.ts';
import { checkDomain, type VerifyDeps } from './verify-domain.ts';

/** How long a process has a check, in milliseconds: many times what one takes, so that the lease is never renewed. */
const LEASE_MS = 60_000;

/** Checks at the same time: each waits for name servers most of the time. */
const CONCURRENCY = 16;

/** When a check that failed is retried, in milliseconds. */
const RETRY_MS = 60_000;

/** Checks the DNS of every domain that is due, for as long as the process lives. */
export function startChecker(deps: VerifyDeps & { log: Log }): JobRunner {
  const { db, log, now } = deps;
  const worker = workerName();

  const check = async (domainId: string, stop: AbortSignal) => {
    let retryAt: number | undefined;
    try {
      await checkDomain(deps, domainId, undefined, stop);
    } catch (error) {
      // A check that was aborted is due at once for another process.
      if (!stop.aborted) {
        // Projects that take a name from each other without a pause are no fault of the service.
        const level = error instanceof ApiError ? 'warn' : 'error';
        log[level]({ err: error, domain: domainId }, 'a domain could not be checked');
        retryAt = now() + RETRY_MS;
      }
    }
    await releaseCheck(db, domainId, worker, retryAt).catch((error) =>
      log.warn({ err: error }, 'the lease of a check could not be released; it expires by itself'),
    );
  };

  return startJobRunner({
    async take() {
      const domainId = await leaseCheck(db, worker, now(), now() + LEASE_MS);
      return domainId === undefined ? undefined : (stop) => check(domainId, stop);
    },
    limit: CONCURRENCY,
    log,
    failureMessage: 'the domains to check cannot be read',
  });
}
