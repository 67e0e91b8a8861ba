import type { AcmeConfig } from '../config-acme.ts';
import type { Problem } from './problem.ts';

/** An authority that an issuance was refused by: an entry of the JSON of `issuances.tried`. */
export interface Trial {
  readonly directoryUrl: string;
  /** When it may be asked again, in milliseconds since 1970; null: after a DNS check that is right. */
  readonly until: number | null;
  readonly problem: Problem;
}

/** What is known before an authority is chosen. */
export interface Situation {
  readonly trials: readonly Trial[];
  /** Directories that are not asked now, for any name, and until when. */
  readonly pauses: ReadonlyMap<string, number>;
  /** Directories that CAA records keep from issuing for the name, by the latest DNS check. */
  readonly forbidden: readonly string[];
}

export interface Choice {
  readonly directoryUrl: string;
  /** When it may be asked: now, or later; null: after a DNS check that is right. */
  readonly at: number | null;
}

/**
 * The first authority in the order of ACME_DIRECTORY_URL that may be asked now; where there is none, the one that may be
 * asked next. Those that CAA records forbid are left out, unless they forbid all: the records may have changed. With one
 * authority alone, nothing is gained by a pause.
 */
export function chooseAuthority(
  { authorities }: Pick<AcmeConfig, 'authorities'>,
  { trials, pauses, forbidden }: Situation,
  now: number,
): Choice {
  const allowed = authorities.filter(({ directoryUrl }) => !forbidden.includes(directoryUrl));
  const candidates = allowed.length > 0 ? allowed : authorities;
  const choices = candidates.map(({ directoryUrl }): Choice => {
    const until = trials.find((trial) => trial.directoryUrl === directoryUrl)?.until;
    if (until === null) return { directoryUrl, at: null };
    const paused = candidates.length > 1 ? pauses.get(directoryUrl) : undefined;
    return { directoryUrl, at: Math.max(now, until ?? now, paused ?? now) };
  });
  const sooner = (a: Choice, b: Choice) => (b.at ?? Infinity) < (a.at ?? Infinity);
  return choices.reduce((best, choice) => (sooner(best, choice) ? choice : best));
}

/** The trials after another failure. */
export function withTrial(trials: readonly Trial[], trial: Trial): Trial[] {
  return [...trials.filter(({ directoryUrl }) => directoryUrl !== trial.directoryUrl), trial];
}

/**
 * The trials after a DNS check that is right: somebody may have mended something. What an authority, or a limit of our own,
 * said of when to ask again holds all the same.
 */
export function afterCheck(trials: readonly Trial[], now: number): Trial[] {
  return trials.map((trial) => ({ ...trial, until: Math.max(now, trial.problem.retryAt ?? now) }));
}

export function parseTrials(text: string): Trial[] {
  return JSON.parse(text) as Trial[];
}
