import { deleteChallenges } from '../store/acme-challenges.ts';
import { endOrder, type OrderEnd } from '../store/acme-orders.ts';
import { findServingDomain } from '../store/certificates.ts';
import { lockDomain } from '../store/domains.ts';
import {
  changeLeasedIssuance,
  deleteLeasedIssuance,
  findIssuance,
  type IssuanceChange,
  type IssuanceRow,
} from '../store/issuances.ts';
import type { Accounts } from './account.ts';
import { ProblemError } from './acme/problem-document.ts';
import { type Attempt, authorityOf, type IssuerDeps, LeaseLostError, note } from './attempt.ts';
import { backoff } from './backoff.ts';
import { abandonOrder, giveBackFailed, giveBackHeld } from './give-back.ts';
import { issue, isThereAlready } from './issue.ts';
import { HeldBackError } from './order.ts';
import { type Problem, problemOf } from './problem.ts';

/** Works on a certificate that is leased to `worker`, and gives it back. Rejects only where the store is away. */
export async function attemptCertificate(
  deps: IssuerDeps,
  accounts: Accounts,
  worker: string,
  row: IssuanceRow,
  signal: AbortSignal,
): Promise<void> {
  const domain = await findServingDomain(deps.db, row.domain_id);
  const attempt: Attempt = {
    deps,
    accounts,
    worker,
    signal,
    row,
    projectId: domain?.project_id ?? '',
  };
  // The second look: between the wish and the lease the domain may have gone, or the certificate have come.
  if (!domain || (await isThereAlready(attempt))) return drop(attempt);
  // The old certificate serves on for as long as anybody comes, and is renewed when the name leads here again.
  if (row.kind === 'renewal' && domain.moved_away_at !== null) return drop(attempt);
  try {
    const start = startingAt(deps, row);
    if (start) await note(attempt, start);
    await issue(attempt);
  } catch (error) {
    await giveBack(attempt, error);
  }
}

/** The directory that is configured now: an order at one that is not any more is let go. */
function startingAt(
  { config }: IssuerDeps,
  { directory_url }: IssuanceRow,
): IssuanceChange | undefined {
  const { directoryUrl, stagingDirectoryUrl } = config.acme;
  const isConfigured = directory_url === directoryUrl || directory_url === stagingDirectoryUrl;
  if (isConfigured) return undefined;
  return { directory_url: directoryUrl, step: 'account', order_url: null, sealed_key: null };
}

async function drop(attempt: Attempt): Promise<void> {
  const { deps, row, worker } = attempt;
  await abandonOrder(attempt);
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, row.domain_id);
    const isMine = await deleteLeasedIssuance(trx, row.domain_id, worker);
    if (!isMine) return;
    await deleteChallenges(trx, row.domain_id);
    await endOrder(trx, row.domain_id, endOf(row), deps.now());
  });
}

/** Whoever has the issuance now goes on with its order; one that nobody knows of is given up. */
async function leave(attempt: Attempt): Promise<void> {
  const { deps, row } = attempt;
  const current = await findIssuance(deps.db, row.domain_id);
  if (row.order_url === null || current?.order_url === row.order_url) return;
  await abandonOrder(attempt);
  if (!current) await endOrder(deps.db, row.domain_id, endOf(row), deps.now());
}

/** An order that was let go counts as a certificate where one may have been made. */
function endOf({ step }: IssuanceRow): OrderEnd {
  return step === 'finalize' || step === 'download' ? 'issued' : 'ended';
}

async function giveBack(attempt: Attempt, error: unknown): Promise<void> {
  const { deps, row, worker, signal } = attempt;
  if (error instanceof LeaseLostError) return leave(attempt);
  if (signal.aborted) {
    // In the middle of a step, which the next process does again.
    const freed = { leased_by: null, leased_until: null };
    const isMine = await changeLeasedIssuance(deps.db, row.domain_id, worker, freed);
    return isMine ? undefined : leave(attempt);
  }
  try {
    if (error instanceof HeldBackError) return await giveBackHeld(attempt, error);
    const problem = await problemFor(attempt, error);
    if (problem) {
      deps.log.warn({ hostname: row.hostname, problem }, 'a certificate could not be had');
      return await giveBackFailed(attempt, problem);
    }
    deps.log.error({ err: error, hostname: row.hostname }, 'the work on a certificate failed');
    const failures = row.failures + 1;
    const next_attempt_at = deps.now() + backoff(failures, Math.random());
    await note(attempt, { leased_by: null, leased_until: null, failures, next_attempt_at });
  } catch (again) {
    if (again instanceof LeaseLostError) return leave(attempt);
    throw again;
  }
}

async function problemFor(attempt: Attempt, error: unknown): Promise<Problem | undefined> {
  const problem = problemOf(error, attempt.deps.now());
  // An account that was closed is told in the same words as a name that one may not have.
  const isAboutAccount = error instanceof ProblemError && problem?.type === 'unauthorized';
  if (!isAboutAccount) return problem;
  const isUsable = await authorityOf(attempt)
    .then((authority) => authority.isAccountUsable())
    .catch(() => true);
  return isUsable ? problem : { ...problem, type: 'accountDoesNotExist' };
}
