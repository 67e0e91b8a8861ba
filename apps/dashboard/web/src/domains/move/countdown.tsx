import { useNow } from '../../ui/time.tsx';

/** How long a cache still keeps an answer, running down: `4:32`, `1:04:32`. */
export function Countdown({ until }: { readonly until: number }) {
  const left = Math.max(0, Math.ceil((until - useNow(1_000)) / 1_000));
  const [hours, minutes, seconds] = [
    Math.floor(left / 3_600),
    Math.floor(left / 60) % 60,
    left % 60,
  ];
  const padded = (number: number) => String(number).padStart(2, '0');
  return (
    <time dateTime={`PT${left}S`} className="tabular-nums">
      {hours > 0 ? `${hours}:${padded(minutes)}` : minutes}:{padded(seconds)}
    </time>
  );
}
