import { queueNotice } from '../notices/queue-notice.ts';
import {
  type CertificateRow,
  leaseForRenewalInfo,
  listRenewable,
  listRenewals,
  scheduleRenewal,
} from '../store/certificates.ts';
import { hasEventSince, recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import { insertIssuance } from '../store/issuances.ts';
import { lockProject } from '../store/projects.ts';
import type { Accounts } from './account.ts';
import { ProblemError } from './acme/problem-document.ts';
import { UnreachableError } from './acme/transport.ts';
import type { IssuerDeps } from './attempt.ts';
import { isExpiringSoon, nextAriCheck, timeInWindow } from './renewal.ts';

/** How many renewals are begun, and how many windows asked for, at a time. */
const BATCH = 50;

/** When a window is asked for again after that failed, in milliseconds. */
const ASK_AGAIN_MS = 3_600_000;

/** Queues certificates whose time has come; whether there were any. */
export async function beginRenewals({ db, config, now }: IssuerDeps): Promise<boolean> {
  const at = now();
  const due = await listRenewable(db, at, BATCH);
  for (const { domain_id, hostname } of due) {
    await db.transaction().execute(async (trx) => {
      if (!(await lockDomain(trx, domain_id))) return;
      await insertIssuance(trx, {
        domain_id,
        hostname,
        kind: 'renewal',
        step: 'account',
        step_at: at,
        requested_at: at,
        directory_url: config.acme.directoryUrl,
        failures: 0,
        next_attempt_at: at,
      });
    });
  }
  return due.length > 0;
}

/**
 * Asks the authority when to renew the certificates that it is time to ask for (RFC 9773), until there are none
 * or it does not answer.
 */
export async function askWhenToRenew(
  deps: IssuerDeps,
  accounts: Accounts,
  signal: AbortSignal,
): Promise<void> {
  const { db, now } = deps;
  while (!signal.aborted) {
    const due = await leaseForRenewalInfo(db, now(), now() + ASK_AGAIN_MS, BATCH);
    const isAnswered = due.length > 0 && (await askFor(deps, accounts, due));
    if (!isAnswered || due.length < BATCH) return;
  }
}

/** Whether the authority answered. */
async function askFor(
  deps: IssuerDeps,
  accounts: Accounts,
  due: readonly CertificateRow[],
): Promise<boolean> {
  const { db, config, now } = deps;
  const authority = await accounts.at(config.acme.directoryUrl);
  for (const certificate of due) {
    if (certificate.ari_id === null) continue;
    try {
      const info = await authority.renewalInfo(certificate.ari_id);
      if (!info) return false;
      const renew_at = timeInWindow(info, certificate.renew_at, Math.random());
      await scheduleRenewal(db, certificate, { renew_at, ari_check_at: nextAriCheck(info, now()) });
    } catch (error) {
      await noteNoAnswer(deps, certificate, error);
      if (error instanceof UnreachableError) return false;
    }
  }
  return true;
}

/** An authority that knows nothing of the certificate (another than made it, say) is not asked again. */
async function noteNoAnswer(
  { db, log }: IssuerDeps,
  certificate: CertificateRow,
  error: unknown,
): Promise<void> {
  const isUnknown = error instanceof ProblemError && error.document.status === 404;
  if (isUnknown) {
    const { renew_at } = certificate;
    await scheduleRenewal(db, certificate, { renew_at, ari_check_at: null, ari_id: null });
  } else if (error instanceof ProblemError || error instanceof UnreachableError) {
    log.warn({ err: error, hostname: certificate.hostname }, 'it is not known when to renew');
  } else throw error;
}

/** Tells, once for a certificate, that it ends soon and could not be renewed. */
export async function warnOfExpiry({ db, now }: IssuerDeps): Promise<void> {
  for (const row of await listRenewals(db)) {
    const at = now();
    const life = { notBefore: row.not_before, notAfter: row.not_after };
    const kind = 'certificate.expiring';
    if (!isExpiringSoon(life, at)) continue;
    await db.transaction().execute(async (trx) => {
      await lockProject(trx, row.project_id);
      if (!(await lockDomain(trx, row.domain_id))) return;
      if (await hasEventSince(trx, row.domain_id, kind, row.issued_at)) return;
      const until = new Date(row.not_after).toISOString();
      const message = `The certificate of ${row.hostname} ends on ${until} and could not be renewed yet. The page of the domain tells why.`;
      const details = { notAfter: until };
      await recordDomainEvent(trx, row.domain_id, at, kind, message, details);
      const { project_id: projectId, hostname } = row;
      const type = 'domain.certificate_expiring';
      await queueNotice(trx, at, { type, projectId, hostname, message, details });
    });
  }
}
