import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import { leaseCheck, releaseCheck } from '../store/domain-checks.ts';
import { checkDomain, type VerifyDeps } from './verify-domain.ts';

/** How long a check belongs to a process that says nothing more, in milliseconds: many times what one takes. */
const LEASE_MS = 60_000;

/** How often it is looked for checks that are due, in milliseconds. */
const POLL_MS = 1_000;

/** Checks at a time: each waits for name servers most of the while. */
const CONCURRENCY = 16;

/** When a check that the service itself could not do is tried again, in milliseconds. */
const RETRY_MS = 60_000;

export interface Checker {
  /** Checks are due: look now. */
  kick(): void;
  /** Breaks off the checks under way, which others take up, and ends. */
  stop(): Promise<void>;
}

/** Asks the DNS about every domain whose check is due, for as long as the process lives. */
export function startChecker(deps: VerifyDeps & { log: Log }): Checker {
  const { db, log, now } = deps;
  const worker = `${hostname()} ${process.pid} ${randomBytes(8).toString('hex')}`;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let wake = new AbortController();

  const check = async (domainId: string) => {
    let retryAt: number | undefined;
    try {
      await checkDomain(deps, domainId, undefined, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) {
        log.error({ err: error, domain: domainId }, 'a domain could not be checked');
        retryAt = now() + RETRY_MS;
      }
    }
    await releaseCheck(db, domainId, worker, retryAt).catch((error) =>
      log.warn({ err: error }, 'a check could not be given back; its lease runs out'),
    );
  };

  const startDue = async () => {
    while (!stopping.signal.aborted && running.size < CONCURRENCY) {
      const domainId = await leaseCheck(db, worker, now(), now() + LEASE_MS);
      if (domainId === undefined) return;
      const work = check(domainId).finally(() => {
        running.delete(work);
        rouse();
      });
      running.add(work);
    }
  };

  const rouse = () => {
    const asleep = wake;
    wake = new AbortController();
    asleep.abort();
  };

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const asleep = wake.signal;
      await startDue().catch((error) =>
        log.error({ err: error }, 'the domains to check cannot be read'),
      );
      await sleep(POLL_MS, undefined, { signal: asleep }).catch(() => {});
    }
    await Promise.all(running);
  })();

  return {
    kick: rouse,
    async stop() {
      stopping.abort();
      rouse();
      await loop;
    },
  };
}
