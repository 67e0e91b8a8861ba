const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const minutes = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23' });
const dayAndMinutes = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

/** `5 minutes ago`, `in 2 days`, `just now`. */
export function relativeTime(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return 'just now';
}

/** In the reader's own time zone. */
export function exactTime(at: string): string {
  return exact.format(Date.parse(at));
}

/** `Nov 21, 2026`, in the reader's own time zone. */
export function exactDay(at: string): string {
  return day.format(Date.parse(at));
}

/** `Dec 31, 2026`, of a day such as `2026-12-31`, wherever the reader is. */
export function dayInUtc(date: string): string {
  return utcDay.format(Date.parse(date));
}

/** The day that it is in UTC: `2026-11-30`. */
export function todayInUtc(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Hours, minutes and seconds, in the reader's own time zone. */
export function clockTime(at: string): string {
  return clock.format(Date.parse(at));
}

/** `14:32`, and `Nov 23, 14:32` on another day, in the reader's own time zone. */
export function shortTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (isToday ? minutes : dayAndMinutes).format(date);
}

/** `0.4 s`, `12 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/**
 * `5 minutes`, `49 hours`: a whole number of seconds in the largest unit that it is a multiple of. Where that would be a
 * thousand or more of them, in the largest unit of which there are at least two, rounded up.
 */
export function durationInWords(seconds: number): string {
  const isExact = ([, size]: Length) =>
    seconds >= size && seconds % size === 0 && seconds < 1_000 * size;
  const fits = ([, size]: Length) => seconds >= 2 * size;
  const [unit, size] = LENGTHS.find(isExact) ?? LENGTHS.find(fits) ?? SECOND;
  return count(Math.ceil(seconds / size), unit);
}

type Length = readonly [unit: string, seconds: number];

const SECOND: Length = ['second', 1];

const LENGTHS: readonly Length[] = [['day', 86_400], ['hour', 3_600], ['minute', 60], SECOND];

/** `1 member`, `3 members`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
