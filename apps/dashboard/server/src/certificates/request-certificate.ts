import type { Transaction } from 'kysely';
import { findCertificate } from '../store/certificates.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { expediteIssuance, findIssuance, insertIssuance } from '../store/issuances.ts';
import type { Database } from '../store/schema.ts';
import { budgetOf } from './budget.ts';
import { parseProblem } from './problem.ts';

/** The issuer puts the configured directory in its place. */
const ANY_DIRECTORY = '';

/**
 * Has a certificate made for a verified domain, in the transaction that verifies it. Where one is under way
 * or there, nothing changes, but that what waits for its next attempt is tried as soon as its budget allows.
 */
export async function requestCertificate(
  trx: Transaction<Database>,
  domain: { readonly id: string; readonly hostname: string },
  at: number,
): Promise<void> {
  const { id, hostname } = domain;
  const waiting = await findIssuance(trx, id);
  if (waiting) {
    const { nextSafeAt } = await budgetOf(trx, waiting.directory_url, hostname, at);
    const wished = parseProblem(waiting.last_problem)?.retryAt ?? at;
    await expediteIssuance(trx, id, Math.max(nextSafeAt, wished));
    return;
  }
  const certificate = await findCertificate(trx, id);
  if (certificate && certificate.not_after > at) return;
  const isNew = await insertIssuance(trx, {
    domain_id: id,
    hostname,
    kind: certificate ? 'renewal' : 'first',
    step: 'account',
    step_at: at,
    requested_at: at,
    directory_url: ANY_DIRECTORY,
    failures: 0,
    next_attempt_at: at,
  });
  if (!isNew) return;
  const words = 'The name is verified. A certificate is on its way.';
  await recordDomainEvent(trx, id, at, 'certificate.requested', words);
}
