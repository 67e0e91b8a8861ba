import type { RecordedRequest, Recording } from './recorded-request.ts';

export const VERDICTS = ['kept', 'broken', 'not_seen'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a verdict rests on. */
export interface Evidence {
  /** Numbers of the requests, in the order in which they came. */
  readonly requests: readonly number[];
  /** What was seen, as a sentence. */
  readonly seen: string;
  /** What would be right, as a sentence. */
  readonly expected: string;
  /** It does not break the rule, and is to be known all the same. */
  readonly isNotice?: boolean | undefined;
}

export interface Finding {
  readonly verdict: Verdict;
  readonly evidence: readonly Evidence[];
}

/** A rule for clients, and how to tell from their requests whether they keep it. */
export interface Rule {
  /** For programs; never changes its meaning. */
  readonly code: string;
  /** The rule itself, as a sentence. */
  readonly title: string;
  readonly standard: { readonly title: string; readonly url: string };
  /** What to do to have the rule seen, as a sentence. */
  readonly advice: string;
  /**
   * `broken` only where the requests leave no other reading; `kept` only where the client had the occasion to break it.
   */
  judge(recording: Recording): Finding;
}

/** Pieces of evidence of one rule, at most: the first ones tell the story. */
const MAX_EVIDENCE = 5;

const NOT_SEEN: Finding = { verdict: 'not_seen', evidence: [] };

/** Broken where there is evidence of it, kept where there is evidence of that, and otherwise not seen. */
export function findingOf(broken: readonly Evidence[], kept: readonly Evidence[]): Finding {
  if (broken.length > 0) return { verdict: 'broken', evidence: broken.slice(0, MAX_EVIDENCE) };
  if (kept.length > 0) return { verdict: 'kept', evidence: kept.slice(0, 1) };
  return NOT_SEEN;
}

export function evidence(
  requests: readonly RecordedRequest[],
  seen: string,
  expected: string,
): Evidence {
  return { requests: requests.map(({ number }) => number), seen, expected };
}

/** A request as people write it. */
export function nameOf({ method, target }: RecordedRequest): string {
  return `${method} ${target}`;
}

/** What became of a request, for a sentence. */
export function outcomeOf({ status, clientLeft, fault }: RecordedRequest): string {
  if (clientLeft) return 'was given up by the client';
  if (status === undefined) return 'got no response';
  if (status >= 400 || fault === undefined) return `got ${status}`;
  return `got ${status} with the fault ${fault}`;
}

/** A duration for people: `120 ms`, `1.5 s`. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;
}
