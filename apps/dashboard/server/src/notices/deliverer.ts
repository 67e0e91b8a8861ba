import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { leaseEmail, leaseWebhookNotice, pruneNotices } from '../store/notices.ts';
import { deliverByEmail } from './deliver-email.ts';
import { deliverToWebhook, RESPONSE_TIMEOUT_MS } from './deliver-webhook.ts';
import { createMailer } from './mailer.ts';

/**
 * How long a process has a notice, in milliseconds: longer than any attempt takes, so that the lease is never renewed.
 * A notice whose process was killed waits that long.
 */
const LEASE_MS = 60_000;

/** How many deliveries run at the same time: one for each webhook, and few to the one mail server. */
const MAX_WEBHOOKS = 32;
const MAX_EMAILS = 2;

const HOUR_MS = 3_600_000;

/** How long notices are kept that were delivered or given up. */
const KEPT_MS = 30 * 24 * HOUR_MS;

/** When an e-mail that no process has tried to send is dropped: there is no mail server. */
const UNSENT_MS = 24 * HOUR_MS;

export interface DelivererDeps
  extends Pick<Deps, 'config' | 'db' | 'now' | 'sealer' | 'addresses'> {
  readonly log: Log;
  /** How long a receiver may take to respond, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Delivers queued notices for as long as the process lives, each at least once: when a process is killed between a
 * receiver's response and recording it, the notice is sent again, with the same id.
 */
export function startDeliverer(deps: DelivererDeps): JobRunner {
  const { config, db, now, log, timeoutMs = RESPONSE_TIMEOUT_MS } = deps;
  const failureMessage = 'notices cannot be delivered';
  const runners: JobRunner[] = [
    startJobRunner({
      async take() {
        const leased = await leaseWebhookNotice(db, now(), now() + LEASE_MS);
        return leased && ((stop) => deliverToWebhook({ ...deps, timeoutMs }, leased, stop));
      },
      limit: MAX_WEBHOOKS,
      ...{ log, failureMessage },
    }),
  ];
  if (config.mail) {
    const mailer = createMailer(config.mail);
    runners.push(
      startJobRunner({
        async take() {
          const notice = await leaseEmail(db, now(), now() + LEASE_MS);
          return notice && ((stop) => deliverByEmail(deps, mailer, notice, stop));
        },
        limit: MAX_EMAILS,
        ...{ log, failureMessage },
      }),
    );
  }
  const stopping = new AbortController();
  const pruning = prune(deps, stopping.signal);
  return {
    wake() {
      for (const runner of runners) runner.wake();
    },
    async stop() {
      stopping.abort();
      await Promise.all([pruning, ...runners.map((runner) => runner.stop())]);
    },
  };
}

/** Removes old notices every hour. */
async function prune({ db, now, log }: DelivererDeps, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const bounds = { endedBefore: now() - KEPT_MS, unsentBefore: now() - UNSENT_MS };
    await pruneNotices(db, bounds).catch((error) =>
      log.warn({ err: error }, 'old notices could not be removed'),
    );
    await sleep(HOUR_MS, undefined, { signal: stop, ref: false }).catch(() => {});
  }
}
