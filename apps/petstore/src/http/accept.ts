/** One of the media ranges of an `Accept` header. */
interface Range {
  readonly type: string;
  /** From 0, for never, to 1. */
  readonly weight: number;
}

/**
 * The offered media type that an `Accept` header likes best (RFC 9110, section 12.5.1); of those that it likes alike
 * the first. Where it accepts none, and where there is no such header, the first of all.
 */
export function preferred<const T extends string>(
  accept: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  const ranges = (accept ?? '*/*').split(',').map(readRange);
  let [best]: readonly T[] = offered;
  let bestWeight = 0;
  for (const type of offered) {
    const weight = weightOf(type, ranges);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best as T;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const weight = q === undefined ? 1 : Number(q);
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}

/** The most specific range that matches decides. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const wanted of [type, family, '*/*']) {
    const range = ranges.find((range) => range.type === wanted);
    if (range) return range.weight;
  }
  return 0;
}
