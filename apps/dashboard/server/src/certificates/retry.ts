import { queueDomainNotice } from '../notices/queue-notice.ts';
import { deleteChallenges } from '../store/acme-challenges.ts';
import { endOrder, type OrderEnd } from '../store/acme-orders.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import {
  changeLeasedIssuance,
  deleteLeasedIssuance,
  findIssuance,
  type IssuanceChange,
  type IssuanceRow,
} from '../store/issuances.ts';
import { lockProject } from '../store/projects.ts';
import { ProblemError } from './acme-transport.ts';
import { type Attempt, acmeClient, LeaseLostError, recordProgress } from './issuance.ts';
import { abandonOrder, OrderDeferredError } from './order.ts';
import {
  explainProblem,
  hasNoScheduledRetry,
  isConnectionProblem,
  isTransient,
  type Problem,
  parseProblem,
  problemOf,
  problemToShow,
} from './problem.ts';
import { budgetOf } from './rate-limits.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The wait after the nth failure in a row, in milliseconds; the last one for all that follow. */
const WAITS_MS = [
  MINUTE_MS, // one of the authority's resolvers still had the earlier answer
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS, // the fourth failure within an hour: the budget of a name may put the next attempt off
  30 * MINUTE_MS,
  HOUR_MS, // somebody has to mend something
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS, // four a day, which no authority minds
] as const;

/** The wait where the next attempt differs from the one that failed: another challenge, say. */
const OTHER_WAY_MS = SECOND_MS;

/** The share of a wait by which it is longer at most, so that what failed together is not retried together. */
const JITTER = 0.1;

/** After so long without a certificate only a DNS check with the verdict `verified` starts another try, in milliseconds. */
const GIVEN_UP_AFTER_MS = 30 * DAY_MS;

/** The owners are notified after so many failures in a row; fewer may be over in a minute. */
const NOTIFIED_AFTER = 3;

const FREE = { leased_by: null, leased_until: null } as const;
const NO_ORDER = { order_url: null, sealed_key: null, step: 'account' } as const;

/**
 * How long to wait after `failures` in a row (1 or more), in milliseconds. `random`: 0 to 1. `hasOtherWay`: the
 * next attempt differs from the one that failed.
 */
export function backoff(failures: number, random: number, hasOtherWay = false): number {
  if (hasOtherWay && failures === 1) return OTHER_WAY_MS;
  const wait = WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] ?? HOUR_MS;
  return Math.round(wait * (1 + JITTER * random));
}

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
    const problem = await problemFor(attempt, error);
    if (problem) {
      deps.log.warn({ hostname: row.hostname, problem }, 'an attempt at a certificate failed');
      return await scheduleRetry(attempt, problem);
    }
    deps.log.error({ err: error, hostname: row.hostname }, 'the work on a certificate failed');
    const failures = row.failures + 1;
    const next_attempt_at = deps.now() + backoff(failures, Math.random());
    await recordProgress(attempt, { ...FREE, failures, next_attempt_at });
  } catch (again) {
    if (again instanceof LeaseLostError) return leaveToOthers(attempt);
    throw again;
  }
}

async function problemFor(attempt: Attempt, error: unknown): Promise<Problem | undefined> {
  const problem = problemOf(error, attempt.deps.now());
  // Of a closed account an authority says the same as of a name that it does not issue for.
  const mayBeAccount = error instanceof ProblemError && problem?.type === 'unauthorized';
  if (!mayBeAccount) return problem;
  const isUsable = await acmeClient(attempt)
    .then((client) => client.isAccountUsable())
    .catch(() => true);
  return isUsable ? problem : { ...problem, type: 'accountDoesNotExist' };
}

/** Ends the issuance: the certificate is not wanted any more, or is there. */
export async function dropIssuance(attempt: Attempt): Promise<void> {
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

/** Waits until the installation's own rate limits allow the order. */
async function deferOrder(attempt: Attempt, { until, message }: OrderDeferredError): Promise<void> {
  const { deps, row } = attempt;
  const at = deps.now();
  const problem: Problem = { type: 'budget', detail: message, at, retryAt: until };
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, row.domain_id);
    // A problem that somebody has to mend says more than that the order waits.
    const last = parseProblem(row.last_problem);
    const isShown = last === undefined || last.type === 'budget' || isTransient(last);
    const last_problem = isShown ? JSON.stringify(problem) : row.last_problem;
    await recordProgress(attempt, { ...FREE, next_attempt_at: until, last_problem }, trx);
    const words = `Waiting until ${new Date(until).toISOString()}, to stay below the certificate authority's limits: ${message}.`;
    await recordDomainEvent(trx, row.domain_id, at, 'certificate.step', words);
  });
}

/** Stores why the attempt failed and when the next one is, if there is one. Abandons an order that has failed. */
async function scheduleRetry(attempt: Attempt, problem: Problem): Promise<void> {
  const { deps, row, projectId } = attempt;
  const { hostname } = row;
  const isOrderOver = !isTransient(problem);
  if (problem.type === 'accountDoesNotExist') await attempt.accounts.replace(row.directory_url);
  else if (isOrderOver) await abandonOrder(attempt);

  const at = deps.now();
  const failures = row.failures + 1;
  const retryAt = nextAttempt(attempt, problem, failures);
  const isGivenUp = retryAt === null;
  const last = parseProblem(row.last_problem);
  const change: IssuanceChange = {
    ...FREE,
    ...nextDirectory(attempt, problem),
    failures,
    last_problem: JSON.stringify(problemToShow(last, problem)),
  };
  const words = explainProblem(problem, hostname);
  const message = isGivenUp
    ? `No certificate for ${hostname}, and no more attempts: ${words}`
    : `An attempt at a certificate for ${hostname} failed: ${words}`;
  const details = { problem: problem.type, detail: problem.detail, isGivenUp, failures };
  await deps.db.transaction().execute(async (trx) => {
    await lockProject(trx, projectId);
    await lockDomain(trx, row.domain_id);
    if (isOrderOver) {
      const end = isLostByAuthority(problem) ? 'ended' : 'failed';
      await endOrder(trx, row.domain_id, end, at);
    }
    const directoryUrl = change.directory_url ?? row.directory_url;
    const { nextSafeAt } = await budgetOf(trx, directoryUrl, hostname, at);
    const next_attempt_at = retryAt === null ? null : Math.max(retryAt, nextSafeAt);
    await recordProgress(attempt, { ...change, next_attempt_at }, trx);
    if (isOrderOver) await deleteChallenges(trx, row.domain_id);
    await recordDomainEvent(trx, row.domain_id, at, 'certificate.failed', message, details);
    // The daily DNS check retries an issuance that was given up: when it fails in the same way, nobody is notified again.
    const isNews = last?.type !== problem.type;
    if ((isGivenUp && isNews) || failures === NOTIFIED_AFTER) {
      const type = 'domain.certificate_failed';
      await queueDomainNotice(trx, at, { type, projectId, hostname, message, details });
    }
  });
}

/** null: there is none until a check of the DNS has the verdict `verified`. */
function nextAttempt({ deps, row }: Attempt, problem: Problem, failures: number): number | null {
  const now = deps.now();
  const isTooOld = row.kind === 'first' && now - row.requested_at > GIVEN_UP_AFTER_MS;
  if (hasNoScheduledRetry(problem) || isTooOld) return null;
  const hasOtherChallenge = isConnectionProblem(problem) && deps.config.acme.challenges.length > 1;
  const wait = backoff(failures, Math.random(), hasOtherChallenge || isLostByAuthority(problem));
  return Math.max(now + wait, problem.retryAt ?? 0);
}

/**
 * After a failed order the staging directory is tried first, where one is configured: failures there cost nothing.
 * When that one cannot be reached, the issuance goes on without it.
 */
function nextDirectory({ deps, row }: Attempt, problem: Problem): IssuanceChange {
  const { directoryUrl, stagingDirectoryUrl } = deps.config.acme;
  const isStaging = row.directory_url !== directoryUrl;
  if (isLostByAuthority(problem)) return NO_ORDER;
  if (!isTransient(problem)) {
    return { ...NO_ORDER, directory_url: stagingDirectoryUrl ?? directoryUrl };
  }
  return isStaging ? { ...NO_ORDER, directory_url: directoryUrl } : {};
}

/** The authority lost the order or the account. That does not count as a failed order: it begins anew. */
function isLostByAuthority({ type }: Problem): boolean {
  return type === 'orderGone' || type === 'accountDoesNotExist';
}
