import type { IssuanceChange } from '../store/issuances.ts';
import { authorityAt, authorityName } from './authorities.ts';
import { backoff, OTHER_WAY_MS } from './backoff.ts';
import {
  type AuthorityFailure,
  chooseAuthority,
  parseTried,
  withFailure,
} from './choose-authority.ts';
import type { Attempt } from './issuance.ts';
import {
  blameOf,
  isConnectionProblem,
  isGivenUp,
  isLostByAuthority,
  isTransient,
  type Problem,
} from './problem.ts';
import type { Blame } from './problem-table.ts';
import { situationOf } from './situation.ts';

/** How long an authority that fails for all names is not asked, where there is another, in milliseconds. */
const PAUSE_MS = 5 * 60_000;

/** After so long without a certificate only a DNS check with the verdict `verified` starts another try, in milliseconds. */
const GIVEN_UP_AFTER_MS = 30 * 24 * 3_600_000;

/**
 * The longest wait of a renewal, in milliseconds: a certificate of a day has eight hours left then, and one that is
 * revoked has to be replaced at once.
 */
const RENEWAL_WAIT_MS = 3_600_000;

const NO_ORDER = { order_url: null, sealed_key: null, step: 'account' } as const;

/** What follows a failed attempt. */
export interface NextAttempt {
  readonly change: IssuanceChange;
  /** When it is; null: given up, until a DNS check has the verdict `verified`. */
  readonly at: number | null;
  /** The authority that is asked at once in place of the one that failed, by its name; undefined: none is. */
  readonly nextAuthority: string | undefined;
  /** Until when the authority that failed is not asked for any name. */
  readonly pausedUntil?: number;
}

/** Decides who is asked next, and when. */
export async function nextAttempt(attempt: Attempt, problem: Problem): Promise<NextAttempt> {
  const { deps, row } = attempt;
  const { acme } = deps.config;
  const now = deps.now();
  const failures = row.failures + 1;
  const isTooOld = row.kind === 'first' && now - row.requested_at > GIVEN_UP_AFTER_MS;
  if (isTooOld) {
    const change = { ...orderAfter(attempt, problem), failures };
    return { change, at: null, nextAuthority: undefined };
  }

  const hasOtherWay = hasOtherChallenge(attempt, problem) || isLostByAuthority(problem);
  const longest = row.kind === 'renewal' ? RENEWAL_WAIT_MS : Infinity;
  const wait = Math.min(backoff(failures, Math.random(), hasOtherWay), longest);
  const retryAt = Math.max(now + wait, problem.retryAt ?? 0);
  const until = isGivenUp(problem) ? null : retryAt;
  const isStaging = row.directory_url === acme.stagingDirectoryUrl;
  if (isStaging && isTransient(problem)) {
    // The staging order is left out.
    const change = { ...NO_ORDER, failures, directory_url: acme.authorities[0].directoryUrl };
    return { change, at: retryAt, nextAuthority: undefined };
  }
  const blame = effectiveBlame(attempt, problem);
  if (blame === 'name') {
    const change = { ...orderAfter(attempt, problem), failures };
    return { change, at: until, nextAuthority: undefined };
  }
  const earlier = parseTried(row.tried);
  const directoryUrl = isStaging ? acme.authorities[0].directoryUrl : row.directory_url;
  const step = row.order_url === null ? {} : { step: row.step };
  const tried = withFailure(earlier, { directoryUrl, until, problem, ...step });
  if (blame === 'request') {
    const change = { ...orderAfter(attempt, problem), failures, tried: JSON.stringify(tried) };
    return { change, at: until, nextAuthority: undefined };
  }
  const isPaused = blame === 'authority' && acme.authorities.length > 1;
  const next = await whoIsNext(attempt, problem, tried, failures);
  return isPaused ? { ...next, pausedUntil: Math.max(now + PAUSE_MS, problem.retryAt ?? 0) } : next;
}

/** The next authority in place of one whose budget is used up until an instant. */
export function afterBudget(
  attempt: Attempt,
  problem: Problem,
  until: number,
): Promise<NextAttempt> {
  const { row } = attempt;
  const tried = withFailure(parseTried(row.tried), {
    directoryUrl: row.directory_url,
    until,
    problem,
  });
  return whoIsNext(attempt, problem, tried, row.failures);
}

/** Asks another authority at once; or, where none may be asked now, the one that may be asked first. */
async function whoIsNext(
  attempt: Attempt,
  problem: Problem,
  authorityFailures: readonly AuthorityFailure[],
  failures: number,
): Promise<NextAttempt> {
  const { deps, row } = attempt;
  const now = deps.now();
  const tried = JSON.stringify(authorityFailures);
  const situation = await situationOf(deps, { ...row, tried });
  const { directoryUrl, at } = chooseAuthority(deps.config.acme, situation, now);
  if (at === now && directoryUrl !== row.directory_url) {
    const change = { ...NO_ORDER, directory_url: directoryUrl, tried };
    return { change, at: now + OTHER_WAY_MS, nextAuthority: authorityName(directoryUrl) };
  }
  const isSame = directoryUrl === row.directory_url;
  const order = isSame
    ? orderAfter(attempt, problem)
    : { ...NO_ORDER, directory_url: directoryUrl };
  return { change: { ...order, failures, tried }, at, nextAuthority: undefined };
}

/** Another challenge is tried next, which uses another port. */
function hasOtherChallenge({ deps, row }: Attempt, problem: Problem): boolean {
  const challenges = authorityAt(deps.config.acme, row.directory_url)?.challenges ?? [];
  return isConnectionProblem(problem) && challenges.length > 1;
}

/**
 * Who is to blame, in view of earlier attempts. A problem that may concern one request alone becomes the authority's
 * when it occurs again. During an outage an accepted order is continued while it makes progress: its certificate may be
 * issued already, and a new order would never finish where every second request fails.
 */
function effectiveBlame({ row }: Attempt, problem: Problem): Blame {
  const blame = blameOf(problem);
  const earlier = parseTried(row.tried).find((one) => one.directoryUrl === row.directory_url);
  if (blame === 'request') return earlier ? 'authority for this name' : 'request';
  const isOutage = blame === 'authority' && isTransient(problem);
  const isAhead = row.order_url !== null && earlier?.step !== row.step;
  return isOutage && isAhead ? 'request' : blame;
}

/**
 * What becomes of the order when the same authority is asked again. After a failed order the first one's staging directory
 * is tried first, where one is configured: failures there cost nothing.
 */
function orderAfter({ deps, row }: Attempt, problem: Problem): IssuanceChange {
  const { stagingDirectoryUrl, authorities } = deps.config.acme;
  if (isTransient(problem)) return {};
  const isFirst = row.directory_url === authorities[0].directoryUrl;
  if (isLostByAuthority(problem) || !isFirst) return NO_ORDER;
  return { ...NO_ORDER, directory_url: stagingDirectoryUrl ?? row.directory_url };
}
