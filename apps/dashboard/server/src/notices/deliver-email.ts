import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { finishNotice, type LeasedNotice, releaseNotice } from '../store/notices.ts';
import { emailAbout } from './email-text.ts';
import type { Mailer } from './mailer.ts';
import type { Payload } from './notice.ts';
import type { Outcome } from './outcome.ts';
import { nextAttemptAt } from './retries.ts';

export interface EmailDeps extends Pick<Deps, 'db' | 'now' | 'addresses'> {
  readonly log: Log;
}

/** Sends a leased notice to its address, and writes down how that ended. */
export async function deliverByEmail(
  { db, now, addresses, log }: EmailDeps,
  mailer: Mailer,
  notice: LeasedNotice,
  stop: AbortSignal,
): Promise<void> {
  const { id, email, payload, created_at, attempts } = notice;
  const about = emailAbout(JSON.parse(payload) as Payload, addresses().dashboard);
  const letter = { id, to: email ?? '', at: created_at, ...about };
  let outcome: Outcome;
  try {
    outcome = await mailer.send(letter, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
    return releaseNotice(db, notice);
  }
  const { error, isFinal } = outcome;
  // The address is for no log, and mail servers repeat it.
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
