import type { AcmeConfig } from '../config-acme.ts';
import type { Problem } from './problem.ts';

/** An authority that an issuance was refused by: an entry of the JSON of `issuances.tried`. */
export interface AuthorityRefusal {
  readonly directoryUrl: string;
  /** When it may be asked again, in milliseconds since 1970; null: given up, until a DNS check has the verdict `verified`. */
  readonly until: number | null;
  readonly problem: Problem;
  /** The step of the order that failed; undefined: there was no order. */
  readonly step?: string;
}

/** What is known before an authority is chosen. */
export interface Situation {
  readonly refusals: readonly AuthorityRefusal[];
  /** Directories that are not asked now, for any name, and until when. */
  readonly pauses: ReadonlyMap<string, number>;
  /** Directories that CAA records keep from issuing for the name, by the latest DNS check. */
  readonly forbidden: readonly string[];
}

export interface Choice {
  readonly directoryUrl: string;
  /** When it may be asked: now, or later; null: given up, until a DNS check has the verdict `verified`. */
  readonly at: number | null;
}

/**
 * The authority to ask: of those that may be asked now the first in the order of ACME_DIRECTORY_URL that did not refuse
 * yet, or else the one that refused longest ago, so that each has its turn however long the queue is; where none may be
 * asked now, the one that may be asked next. Those that CAA records forbid are left out, unless they forbid all: the
 * records may have changed. With one authority alone, nothing is gained by a pause.
 */
export function chooseAuthority(
  { authorities }: Pick<AcmeConfig, 'authorities'>,
  { refusals, pauses, forbidden }: Situation,
  now: number,
): Choice {
  const allowed = authorities.filter(({ directoryUrl }) => !forbidden.includes(directoryUrl));
  const candidates = allowed.length > 0 ? allowed : authorities;
  const choices = candidates.map(({ directoryUrl }) => {
    const turn = refusals.findIndex((refusal) => refusal.directoryUrl === directoryUrl);
    const until = refusals[turn]?.until;
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
  { refusals, pauses, forbidden }: Situation,
  now: number,
): boolean {
  const refusal = refusals.find((one) => one.directoryUrl === directoryUrl);
  const isRefused = refusal !== undefined && (refusal.until === null || refusal.until > now);
  const isPaused = (pauses.get(directoryUrl) ?? 0) > now;
  return !isRefused && !isPaused && !forbidden.includes(directoryUrl);
}

/** The refusals with another one, which is the last. */
export function withRefusal(
  refusals: readonly AuthorityRefusal[],
  refusal: AuthorityRefusal,
): AuthorityRefusal[] {
  return [...refusals.filter(({ directoryUrl }) => directoryUrl !== refusal.directoryUrl), refusal];
}

/**
 * The refusals after a DNS check with the verdict `verified`: somebody may have mended something. What an authority, or a limit of our own,
 * said of when to ask again holds all the same.
 */
export function afterCheck(refusals: readonly AuthorityRefusal[], now: number): AuthorityRefusal[] {
  return refusals.map((refusal) => ({
    ...refusal,
    until: Math.max(now, refusal.problem.retryAt ?? now),
  }));
}

export function parseRefusals(text: string): AuthorityRefusal[] {
  return JSON.parse(text) as AuthorityRefusal[];
}
