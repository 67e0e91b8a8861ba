import { exactTime, shortTime } from './format.ts';

/** An instant by the clock: `14:32`, with its day when that is another one. */
export function Clock({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap tabular-nums">
      {shortTime(at)}
    </time>
  );
}
