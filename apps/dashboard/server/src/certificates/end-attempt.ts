import { queueDomainNotice } from '../notices/queue-notice.ts';
import { pauseAccount } from '../store/acme-accounts.ts';
import { deleteChallenges } from '../store/acme-challenges.ts';
import { endOrder, type OrderEnd } from '../store/acme-orders.ts';
import { findEventSince, recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import {
  changeLeasedIssuance,
  deleteLeasedIssuance,
  findIssuance,
  type IssuanceChange,
  type IssuanceRow,
} from '../store/issuances.ts';
import { lockProject } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { problemAtAuthority } from './account.ts';
import { authorityName } from './authorities.ts';
import { backoff } from './backoff.ts';
import { type Attempt, findWanted, LeaseLostError, recordProgress } from './issuance.ts';
import { afterBudget, type NextAttempt, nextAttempt } from './next-attempt.ts';
import { abandonOrder, OrderDeferredError } from './order.ts';
import {
  explainProblem,
  isLostByAuthority,
  isTransient,
  type Problem,
  parseProblem,
  problemToShow,
} from './problem.ts';
import { budgetOf } from './rate-limits.ts';
import { ensureCertificate } from './request-certificate.ts';

/** The owners are notified after so many failures in a row; fewer may be over in a minute. */
const NOTIFIED_AFTER = 3;

const FREE = { leased_by: null, leased_until: null } as const;

/** Ends an attempt that failed with `error`: frees the lease, and schedules a retry where that can help. */
export async function endFailedAttempt(attempt: Attempt, error: unknown): Promise<void> {
  const { deps, row, worker, signal } = attempt;
  if (error instanceof LeaseLostError) return leaveToOthers(attempt);
  if (signal.aborted) {
    // The process stops in the middle of a step, which the next process repeats.
    const isMine = await changeLeasedIssuance(deps.db, row.domain_id, worker, FREE);
    return isMine ? undefined : leaveToOthers(attempt);
  }
  try {
    if (error instanceof OrderDeferredError) return await deferOrder(attempt, error);
    const { accounts } = attempt;
    const problem = await problemAtAuthority(accounts, row.directory_url, error, deps.now());
    if (problem) {
      deps.log.warn({ hostname: row.hostname, problem }, 'an attempt at a certificate failed');
      return await scheduleRetry(attempt, problem);
    }
    deps.log.error(
      { err: error, hostname: row.hostname },
      'a certificate attempt failed unexpectedly',
    );
    const failures = row.failures + 1;
    const next_attempt_at = deps.now() + backoff(failures, Math.random());
    await recordProgress(attempt, { ...FREE, failures, next_attempt_at });
  } catch (again) {
    if (again instanceof LeaseLostError) return leaveToOthers(attempt);
    throw again;
  }
}

/**
 * Ends the issuance: the certificate is not wanted any more, or is there. Where the domain was added again while the order
 * was being abandoned, the check that verified it found this issuance: another one takes its place.
 */
export async function dropIssuance(attempt: Attempt): Promise<void> {
  const { deps, row, worker } = attempt;
  const { domain_id: id, hostname } = row;
  await abandonOrder(attempt);
  const at = deps.now();
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, id);
    const isMine = await deleteLeasedIssuance(trx, id, worker);
    if (!isMine) return;
    await deleteChallenges(trx, id);
    await endOrder(trx, id, endOf(row), at);
    if (await findWanted(trx, row)) await ensureCertificate(trx, { id, hostname }, at);
  });
}

/** Another process goes on with the order of the issuance. An order that is not stored there is abandoned. */
async function leaveToOthers(attempt: Attempt): Promise<void> {
  const { deps, row } = attempt;
  const current = await findIssuance(deps.db, row.domain_id);
  if (row.order_url === null || current?.order_url === row.order_url) return;
  await abandonOrder(attempt);
  if (!current) await endOrder(deps.db, row.domain_id, endOf(row), deps.now());
}

/** An order that is dropped counts as a certificate where one may have been issued. */
function endOf({ step }: IssuanceRow): OrderEnd {
  return step === 'finalize' || step === 'download' ? 'issued' : 'ended';
}

/** Waits until the installation's own rate limits allow the order, unless another authority may take it now. */
async function deferOrder(attempt: Attempt, error: OrderDeferredError): Promise<void> {
  const { deps, row } = attempt;
  const at = deps.now();
  const { until, message: detail } = error;
  const problem: Problem = { type: 'budget', detail, at, retryAt: until };
  const next = error.isOfAuthority
    ? await afterBudget(attempt, problem, until)
    : { change: {}, at: until, nextAuthority: undefined };
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, row.domain_id);
    // A problem that somebody has to mend says more than that the order waits.
    const last = parseProblem(row.last_problem);
    const isShown = last === undefined || isTransient(last);
    const isWaiting = next.nextAuthority === undefined;
    const last_problem = isWaiting && isShown ? JSON.stringify(problem) : row.last_problem;
    const change = { ...FREE, ...next.change, next_attempt_at: next.at, last_problem };
    await recordProgress(attempt, change, trx);
    const limits = `to stay below the certificate authority's limits: ${detail}`;
    const words = isWaiting
      ? `Waiting until ${new Date(next.at ?? until).toISOString()}, ${limits}.`
      : `Asking ${next.nextAuthority} in place of ${authorityName(row.directory_url)}, ${limits}.`;
    await recordDomainEvent(trx, row.domain_id, at, 'certificate.step', words);
  });
}

/** Stores why the attempt failed and when the next one is, if there is one. Abandons an order that has failed. */
async function scheduleRetry(attempt: Attempt, problem: Problem): Promise<void> {
  const { deps, row, projectId } = attempt;
  const { hostname } = row;
  const isOrderOver = !isTransient(problem);
  // Where the account is gone, so are its orders.
  if (isOrderOver && problem.type !== 'accountDoesNotExist') await abandonOrder(attempt);

  const at = deps.now();
  const next = await nextAttempt(attempt, problem);
  const isGivenUp = next.at === null;
  const last = parseProblem(row.last_problem);
  const change: IssuanceChange = {
    ...FREE,
    ...next.change,
    // Where another authority is asked, nobody has to mend anything yet.
    ...(next.nextAuthority === undefined && {
      last_problem: JSON.stringify(problemToShow(last, problem)),
    }),
  };
  const words = explainProblem(problem, hostname);
  const message = messageOf(attempt, words, next);
  const failures = change.failures ?? row.failures;
  const details = { problem: problem.type, detail: problem.detail, isGivenUp, failures };
  await deps.db.transaction().execute(async (trx) => {
    await lockProject(trx, projectId);
    await lockDomain(trx, row.domain_id);
    const hasEnded = isOrderOver || change.order_url === null;
    if (hasEnded) {
      const failed = isLostByAuthority(problem) ? 'ended' : 'failed';
      await endOrder(trx, row.domain_id, isOrderOver ? failed : endOf(row), at);
    }
    const directoryUrl = change.directory_url ?? row.directory_url;
    const { nextSafeAt } = await budgetOf(trx, directoryUrl, hostname, at);
    const next_attempt_at = next.at === null ? null : Math.max(next.at, nextSafeAt);
    await recordProgress(attempt, { ...change, next_attempt_at }, trx);
    if (hasEnded) await deleteChallenges(trx, row.domain_id);
    if (next.pausedUntil !== undefined) {
      await pauseAccount(trx, row.directory_url, next.pausedUntil, JSON.stringify(problem));
    }
    // Not by the count alone: the third failure may have been one of the program, of which nobody was notified.
    const wasNotified = await isNotifiedOf(trx, row, failures);
    const isLasting =
      next.nextAuthority === undefined && failures >= NOTIFIED_AFTER && !wasNotified;
    await recordDomainEvent(trx, row.domain_id, at, 'certificate.failed', message, {
      ...details,
      ...((wasNotified || isLasting) && { isNotified: true }),
    });
    // The daily DNS check retries an issuance that was given up: when it fails in the same way, nobody is notified again.
    const isNews = last?.type !== problem.type;
    if ((isGivenUp && isNews) || isLasting) {
      const type = 'domain.certificate_failed';
      await queueDomainNotice(trx, at, { type, projectId, hostname, message, details });
    }
  });
}

/** Whether the owners were notified of an earlier one of so many failures in a row. */
async function isNotifiedOf(trx: Trx, row: IssuanceRow, failures: number): Promise<boolean> {
  const { domain_id, requested_at } = row;
  const last = await findEventSince(trx, domain_id, 'certificate.failed', requested_at);
  const known: { failures?: number; isNotified?: true } = last ? JSON.parse(last.details) : {};
  // Fewer than before: they are counted anew.
  return known.isNotified === true && (known.failures ?? 0) <= failures;
}

/** What the timeline says of a failure. The authority is named where there are several. */
function messageOf(
  { deps, row: { hostname, directory_url } }: Attempt,
  words: string,
  { at, nextAuthority }: NextAttempt,
): string {
  const isOneOfSeveral = deps.config.acme.authorities.length > 1;
  const where = isOneOfSeveral ? ` from ${authorityName(directory_url)}` : '';
  if (at === null) return `No certificate for ${hostname}${where}, and no more attempts: ${words}`;
  const failed = `An attempt at a certificate for ${hostname}${where} failed: ${words}`;
  return nextAuthority === undefined ? failed : `${failed} ${nextAuthority} is asked next.`;
}
