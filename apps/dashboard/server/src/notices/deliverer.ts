import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { DeliveryOutcome } from '@petstore/webhooks/delivery-outcome.ts';
import { nextAttemptAt } from '@petstore/webhooks/retries.ts';
import type { Deps } from '../deps.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import {
  finishNotice,
  type LeasedNotice,
  leaseEmail,
  leaseWebhookNotice,
  pruneNotices,
  releaseNotice,
} from '../store/notices.ts';
import { deliverToWebhook, LEASE_MS, RESPONSE_TIMEOUT_MS } from './deliver-webhook.ts';
import type { DomainEventType } from './event-types.ts';
import { createMailer, type Mailer } from './mailer.ts';
import type { MailedPayload } from './queue-notice.ts';

/** How many deliveries run at the same time: one for each webhook, and few to the one mail server. */
const MAX_WEBHOOKS = 32;
const MAX_EMAILS = 2;

const HOUR_MS = 3_600_000;

/** How long notices are kept that were delivered or given up. */
const KEPT_MS = 30 * 24 * HOUR_MS;

/**
 * How many ended deliveries of a webhook are kept at most: a project that is deployed without a pause fills no database.
 */
const KEPT_DELIVERIES = 1_000;

/** When an e-mail that no process has tried to send is dropped: there is no mail server. */
const UNSENT_MS = 24 * HOUR_MS;

export interface DelivererDeps
  extends Pick<Deps, 'config' | 'db' | 'metrics' | 'now' | 'sealer' | 'addresses'> {
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
    const bounds = {
      endedBefore: now() - KEPT_MS,
      unsentBefore: now() - UNSENT_MS,
      keptDeliveries: KEPT_DELIVERIES,
    };
    await pruneNotices(db, bounds).catch((error) =>
      log.warn({ err: error }, 'old notices could not be removed'),
    );
    await sleep(HOUR_MS, undefined, { signal: stop, ref: false }).catch(() => {});
  }
}

interface EmailDeps extends Pick<Deps, 'db' | 'metrics' | 'now' | 'addresses'> {
  readonly log: Log;
}

/** Sends a leased notice to its address, and records the outcome. */
async function deliverByEmail(
  { db, metrics, now, addresses, log }: EmailDeps,
  mailer: Mailer,
  notice: LeasedNotice,
  stop: AbortSignal,
): Promise<void> {
  const { id, email, payload, created_at, attempts } = notice;
  const about = emailAbout(JSON.parse(payload) as MailedPayload, addresses().dashboard);
  const message = { id, to: email ?? '', at: created_at, ...about };
  let outcome: DeliveryOutcome;
  try {
    outcome = await mailer.send(message, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
    return releaseNotice(db, notice, { isCounted: false });
  }
  const { error, isFinal } = outcome;
  metrics?.delivery('email', error === null ? 'delivered' : 'failed');
  // The error is not logged: mail servers repeat the address in it.
  if (error !== null) log.warn({ notice: id, attempts, isFinal }, 'an e-mail could not be sent');
  const at = now();
  const next = error === null || isFinal ? null : nextAttemptAt(attempts, at);
  await db.transaction().execute((trx) =>
    finishNotice(trx, notice, {
      delivered_at: error === null ? at : null,
      next_attempt_at: next,
      last_error: error,
    }),
  );
}

const SUBJECTS: Record<DomainEventType, (hostname: string) => string> = {
  'domain.verified': (hostname) => `${hostname} is verified`,
  'domain.certificate_issued': (hostname) => `${hostname} has its certificate`,
  'domain.certificate_failed': (hostname) => `${hostname} has no certificate yet`,
  'domain.certificate_expiring': (hostname) => `The certificate of ${hostname} expires soon`,
  'domain.challenge_gone': (hostname) => `The challenge record of ${hostname} is gone`,
  'domain.certificate_unexpected': (hostname) =>
    `A certificate for ${hostname} was issued elsewhere`,
  'domain.moved_away': (hostname) => `The DNS of ${hostname} leads elsewhere`,
  'domain.traffic_ended': (hostname) => `Nobody asks for ${hostname} here any more`,
  'domain.claimed_elsewhere': (hostname) => `Another project claims ${hostname}`,
  'domain.lost': (hostname) => `${hostname} belongs to another project now`,
  'domain.removed': (hostname) => `${hostname} is removed`,
};

/** The subject and the text of an e-mail about a notice. `dashboard`: the origin that links lead to. */
function emailAbout(payload: MailedPayload, dashboard: string): { subject: string; text: string } {
  const { message, project } = payload.data;
  const settings = `${dashboard}/projects/${encodeURIComponent(project)}/settings`;
  const { subject, facts, page } = aboutOf(payload, settings);
  const text = `${message}

${facts}
${page}

--\x20
You get this because you own the project in the dashboard at
${dashboard}
`;
  return { subject, text };
}

interface About {
  readonly subject: string;
  readonly facts: string;
  readonly page: string;
}

function aboutOf(payload: MailedPayload, settings: string): About {
  const { project } = payload.data;
  if (payload.type === 'quota.reached') {
    const { percent, quota } = payload.data;
    const left = `${percent >= 100 ? 'no' : 'little'} room left`;
    return {
      subject: quota === 'bytes' ? `${project} has ${left}` : `Your projects have ${left}`,
      facts: `Project: ${project}`,
      page: `${settings}/plan`,
    };
  }
  const { hostname } = payload.data;
  const domains = `${settings}/domains`;
  return {
    subject: SUBJECTS[payload.type](hostname),
    facts: `Domain:  ${hostname}\nProject: ${project}`,
    // A removed domain has no page.
    page:
      payload.type === 'domain.removed' ? domains : `${domains}/${encodeURIComponent(hostname)}`,
  };
}
