// The bar of pages that are not live. It says when they were deployed, and here how long ago that is.

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Says how long ago instants in the bar are; the instants themselves become tooltips. */
export function sayHowLongAgo(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>(
    '.site-preview time:not([title])',
  )) {
    time.title = time.textContent;
    time.textContent = ago((Date.now() - Date.parse(time.dateTime)) / 1_000);
  }
}

/** `seconds`: since then. A clock that is behind makes no future of it. */
function ago(seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ['minute', 60];
  const count = Math.max(0, Math.floor(seconds / length));
  if (unit === 'minute' && count === 0) return 'just now';
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(-count, unit);
}
