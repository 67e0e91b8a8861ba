/** Whether a text is a day that there is: `2026-11-30`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  // A Date reads the 30th of February as the 2nd of March.
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const LONG = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const SHORT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** `30 November 2026` for `2026-11-30`. */
export const longDay = (day: string): string => LONG.format(new Date(`${day}T00:00:00Z`));

/** `30 Nov 2026` */
export const shortDay = (day: string): string => SHORT.format(new Date(`${day}T00:00:00Z`));

/** The time zone that is furthest ahead (Kiribati), in milliseconds. */
const FURTHEST_AHEAD = 14 * 3_600_000;

/** The latest day that it is anywhere at an instant (RFC 3339): nobody's calendar is ahead of it. */
export const latestDay = (instant: string): string =>
  new Date(Date.parse(instant) + FURTHEST_AHEAD).toISOString().slice(0, 10);
