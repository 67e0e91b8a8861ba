import { queueDomainNotice } from '../notices/queue-notice.ts';
import {
  type CertificateRow,
  leaseForRenewalInfo,
  listRenewable,
  listRenewals,
  scheduleRenewal,
} from '../store/certificates.ts';
import { findEventSince, recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import { insertIssuance } from '../store/issuances.ts';
import { lockProject } from '../store/projects.ts';
import type { AccountDeps, AcmeAccounts } from './account.ts';
import type { RenewalInfo } from './acme-client.ts';
import { ProblemError, readRetryAfter, UnreachableError } from './acme-transport.ts';
import { authorityAt, issuerOf } from './authorities.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The share of its lifetime after which a certificate is renewed where the authority does not say when. */
const RENEWED_AFTER = 2 / 3;

/** The share of its lifetime by which that is sooner at most, so that what was issued together is not renewed together. */
const JITTER = 0.05;

/** Bounds for the Retry-After of renewal information (RFC 9773, section 4.3.2). */
const ARI_BOUNDS = [MINUTE_MS, DAY_MS] as const;

/** How often the authority is asked where it sends no Retry-After. */
const ARI_EVERY_MS = 6 * HOUR_MS;

/** How many renewals are started, and how many certificates asked about, at a time. */
const BATCH = 50;

/** When the authority is asked again after it did not respond, in milliseconds. */
export const ASK_AGAIN_MS = HOUR_MS;

interface Lifetime {
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** When to renew where the authority does not say, also for lifetimes of a few days. `random`: 0 to 1. */
export function renewalTime({ notBefore, notAfter }: Lifetime, random: number): number {
  const lifetime = notAfter - notBefore;
  return Math.round(notBefore + lifetime * (RENEWED_AFTER - JITTER * random));
}

/**
 * When to renew in an authority's suggested window (RFC 9773, section 4.2): a random instant in it. The instant that
 * was drawn before stays for as long as it is in the window. A window that is past, as that of a revoked certificate is,
 * means now. `random`: 0 to 1.
 */
export function timeInWindow(
  { start, end }: Pick<RenewalInfo, 'start' | 'end'>,
  drawn: number,
  random: number,
): number {
  if (drawn >= start && drawn <= end) return drawn;
  return Math.round(start + (end - start) * random);
}

/** The share of its lifetime after which a certificate is renewed whatever the authority says: time is left for others. */
const RENEWED_AT_LATEST = 5 / 6;

/** The latest instant at which a certificate is renewed, however late the authority's window is. */
export function latestRenewal({ notBefore, notAfter }: Lifetime): number {
  return Math.round(notBefore + (notAfter - notBefore) * RENEWED_AT_LATEST);
}

/** When to ask the authority again, by its Retry-After. */
export function nextAriCheck({ retryAfter }: Pick<RenewalInfo, 'retryAfter'>, now: number): number {
  return now + (readRetryAfter(retryAfter, now, ARI_BOUNDS) ?? ARI_EVERY_MS);
}

/** Whether a certificate expires so soon that the owners are to know: in 14 days, or a sixth of its lifetime. */
export function isExpiringSoon({ notBefore, notAfter }: Lifetime, now: number): boolean {
  return notAfter - now < Math.min(14 * DAY_MS, (notAfter - notBefore) / 6);
}

/** Starts an issuance for each certificate that is due for renewal; whether there were any. */
export async function startRenewals({ db, config, now }: AccountDeps): Promise<boolean> {
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
        directory_url: config.acme.authorities[0].directoryUrl,
        failures: 0,
        next_attempt_at: at,
      });
    });
  }
  return due.length > 0;
}

/**
 * Asks each certificate's authority when to renew (RFC 9773), where that is due. An authority that does not respond is
 * not asked about any more certificates.
 */
export async function askWhenToRenew(
  deps: AccountDeps,
  accounts: AcmeAccounts,
  signal: AbortSignal,
): Promise<void> {
  const { db, config, now } = deps;
  const away = new Set<string>();
  while (!signal.aborted) {
    const due = await leaseForRenewalInfo(db, now(), now() + ASK_AGAIN_MS, BATCH);
    for (const [directoryUrl, certificates] of byAuthority(due, config)) {
      if (away.has(directoryUrl)) continue;
      const hasResponded = await askAbout(deps, accounts, directoryUrl, certificates).catch(
        (error) => {
          if (config.acme.authorities.length === 1 || !isAuthorityError(error)) throw error;
          deps.log.warn({ err: error, directoryUrl }, 'the authority did not say when to renew');
          return false;
        },
      );
      if (!hasResponded) away.add(directoryUrl);
    }
    if (due.length < BATCH || away.size === config.acme.authorities.length) return;
  }
}

/** The certificates of each authority that is configured. Nobody is asked about the others. */
function byAuthority(
  certificates: readonly CertificateRow[],
  { acme }: AccountDeps['config'],
): Map<string, CertificateRow[]> {
  const known = certificates.filter((one) => authorityAt(acme, issuerOf(one, acme)) !== undefined);
  return Map.groupBy(known, (one) => issuerOf(one, acme));
}

/** Whether the authority responded. */
async function askAbout(
  deps: AccountDeps,
  accounts: AcmeAccounts,
  directoryUrl: string,
  due: readonly CertificateRow[],
): Promise<boolean> {
  const { db, now } = deps;
  const client = await accounts.at(directoryUrl);
  for (const certificate of due) {
    if (certificate.ari_id === null) continue;
    try {
      const info = await client.renewalInfo(certificate.ari_id);
      if (!info) return false;
      const life = { notBefore: certificate.not_before, notAfter: certificate.not_after };
      const drawn = timeInWindow(info, certificate.renew_at, Math.random());
      const renew_at = Math.min(drawn, latestRenewal(life));
      await scheduleRenewal(db, certificate, { renew_at, ari_check_at: nextAriCheck(info, now()) });
    } catch (error) {
      await handleNoRenewalInfo(deps, certificate, error);
      if (error instanceof UnreachableError) return false;
    }
  }
  return true;
}

function isAuthorityError(error: unknown): boolean {
  return error instanceof ProblemError || error instanceof UnreachableError;
}

/** An authority that does not know the certificate (another one issued it, say) is not asked again. */
async function handleNoRenewalInfo(
  { db, log }: AccountDeps,
  certificate: CertificateRow,
  error: unknown,
): Promise<void> {
  const isUnknown = error instanceof ProblemError && error.document.status === 404;
  if (isUnknown) {
    const { renew_at } = certificate;
    await scheduleRenewal(db, certificate, { renew_at, ari_check_at: null, ari_id: null });
  } else if (isAuthorityError(error)) {
    log.warn(
      { err: error, hostname: certificate.hostname },
      'the authority did not say when to renew',
    );
  } else throw error;
}

/** Notifies the owners, once for each certificate, that it expires soon and could not be renewed. */
export async function warnOfExpiry({ db, now }: AccountDeps): Promise<void> {
  for (const row of await listRenewals(db)) {
    const at = now();
    const lifetime = { notBefore: row.not_before, notAfter: row.not_after };
    const kind = 'certificate.expiring';
    if (!isExpiringSoon(lifetime, at)) continue;
    await db.transaction().execute(async (trx) => {
      await lockProject(trx, row.project_id);
      if (!(await lockDomain(trx, row.domain_id))) return;
      if (await findEventSince(trx, row.domain_id, kind, row.issued_at)) return;
      const until = new Date(row.not_after).toISOString();
      const message = `The certificate of ${row.hostname} ends on ${until} and could not be renewed yet. The page of the domain tells why.`;
      const details = { notAfter: until };
      await recordDomainEvent(trx, row.domain_id, at, kind, message, details);
      const { project_id: projectId, hostname } = row;
      const type = 'domain.certificate_expiring';
      await queueDomainNotice(trx, at, { type, projectId, hostname, message, details });
    });
  }
}
