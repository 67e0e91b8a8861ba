import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { finishNotice, type LeasedNotice, releaseNotice } from '../store/notices.ts';
import { type DeliveryOutcome, nextAttemptAt } from './delivery.ts';
import type { Mailer } from './mailer.ts';
import type { NoticeType, Payload } from './queue-notice.ts';

export interface EmailDeps extends Pick<Deps, 'db' | 'now' | 'addresses'> {
  readonly log: Log;
}

/** Sends a leased notice to its address, and records the outcome. */
export async function deliverByEmail(
  { db, now, addresses, log }: EmailDeps,
  mailer: Mailer,
  notice: LeasedNotice,
  stop: AbortSignal,
): Promise<void> {
  const { id, email, payload, created_at, attempts } = notice;
  const about = emailAbout(JSON.parse(payload) as Payload, addresses().dashboard);
  const letter = { id, to: email ?? '', at: created_at, ...about };
  let outcome: DeliveryOutcome;
  try {
    outcome = await mailer.send(letter, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
    return releaseNotice(db, notice);
  }
  const { error, isFinal } = outcome;
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

const SUBJECTS: Record<NoticeType, (hostname: string) => string> = {
  'domain.verified': (hostname) => `${hostname} is verified`,
  'domain.certificate_issued': (hostname) => `${hostname} has its certificate`,
  'domain.certificate_failed': (hostname) => `${hostname} has no certificate yet`,
  'domain.certificate_expiring': (hostname) => `The certificate of ${hostname} expires soon`,
  'domain.moved_away': (hostname) => `The DNS of ${hostname} leads elsewhere`,
  'domain.claimed_elsewhere': (hostname) => `Another project claims ${hostname}`,
  'domain.lost': (hostname) => `${hostname} belongs to another project now`,
  'domain.removed': (hostname) => `${hostname} is removed`,
};

/** The subject and the text of an e-mail about a notice. `dashboard`: the origin that links lead to. */
function emailAbout(
  { type, data: { project, hostname, message } }: Payload,
  dashboard: string,
): { subject: string; text: string } {
  const settings = `${dashboard}/projects/${encodeURIComponent(project)}/settings`;
  const domains = `${settings}/domains`;
  // A removed domain has no page.
  const page = type === 'domain.removed' ? domains : `${domains}/${encodeURIComponent(hostname)}`;
  const text = `${message}

Domain:  ${hostname}
Project: ${project}
${page}

--\x20
You get this because you own the project in the dashboard at
${dashboard}
`;
  return { subject: SUBJECTS[type](hostname), text };
}
