import { useEffect, useState } from 'react';
import { exactTime, relativeTime } from './format.ts';

const TICK_MS = 1_000;
const MINUTE_MS = 60_000;

/** When something comes: `in 12 s`, `in 5 minutes`, and `now` once its time is there. */
export function Until({ at }: { readonly at: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const left = Date.parse(at) - now;
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap tabular-nums">
      {left <= 0
        ? 'now'
        : left < MINUTE_MS
          ? `in ${Math.ceil(left / 1_000)} s`
          : relativeTime(left)}
    </time>
  );
}
