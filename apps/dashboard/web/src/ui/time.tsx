import { type ReactNode, useEffect, useState } from 'react';
import { exactTime, relativeTime, shortTime } from './format.ts';

const AGO_TICK_MS = 20_000;
const UNTIL_TICK_MS = 1_000;
const MINUTE_MS = 60_000;

interface TimeProps {
  /** As the API sends it. */
  readonly at: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** An instant in words, with the exact time in a tooltip and for programs. */
export function Time({ at, className, children }: TimeProps) {
  return (
    <time dateTime={at} title={exactTime(at)} className={className}>
      {children}
    </time>
  );
}

/** A relative time: `5 minutes ago`. */
export function Ago({ at }: { readonly at: string }) {
  const now = useNow(AGO_TICK_MS);
  return (
    <Time at={at} className="whitespace-nowrap">
      {relativeTime(Date.parse(at) - now)}
    </Time>
  );
}

/** The time until something: `in 12 s`, `in 5 minutes`, and `now` when it has come. */
export function Until({ at }: { readonly at: string }) {
  const left = Date.parse(at) - useNow(UNTIL_TICK_MS);
  const soon = left <= 0 ? 'now' : `in ${Math.ceil(left / 1_000)} s`;
  return (
    <Time at={at} className="whitespace-nowrap tabular-nums">
      {left < MINUTE_MS ? soon : relativeTime(left)}
    </Time>
  );
}

/** A time of day: `14:32`, with the date when that is another day. */
export function Clock({ at }: { readonly at: string }) {
  return (
    <Time at={at} className="whitespace-nowrap tabular-nums">
      {shortTime(at)}
    </Time>
  );
}

/** The current time, in milliseconds since the epoch, updated with each tick. */
export function useNow(tickMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [tickMs]);
  return now;
}
