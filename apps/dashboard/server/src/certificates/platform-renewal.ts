import {
  leasePlatformRenewalInfo,
  type PlatformCertificateRow,
  schedulePlatformRenewal,
} from '../store/platform-certificates.ts';
import type { AcmeAccounts } from './account.ts';
import { ProblemError, UnreachableError } from './acme-transport.ts';
import { authorityAt } from './authorities.ts';
import type { PlatformCertificate } from './platform-names.ts';
import type { PlatformIssuerDeps } from './platform-order.ts';
import { ASK_AGAIN_MS, latestRenewal, nextAriCheck, timeInWindow } from './renewal.ts';

/**
 * The work of asking a certificate's authority when to renew it (RFC 9773), where that is due; undefined where it is
 * not. While attempts fail, or one is under way, their own times stay.
 */
export async function takeRenewalInfo(
  deps: PlatformIssuerDeps,
  accounts: AcmeAccounts,
  certificates: readonly PlatformCertificate[],
): Promise<((stop: AbortSignal) => Promise<void>) | undefined> {
  const { db, now } = deps;
  for (const { hostname } of certificates) {
    const lease = { now: now(), until: now() + ASK_AGAIN_MS };
    const row = await leasePlatformRenewalInfo(db, hostname, lease);
    if (row) return () => ask(deps, accounts, row);
  }
  return undefined;
}

async function ask(
  { db, config, now, log }: PlatformIssuerDeps,
  accounts: AcmeAccounts,
  row: PlatformCertificateRow,
): Promise<void> {
  const { ari_id, directory_url, not_before, not_after, hostname } = row;
  const isComplete = ari_id !== null && not_before !== null && not_after !== null;
  const isKnown = directory_url !== null && authorityAt(config.acme, directory_url) !== undefined;
  if (!isComplete || !isKnown)
    return schedulePlatformRenewal(db, row, { ari_id: null, ari_check_at: null });
  try {
    const info = await (await accounts.at(directory_url)).renewalInfo(ari_id);
    if (!info) return;
    const drawn = timeInWindow(info, row.next_attempt_at, Math.random());
    const latest = latestRenewal({ notBefore: not_before, notAfter: not_after });
    await schedulePlatformRenewal(db, row, {
      next_attempt_at: Math.min(drawn, latest),
      ari_check_at: nextAriCheck(info, now()),
    });
  } catch (error) {
    const isUnknown = error instanceof ProblemError && error.document.status === 404;
    if (isUnknown) return schedulePlatformRenewal(db, row, { ari_id: null, ari_check_at: null });
    if (!(error instanceof ProblemError) && !(error instanceof UnreachableError)) throw error;
    log.warn({ err: error, hostname }, 'the authority did not say when to renew');
  }
}
