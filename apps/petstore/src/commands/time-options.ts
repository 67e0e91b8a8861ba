import { UserError } from '@petstore/service/user-error.ts';
import { parseInt64 } from '../int64.ts';

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** What a length of time may be, both ends included, as a user would write them. */
interface DurationBounds {
  readonly min?: string;
  readonly max: string;
}

/** Far beyond what a key lives, and far within what a Date can be. */
const TEN_YEARS: DurationBounds = { max: '3650d' };

const A_DAY = 'a day, such as 2027-01-31';
const A_TIME = 'an RFC 3339 time, such as 2027-01-31T12:00:00Z';

/** The value of an option that is a length of time within bounds, in milliseconds. Throws UserError that names them. */
export function readDuration(option: string, text: string, bounds = TEN_YEARS): number {
  return durationMs(text, bounds) ?? refuse(option, aDuration(bounds), text);
}

/** The value of an option that is a moment. Throws UserError. */
export function readTime(option: string, text: string): Date {
  return timeOf(text) ?? refuse(option, A_TIME, text);
}

/** The value of an option that is a moment, a day (in UTC), or how long ago it was. Throws UserError. */
export function readPastTime(option: string, text: string, now: Date): Date {
  const ago = durationMs(text, TEN_YEARS);
  if (ago !== undefined) return new Date(now.getTime() - ago);
  const midnight = timeOf(`${text}T00:00:00Z`);
  const wanted = `${aDuration(TEN_YEARS)}, ${A_DAY}, or ${A_TIME}`;
  return timeOf(text) ?? midnight ?? refuse(option, wanted, text);
}

/** The value of an option that is an integer within bounds. Throws UserError. */
export function readInteger(option: string, text: string, min: number, max: number): number {
  const value = parseInt64(text);
  if (value !== undefined && value >= min && value <= max) return Number(value);
  return refuse(option, `an integer from ${min} to ${max}`, text);
}

function refuse(option: string, wanted: string, text: string): never {
  throw new UserError(`${option} must be ${wanted}; got ${JSON.stringify(text)}.`);
}

/** The examples are within the bounds of every option. */
function aDuration({ min, max }: DurationBounds): string {
  const range = min === undefined ? `up to ${max}` : `from ${min} to ${max}`;
  return `a whole number of s, m, h, d or w, such as 12h or 7d, ${range}`;
}

function durationMs(text: string, { min = '0s', max }: DurationBounds): number | undefined {
  const ms = msOf(text);
  return ms >= msOf(min) && ms <= msOf(max) ? ms : undefined;
}

/** NaN for a text that is no length of time. */
function msOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return Number(count) * (UNITS_MS[unit] ?? Number.NaN);
}

/** RFC 3339, section 5.6, with the letters in capitals. */
const DATE_TIME =
  /^(\d{4}-(?:0[1-9]|1[0-2])-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function timeOf(text: string): Date | undefined {
  const [, day] = DATE_TIME.exec(text) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  // A Date reads the 30th of February as the 2nd of March.
  const isReal = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(`${day}T`);
  return isReal ? new Date(text) : undefined;
}
