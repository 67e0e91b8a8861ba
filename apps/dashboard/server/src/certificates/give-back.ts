import { queueNotice } from '../notices/queue-notice.ts';
import { deleteChallenges } from '../store/acme-challenges.ts';
import { endOrder } from '../store/acme-orders.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import type { IssuanceChange } from '../store/issuances.ts';
import { lockProject } from '../store/projects.ts';
import { type Attempt, authorityOf, note } from './attempt.ts';
import { backoff, GIVEN_UP_AFTER_MS } from './backoff.ts';
import { budgetOf } from './budget.ts';
import { explainProblem } from './explain-problem.ts';
import { findLostOrder, type HeldBackError } from './order.ts';
import {
  isNeverRetried,
  isOfConnection,
  isPassing,
  moreTelling,
  type Problem,
  parseProblem,
} from './problem.ts';

/** People are told when it has failed so often in a row; before that it may be over in a minute. */
const TOLD_AFTER = 3;

const FREED = { leased_by: null, leased_until: null } as const;
const NO_ORDER = { order_url: null, sealed_key: null, step: 'account' } as const;

/** Our own limits say when to go on. */
export async function giveBackHeld(
  attempt: Attempt,
  { until, message }: HeldBackError,
): Promise<void> {
  const { deps, row } = attempt;
  const at = deps.now();
  const problem: Problem = { type: 'budget', detail: message, at, retryAt: until };
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, row.domain_id);
    // What went wrong before tells more than that it waits.
    const last = parseProblem(row.last_problem);
    const isTold = last === undefined || last.type === 'budget' || isPassing(last);
    const last_problem = isTold ? JSON.stringify(problem) : row.last_problem;
    await note(attempt, { ...FREED, next_attempt_at: until, last_problem }, trx);
    const words = `Waiting until ${new Date(until).toISOString()}, to stay below the certificate authority's limits: ${message}.`;
    await recordDomainEvent(trx, row.domain_id, at, 'certificate.step', words);
  });
}

/** Writes down why an attempt failed, and when the next one is, if there is one. Gives up what is open of the order. */
export async function giveBackFailed(attempt: Attempt, problem: Problem): Promise<void> {
  const { deps, row, projectId } = attempt;
  const { hostname } = row;
  const isOver = !isPassing(problem);
  if (problem.type === 'accountDoesNotExist') await attempt.accounts.replace(row.directory_url);
  else if (isOver) await abandonOrder(attempt);

  const at = deps.now();
  const failures = row.failures + 1;
  const wished = nextAttempt(attempt, problem, failures);
  const isGivenUp = wished === null;
  const change: IssuanceChange = {
    ...FREED,
    ...nextDirectory(attempt, problem),
    failures,
    last_problem: JSON.stringify(moreTelling(parseProblem(row.last_problem), problem)),
  };
  const words = explainProblem(problem, hostname);
  const message = isGivenUp
    ? `No certificate for ${hostname}, and no more attempts: ${words}`
    : `An attempt at a certificate for ${hostname} failed: ${words}`;
  const details = { problem: problem.type, detail: problem.detail, isGivenUp, failures };
  await deps.db.transaction().execute(async (trx) => {
    await lockProject(trx, projectId);
    await lockDomain(trx, row.domain_id);
    if (isOver) await endOrder(trx, row.domain_id, isCounted(problem) ? 'failed' : 'ended', at);
    const directoryUrl = change.directory_url ?? row.directory_url;
    const { nextSafeAt } = await budgetOf(trx, directoryUrl, hostname, at);
    const next_attempt_at = wished === null ? null : Math.max(wished, nextSafeAt);
    await note(attempt, { ...change, next_attempt_at }, trx);
    if (isOver) await deleteChallenges(trx, row.domain_id);
    await recordDomainEvent(trx, row.domain_id, at, 'certificate.failed', message, details);
    // A daily check of the DNS has what was given up tried once more: that it fails again is no news.
    const isNews = parseProblem(row.last_problem)?.type !== problem.type;
    if ((isGivenUp && isNews) || failures === TOLD_AFTER) {
      const type = 'domain.certificate_failed';
      await queueNotice(trx, at, { type, projectId, hostname, message, details });
    }
  });
}

/** null: never by itself. */
function nextAttempt({ deps, row }: Attempt, problem: Problem, failures: number): number | null {
  const now = deps.now();
  const isRenewalInTime = row.kind === 'renewal';
  const isTooOld = !isRenewalInTime && now - row.requested_at > GIVEN_UP_AFTER_MS;
  if (isNeverRetried(problem) || isTooOld) return null;
  const hasOther = isOfConnection(problem) && deps.config.acme.challenges.length > 1;
  const wait = backoff(failures, Math.random(), hasOther || isForgotten(problem));
  return Math.max(now + wait, problem.retryAt ?? 0);
}

/**
 * After an order failed, the staging directory is tried first where there is one: mistakes there cost nothing.
 * One that cannot be reached is in nobody's way.
 */
function nextDirectory({ deps, row }: Attempt, problem: Problem): IssuanceChange {
  const { directoryUrl, stagingDirectoryUrl } = deps.config.acme;
  const isStaging = row.directory_url !== directoryUrl;
  if (isForgotten(problem)) return NO_ORDER;
  if (!isPassing(problem)) {
    return { ...NO_ORDER, directory_url: stagingDirectoryUrl ?? directoryUrl };
  }
  return isStaging ? { ...NO_ORDER, directory_url: directoryUrl } : {};
}

/** What an authority counts as a failed order. */
function isCounted(problem: Problem): boolean {
  return !isPassing(problem) && !isForgotten(problem);
}

/** The authority lost something: beginning anew is all there is to do. */
function isForgotten({ type }: Problem): boolean {
  return type === 'orderGone' || type === 'accountDoesNotExist';
}

/** Leaves no order behind that somebody could still finish. That it fails changes nothing: orders end by themselves. */
export async function abandonOrder(attempt: Attempt): Promise<void> {
  const { deps, row } = attempt;
  if (row.order_url === null && row.sealed_key === null) return;
  try {
    const authority = await authorityOf(attempt);
    const order =
      row.order_url === null
        ? await findLostOrder(attempt, authority)
        : await authority.getOrder(row.order_url);
    if (order?.status === 'pending' || order?.status === 'ready') await authority.abandon(order);
  } catch (error) {
    deps.log.warn({ err: error, hostname: row.hostname }, 'an order could not be given up');
  }
}
