/** The longest text that a pattern asks for. */
const MAX_REPEATS = 64;

/** Literal characters and classes, each at most with a count: no groups, no alternatives. */
const SIMPLE = /^\^?(?:(?:[\w -]|\[[\w \\-]+\])(?:\{\d{1,2}(?:,\d{0,2})?\}|\+)?)+\$?$/;

/**
 * A pattern of which the sampler can make a text, in its own words; undefined for any other. The sampler knows few
 * constructs, and takes long for some of the others.
 */
export function safePattern(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern.length > 200) return undefined;
  const classes = pattern
    .replaceAll(/(?<!\[[^\]]*)\\d/g, '[0-9]')
    .replaceAll(/(?<!\[[^\]]*)\\w/g, '[a-z0-9_]');
  if (!SIMPLE.test(classes) || /\[[^\]]*\\/.test(classes)) return undefined;
  const counts = [...classes.matchAll(/\{(\d+)/g)].map(([, count]) => Number(count));
  return counts.some((count) => count > MAX_REPEATS) ? undefined : classes;
}
