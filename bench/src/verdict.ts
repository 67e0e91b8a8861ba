import { precise } from './table.ts';

/** A target, and what came of it. */
export interface Verdict {
  readonly target: string;
  readonly wanted: string;
  readonly measured: string;
  /** undefined where it was not measured. */
  readonly isReached: boolean | undefined;
}

export function atLeast(
  target: string,
  value: number | undefined,
  bound: number,
  unit = '',
): Verdict {
  const isReached = value === undefined ? undefined : value >= bound;
  return { target, wanted: `≥ ${bound}${unit}`, measured: shown(value, unit), isReached };
}

export function atMost(
  target: string,
  value: number | undefined,
  bound: number,
  unit: string,
): Verdict {
  const isReached = value === undefined ? undefined : value <= bound;
  return { target, wanted: `≤ ${bound}${unit}`, measured: shown(value, unit), isReached };
}

function shown(value: number | undefined, unit: string): string {
  if (value === undefined) return 'not measured';
  const digits = unit === '' ? value.toFixed(3) : value < 0 ? value.toFixed(1) : precise(value);
  return digits + unit;
}
