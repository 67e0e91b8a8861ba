import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { leaseEmail, leaseWebhookNotice, pruneNotices } from '../store/notices.ts';
import { deliverByEmail } from './deliver-email.ts';
import { ANSWER_TIMEOUT_MS, deliverToWebhook } from './deliver-webhook.ts';
import { createMailer } from './mailer.ts';

/**
 * How long a notice belongs to a process that says nothing more, in milliseconds: longer than any attempt
 * takes, so that nobody has to renew it. So long does one wait whose process was killed.
 */
const LEASE_MS = 60_000;

/** Deliveries at once, at most: one for each webhook, and few to the mail server, which is one for all. */
const MAX_WEBHOOKS = 32;
const MAX_EMAILS = 2;

const HOUR_MS = 3_600_000;

/** How long what was delivered or given up is kept. */
const KEPT_MS = 30 * 24 * HOUR_MS;

/** An e-mail that nobody has begun to send after so long, since there is no mail server, is no news any more. */
const UNSENT_MS = 24 * HOUR_MS;

export interface DelivererDeps
  extends Pick<Deps, 'config' | 'db' | 'now' | 'sealer' | 'addresses'> {
  readonly log: Log;
  /** For one delivery of a webhook, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Delivers what is queued for as long as the process lives, at least once each: a process that is killed
 * between a receiver's answer and writing it down leaves the notice to be sent again, with the same id.
 */
export function startDeliverer(deps: DelivererDeps): JobRunner {
  const { config, db, now, log, timeoutMs = ANSWER_TIMEOUT_MS } = deps;
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

/** Removes, every hour, what is kept no longer. */
async function prune({ db, now, log }: DelivererDeps, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const bounds = { endedBefore: now() - KEPT_MS, unsentBefore: now() - UNSENT_MS };
    await pruneNotices(db, bounds).catch((error) =>
      log.warn({ err: error }, 'old notices could not be removed'),
    );
    await sleep(HOUR_MS, undefined, { signal: stop, ref: false }).catch(() => {});
  }
}
