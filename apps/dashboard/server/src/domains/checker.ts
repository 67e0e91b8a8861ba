import type { Log } from '@petstore/service/log.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { workerName } from '../jobs/worker.ts';
import { leaseCheck, releaseCheck } from '../store/domain-checks.ts';
import { checkDomain, type VerifyDeps } from './verify-domain.ts';

/** How long a check belongs to a process that says nothing more, in milliseconds: many times what one takes. */
const LEASE_MS = 60_000;

/** Checks at a time: each waits for name servers most of the while. */
const CONCURRENCY = 16;

/** When a check that the service itself could not do is tried again, in milliseconds. */
const RETRY_MS = 60_000;

/** Asks the DNS about every domain whose check is due, for as long as the process lives. */
export function startChecker(deps: VerifyDeps & { log: Log }): JobRunner {
  const { db, log, now } = deps;
  const worker = workerName();

  const check = async (domainId: string, stop: AbortSignal) => {
    let retryAt: number | undefined;
    try {
      await checkDomain(deps, domainId, undefined, stop);
    } catch (error) {
      // One that is broken off is another process's at once.
      if (!stop.aborted) {
        log.error({ err: error, domain: domainId }, 'a domain could not be checked');
        retryAt = now() + RETRY_MS;
      }
    }
    await releaseCheck(db, domainId, worker, retryAt).catch((error) =>
      log.warn({ err: error }, 'a check could not be given back; its lease runs out'),
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
