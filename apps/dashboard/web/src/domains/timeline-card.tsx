import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { DomainEvent } from '../../../server/src/domains/domain.ts';
import { Card } from '../ui/card.tsx';
import { Dot, type DotTone } from '../ui/dot.tsx';
import { LoadMore } from '../ui/list-view.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Ago } from '../ui/time.tsx';
import { WithCode } from '../ui/with-code.tsx';

interface TimelineCardProps {
  readonly query: UseInfiniteQueryResult<readonly DomainEvent[]>;
}

/** The events of a domain, the newest first. */
export function TimelineCard({ query }: TimelineCardProps) {
  return (
    <Card title="Timeline" flush>
      <QueryView query={query}>
        {(events) => (
          <ol className="grid gap-3.5 px-4 py-4 sm:px-5">
            {events.map((event) => (
              <TimelineRow key={event.id} event={event} />
            ))}
          </ol>
        )}
      </QueryView>
      <LoadMore query={query}>Show older events</LoadMore>
    </Card>
  );
}

/** Events that are good or bad; the rest is neutral. */
const TONES: Partial<Record<DomainEvent['kind'], DotTone>> = {
  verified: 'positive',
  arrived: 'positive',
  returned: 'positive',
  'certificate.issued': 'positive',
  'certificate.renewed': 'positive',
  'certificate.failed': 'negative',
  'certificate.expiring': 'negative',
  challenge_gone: 'negative',
  'certificate.unexpected': 'negative',
  moved_away: 'negative',
  lost: 'negative',
};

function TimelineRow({ event: { kind, at, message } }: { readonly event: DomainEvent }) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
      <span className="flex h-5.5 items-center">
        <Dot tone={TONES[kind] ?? 'neutral'} />
      </span>
      <span className="wrap-anywhere">
        <WithCode>{message}</WithCode>
      </span>
      <span className="text-[0.8125rem] text-muted max-sm:col-start-2">
        <Ago at={at} />
      </span>
    </li>
  );
}
