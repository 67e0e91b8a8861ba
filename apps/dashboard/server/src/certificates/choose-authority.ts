import type { AcmeConfig } from '../config-acme.ts';
import type { Problem } from './problem.ts';

/** An authority that an issuance was refused by: an entry of the JSON of `issuances.tried`. */
export interface Trial {
  readonly directoryUrl: string;
  /** When it may be asked again, in milliseconds since 1970; null: after a DNS check that is right. */
  readonly until: number | null;
  readonly problem: Problem;
  /** The step of the order that failed; undefined: there was no order. */
  readonly step?: string;
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
 * The authority to ask: of those that may be asked now the first in the order of ACME_DIRECTORY_URL that did not refuse
 * yet, or else the one that refused longest ago, so that each has its turn however long the queue is; where none may be
 * asked now, the one that may be asked next. Those that CAA records forbid are left out, unless they forbid all: the
 * records may have changed. With one authority alone, nothing is gained by a pause.
 */
export function chooseAuthority(
  { authorities }: Pick<AcmeConfig, 'authorities'>,
  { trials, pauses, forbidden }: Situation,
  now: number,
): Choice {
  const allowed = authorities.filter(({ directoryUrl }) => !forbidden.includes(directoryUrl));
  const candidates = allowed.length > 0 ? allowed : authorities;
  const choices = candidates.map(({ directoryUrl }) => {
    const turn = trials.findIndex((trial) => trial.directoryUrl === directoryUrl);
    const until = trials[turn]?.until;
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
  { trials, pauses, forbidden }: Situation,
  now: number,
): boolean {
  const trial = trials.find((one) => one.directoryUrl === directoryUrl);
  const isRefused = trial !== undefined && (trial.until === null || trial.until > now);
  const isPaused = (pauses.get(directoryUrl) ?? 0) > now;
  return !isRefused && !isPaused && !forbidden.includes(directoryUrl);
}

/** The trials after another failure, which is the last one. */
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
