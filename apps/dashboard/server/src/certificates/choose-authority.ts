import type { AcmeConfig } from '../config-acme.ts';
import type { Problem } from './problem.ts';

/** An authority at which an issuance failed, and why it is not asked before `until`: an entry of `issuances.tried`. */
export interface AuthorityFailure {
  readonly directoryUrl: string;
  /** When it may be asked again, in milliseconds since 1970; null: given up, until a DNS check has the verdict `verified`. */
  readonly until: number | null;
  readonly problem: Problem;
  /** The step of the order that failed; undefined: there was no order. */
  readonly step?: string;
}

/** What is known before an authority is chosen. */
export interface Situation {
  readonly failures: readonly AuthorityFailure[];
  /** Directories that are not asked now, for any name, and until when. */
  readonly pauses: ReadonlyMap<string, number>;
  /** Directories that CAA records keep from issuing for the name; none where the last check is not `verified`. */
  readonly forbidden: readonly string[];
}

export interface Choice {
  readonly directoryUrl: string;
  /** When it may be asked: now, or later; null: given up, until a DNS check has the verdict `verified`. */
  readonly at: number | null;
}

/**
 * The authority to ask: of those that may be asked now the first in the order of ACME_DIRECTORY_URL that has not failed
 * yet, or else the one that failed longest ago, so that each has its turn however long the queue is; where none may be
 * asked now, the one that may be asked next. Those that CAA records forbid are left out, unless they forbid all: the
 * records may have changed. With one authority alone, nothing is gained by a pause.
 */
export function chooseAuthority(
  { authorities }: Pick<AcmeConfig, 'authorities'>,
  { failures, pauses, forbidden }: Situation,
  now: number,
): Choice {
  const allowed = authorities.filter(({ directoryUrl }) => !forbidden.includes(directoryUrl));
  const candidates = allowed.length > 0 ? allowed : authorities;
  const choices = candidates.map(({ directoryUrl }) => {
    const turn = failures.findIndex((failure) => failure.directoryUrl === directoryUrl);
    const until = failures[turn]?.until;
    const paused = candidates.length > 1 ? pauses.get(directoryUrl) : undefined;
    const at = until === null ? null : Math.max(now, until ?? now, paused ?? now);
    return { directoryUrl, at, turn };
  });
  const time = ({ at }: Choice) => at ?? Infinity;
  const [best] = choices.toSorted((a, b) =>
    time(a) === time(b) ? a.turn - b.turn : time(a) - time(b),
  );
  if (!best) throw new Error('there is no authority');
  return { directoryUrl: best.directoryUrl, at: best.at };
}

/** Whether an authority may be asked now. */
export function mayBeAsked(
  directoryUrl: string,
  { failures, pauses, forbidden }: Situation,
  now: number,
): boolean {
  const failure = failures.find((one) => one.directoryUrl === directoryUrl);
  const hasFailed = failure !== undefined && (failure.until === null || failure.until > now);
  const isPaused = (pauses.get(directoryUrl) ?? 0) > now;
  return !hasFailed && !isPaused && !forbidden.includes(directoryUrl);
}

/** The failures and another one, which is the last. It takes the place of an earlier one of its authority. */
export function withFailure(
  failures: readonly AuthorityFailure[],
  failure: AuthorityFailure,
): AuthorityFailure[] {
  return [...failures.filter(({ directoryUrl }) => directoryUrl !== failure.directoryUrl), failure];
}

/**
 * The failures after a DNS check with the verdict `verified`: somebody may have corrected something. What an authority,
 * or a limit of our own, said of when to ask again holds all the same.
 */
export function afterCheck(failures: readonly AuthorityFailure[], now: number): AuthorityFailure[] {
  return failures.map((failure) => ({
    ...failure,
    until: Math.max(now, failure.problem.retryAt ?? now),
  }));
}

export function parseTried(text: string): AuthorityFailure[] {
  return JSON.parse(text) as AuthorityFailure[];
}
