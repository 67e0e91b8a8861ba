import { ProblemError } from './acme/problem-document.ts';
import { UnreachableError } from './acme/transport.ts';

/** Why an attempt at a certificate did not end with one: the JSON of `issuances.last_problem`. */
export interface Problem {
  /** RFC 8555's name for it, without its urn; or one of ours (OWN_TYPES). */
  readonly type: string;
  /** The authority's own words, where it had some. */
  readonly detail: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The challenge that failed, where one did. */
  readonly challenge?: ChallengeType;
  /** Another challenge that was tried since, and failed with less to tell. */
  readonly alsoFailed?: ChallengeType;
  /** The authority asked not to be asked before this, in milliseconds since 1970. */
  readonly retryAt?: number;
}

export type ChallengeType = 'http-01' | 'tls-alpn-01';

/** What the authority has no name for. */
export const OWN_TYPES = [
  /** It could not be reached, did not answer in time, or not in its protocol. */
  'unreachable',
  /** It took longer than is waited for in one go. */
  'timeout',
  /** It does not know the order any more. */
  'orderGone',
  /** What it issued is not for the name, the key or this day. */
  'badCertificate',
  /** None of the configured challenges is offered. */
  'noChallenge',
  /** Our own limit, which is below the authority's. */
  'budget',
] as const;

/** An order that ended without a certificate, and why. */
export class OrderFailedError extends Error {
  override name = 'OrderFailedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.type}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** What can be told of an error that ended an attempt; undefined for one that is the program's own. */
export function problemOf(error: unknown, now: number): Problem | undefined {
  if (error instanceof OrderFailedError) return error.problem;
  if (error instanceof UnreachableError) {
    return { type: error.isTimeout ? 'timeout' : 'unreachable', detail: error.message, at: now };
  }
  if (error instanceof ProblemError) {
    const { type, detail } = error.document;
    const retryAt = error.retryAfterMs === undefined ? {} : { retryAt: now + error.retryAfterMs };
    return { type, detail, at: now, ...retryAt };
  }
  return undefined;
}

export function parseProblem(text: string | null): Problem | undefined {
  return text === null ? undefined : (JSON.parse(text) as Problem);
}

/**
 * Tried again, these would fail again, and use up what the authority allows: they end the attempts until the
 * name is verified anew.
 */
const NEVER_RETRIED: ReadonlySet<string> = new Set([
  'rejectedIdentifier',
  'unsupportedIdentifier',
  'badCSR',
  'badPublicKey',
  'badSignatureAlgorithm',
  'externalAccountRequired',
  'invalidContact',
  'unsupportedContact',
  'userActionRequired',
  'compound',
  'noChallenge',
  // Mended in the DNS alone: its check says when.
  'caa',
]);

export function isNeverRetried({ type }: Problem): boolean {
  return NEVER_RETRIED.has(type);
}

/** The order lives: what failed was to talk about it. */
const PASSING: ReadonlySet<string> = new Set([
  'unreachable',
  'timeout',
  'serverInternal',
  'badNonce',
  'rateLimited',
]);

export function isPassing({ type }: Problem): boolean {
  return PASSING.has(type);
}

/** The authority could not come by this way; another challenge goes by another port. */
export function isOfConnection({ type, challenge }: Problem): boolean {
  return challenge !== undefined && ['connection', 'tls', 'incorrectResponse'].includes(type);
}

/**
 * What is shown after another challenge failed, too: the first problem, unless the second tells more. A name
 * whose port 80 is closed, say, need not have anything on port 443.
 */
export function moreTelling(last: Problem | undefined, problem: Problem): Problem {
  const { type, challenge } = problem;
  if (!last || !isOfConnection(last) || !challenge || challenge === last.challenge) return problem;
  if (last.alsoFailed !== undefined) return problem;
  const isLess =
    isOfConnection(problem) || (challenge === 'tls-alpn-01' && type === 'unauthorized');
  return isLess ? { ...last, alsoFailed: challenge } : problem;
}

/** What a resolver said, where an authority has no other word for that than of a connection. */
const ABOUT_DNS =
  /could not resolve|no such host|nxdomain|servfail|dns problem|no valid ip addresses/i;

/** The type of a problem, in the words of those who find the DNS out of order. */
export function typeOf({ type, detail }: Pick<Problem, 'type' | 'detail'>): string {
  return ['connection', 'malformed'].includes(type) && ABOUT_DNS.test(detail) ? 'dns' : type;
}
