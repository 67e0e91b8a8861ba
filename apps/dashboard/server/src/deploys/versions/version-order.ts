/** What a version is to readers, beside the default one. */
export type VersionState = 'default' | 'preview' | 'old';

/** A part of a name that says that it is not released. */
const UNRELEASED =
  /(?:^|[._-]|\d)(?:alpha|beta|canary|dev|edge|next|nightly|pre|preview|rc|unstable)(?:[._-]?\d)*$/;

/** What a version is. `defaultVersion`: the default one; undefined: the site without a version. */
export function versionState(name: string, defaultVersion: string | undefined): VersionState {
  if (name === defaultVersion) return 'default';
  if (UNRELEASED.test(name)) return 'preview';
  const isNewer = defaultVersion !== undefined && compareNumbers(name, defaultVersion) > 0;
  return isNewer ? 'preview' : 'old';
}

/** For `sort`: the newest first, by the numbers in their names; those without a number before all others. */
export function compareVersions(one: string, other: string): number {
  const numbers = compareNumbers(other, one);
  if (numbers !== 0) return numbers;
  const [first, second] = [numbersOf(one), numbersOf(other)].map((found) => found === undefined);
  if (first !== second) return first ? -1 : 1;
  // A release is newer than its own previews, and `next` is newer than `latest`.
  const [early, late] = [UNRELEASED.test(one), UNRELEASED.test(other)];
  if (early !== late) return early === first ? -1 : 1;
  return one < other ? 1 : one > other ? -1 : 0;
}

/** `v2.10` and `2026-01-31` have numbers; `stable` has none. */
function numbersOf(name: string): number[] | undefined {
  const digits = /^[a-z]?(\d+(?:[._-]\d+)*)/.exec(name)?.[1];
  return digits?.split(/[._-]/).map(Number);
}

/** 0 where one of them has no number: then nothing is known. */
function compareNumbers(one: string, other: string): number {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  if (!first || !second) return 0;
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const difference = (first[at] ?? 0) - (second[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
