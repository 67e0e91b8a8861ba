import { useEffect, useState } from 'react';
import { exactTime, relativeTime } from './format.ts';

const TICK_MS = 20_000;

/** An instant as people say it (`5 minutes ago`), with the exact one on hovering and for programs. */
export function Ago({ at }: { readonly at: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
      {relativeTime(Date.parse(at) - now)}
    </time>
  );
}
