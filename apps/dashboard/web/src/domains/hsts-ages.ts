const HOUR = 3_600;
const DAY = 24 * HOUR;

/** How long browsers remember it: short values to try it out, then long ones. */
export const HSTS_AGES = [
  { value: String(5 * 60), label: '5 minutes, to try it out' },
  { value: String(7 * DAY), label: 'A week' },
  { value: String(30 * DAY), label: '30 days' },
  { value: String(365 * DAY), label: 'A year' },
] as const;

export const DEFAULT_HSTS_AGE = HSTS_AGES[0].value;

const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', 60],
] as const;

/** `365 days`, `5 minutes`: in the largest unit that it is a multiple of. */
export function ageInWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds % length === 0) ?? ['second', 1];
  return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`;
}
