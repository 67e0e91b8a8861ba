import { UserError } from '@petstore/service/user-error.ts';
import { parseInt64 } from '../int64.ts';

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const MAX_DURATION = '3650d';
const MAX_DURATION_MS = 3_650 * 86_400_000;

const A_DURATION = `a whole number of s, m, h, d or w, such as 12h or 90d, up to ${MAX_DURATION}`;
const A_DAY = 'a day, such as 2027-01-31';
const A_TIME = 'an RFC 3339 time, such as 2027-01-31T12:00:00Z';

/** The value of an option that is a length of time, in milliseconds. Throws UserError. */
export function readDuration(option: string, text: string): number {
  return durationMs(text) ?? refuse(option, A_DURATION, text);
}

/** The value of an option that is a moment. Throws UserError. */
export function readTime(option: string, text: string): Date {
  return timeOf(text) ?? refuse(option, A_TIME, text);
}

/** The value of an option that is a moment, a day (in UTC), or how long ago it was. Throws UserError. */
export function readPastTime(option: string, text: string, now: Date): Date {
  const ago = durationMs(text);
  if (ago !== undefined) return new Date(now.getTime() - ago);
  const midnight = timeOf(`${text}T00:00:00Z`);
  return timeOf(text) ?? midnight ?? refuse(option, `${A_DURATION}, ${A_DAY}, or ${A_TIME}`, text);
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

function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  return ms <= MAX_DURATION_MS ? ms : undefined;
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
