import type { PeriodName } from '../../../server/src/readers/period.ts';

/** The periods of the page, in words; all end now. */
export const PERIODS: readonly { readonly value: PeriodName; readonly label: string }[] = [
  { value: 'today', label: 'Today' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: '12m', label: 'Last 12 months' },
];

export const USUAL_PERIOD: PeriodName = '30d';

/** The period that an address names. */
export const periodIn = ({ period }: Record<string, unknown>): { period?: PeriodName } => {
  const known = PERIODS.find(({ value }) => value === period);
  return known ? { period: known.value } : {};
};

type Unit = 'hour' | 'day' | 'month';

const UTC = { timeZone: 'UTC' } as const;
const short: Record<Unit, Intl.DateTimeFormat> = {
  hour: new Intl.DateTimeFormat('en', { ...UTC, timeStyle: 'short', hourCycle: 'h23' }),
  day: new Intl.DateTimeFormat('en', { ...UTC, month: 'short', day: 'numeric' }),
  month: new Intl.DateTimeFormat('en', { ...UTC, month: 'short', year: 'numeric' }),
};

/** An hour, a day or a month, as UTC has it: `14:00`, `Nov 21`, `Nov 2026`. */
export const stepName = (at: string, unit: Unit): string => short[unit].format(Date.parse(at));
