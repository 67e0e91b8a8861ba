import type { DomainTraffic } from '../../../../server/src/domains/move/domain-move.ts';
import { count } from '../../ui/format.ts';
import { Ago } from '../../ui/time.tsx';

const MINUTE_MS = 60_000;
const SHOWN = 15;

/** The requests that reached this site here, minute by minute. */
export function TrafficBars({
  traffic,
  at,
}: {
  readonly traffic: DomainTraffic;
  readonly at: number;
}) {
  const { minutes, lastRequestAt, isCounted } = traffic;
  const last = Math.floor(at / MINUTE_MS);
  const counts = Array.from({ length: SHOWN }, (_, i) => {
    const minute = (last - SHOWN + 1 + i) * MINUTE_MS;
    return {
      minute,
      requests: minutes.find((found) => Date.parse(found.at) === minute)?.requests ?? 0,
    };
  });
  const most = Math.max(1, ...counts.map(({ requests }) => requests));
  const sum = counts.reduce((total, { requests }) => total + requests, 0);
  return (
    <div className="grid gap-3">
      <p>
        <span className="font-semibold text-lg tabular-nums">{sum.toLocaleString('en')}</span>{' '}
        <span className="text-muted">
          {sum === 1 ? 'request' : 'requests'} in the last {SHOWN} minutes
        </span>
      </p>
      <div aria-hidden className="flex h-14 items-end gap-1 border-line border-b">
        {counts.map(({ minute, requests }) => (
          <span
            key={minute}
            title={`${new Date(minute).toLocaleTimeString('en', { timeStyle: 'short', hourCycle: 'h23' })}: ${count(requests, 'request')}`}
            className={`flex-1 rounded-t-sm ${requests > 0 ? 'bg-accent' : 'bg-line'}`}
            style={{ height: requests > 0 ? `${Math.max(8, (requests / most) * 100)}%` : '2px' }}
          />
        ))}
      </div>
      <p className="text-[0.8125rem] text-muted">
        {lastRequestAt === null ? (
          'None was counted so far.'
        ) : (
          <>
            The last one came <Ago at={lastRequestAt} />.
          </>
        )}
        {!isCounted && ' They are counted while a name that is verified moves, here or away.'}
      </p>
    </div>
  );
}
