import type { Verdict } from '../domains/verdict.ts';
import { listPausedAccounts } from '../store/acme-accounts.ts';
import { findCheck } from '../store/domain-checks.ts';
import type { IssuanceRow } from '../store/issuances.ts';
import type { AccountDeps } from './account.ts';
import { parseTried, type Situation } from './choose-authority.ts';

/**
 * What is known of the authorities for an issuance: who failed, who is not asked now, and whom CAA records forbid. The
 * last is known only as the last check with the verdict `verified` found; after another verdict nobody is forbidden.
 */
export async function situationOf(
  { db, config, now }: Pick<AccountDeps, 'db' | 'config' | 'now'>,
  { domain_id, tried }: Pick<IssuanceRow, 'domain_id' | 'tried'>,
): Promise<Situation> {
  const failures = parseTried(tried);
  if (config.acme.authorities.length === 1) return { failures, pauses: new Map(), forbidden: [] };
  const [paused, check] = await Promise.all([
    listPausedAccounts(db, now()),
    findCheck(db, domain_id),
  ]);
  const verdict = check?.verdict ? (JSON.parse(check.verdict) as Verdict) : undefined;
  return {
    failures,
    pauses: new Map(paused.map((one) => [one.directory_url, Number(one.paused_until)])),
    forbidden: (verdict?.authorities ?? []).flatMap(({ directoryUrl, isAllowed }) =>
      isAllowed ? [] : [directoryUrl],
    ),
  };
}
