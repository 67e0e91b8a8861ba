import { dayOf, monthOf } from '../store/readers.ts';
import { DAY_MS, HOUR_MS } from './counted.ts';

/** The spans of time for which counts are shown; all end now. Hours, days and months are those of UTC. */
export const PERIODS = ['today', '7d', '30d', '90d', '12m'] as const;
export type PeriodName = (typeof PERIODS)[number];

export interface Period {
  readonly unit: 'hour' | 'day' | 'month';
  /** When it begins, in milliseconds since 1970. */
  readonly from: number;
  /** The beginning of each of its hours, days or months, up to now. */
  readonly starts: readonly number[];
}

const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;
const MONTHS = 12;

/** A period that ends at an instant. */
export function periodOf(name: PeriodName, now: number): Period {
  const today = dayOf(now);
  if (name === '12m') {
    const from = monthOf(now, 1 - MONTHS);
    const starts = Array.from({ length: MONTHS }, (_, at) => monthOf(from, at));
    return { unit: 'month', from, starts };
  }
  if (name === 'today') return { unit: 'hour', from: today, starts: steps(today, now, HOUR_MS) };
  const from = today - (DAYS[name] - 1) * DAY_MS;
  return { unit: 'day', from, starts: steps(from, now, DAY_MS) };
}

function steps(from: number, now: number, step: number): number[] {
  return Array.from({ length: Math.floor((now - from) / step) + 1 }, (_, at) => from + at * step);
}
