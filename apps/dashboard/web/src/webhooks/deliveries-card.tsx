import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeliverySummary } from '../../../server/src/notices/delivery.ts';
import type { Webhook } from '../../../server/src/notices/webhook.ts';
import { useProject } from '../projects/project-context.tsx';
import { deliveriesQuery } from '../queries/webhooks.ts';
import { Card } from '../ui/card.tsx';
import { type DotTone, StateInColour } from '../ui/dot.tsx';
import { Empty } from '../ui/empty.tsx';
import { ChevronDown, Webhook as WebhookIcon } from '../ui/icons.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Ago, Until } from '../ui/time.tsx';
import { DeliveryDetails } from './delivery-details.tsx';

/** What a webhook was sent, the newest first. A row opens to show the message and the responses. */
export function DeliveriesCard({ webhook: { id } }: { readonly webhook: Webhook }) {
  const { slug } = useProject();
  const query = useInfiniteQuery(deliveriesQuery(slug, id));
  return (
    <Card
      title="Deliveries"
      description="Of the last thirty days, a thousand at most beside those that wait."
      flush
    >
      <ListView
        query={query}
        empty={
          <Empty icon={WebhookIcon} title="Nothing was sent yet">
            The next event is. A test is, too, and shows whether your program takes it.
          </Empty>
        }
      >
        {(delivery) => <DeliveryRow key={delivery.id} webhookId={id} delivery={delivery} />}
      </ListView>
      <LoadMore query={query}>Show older deliveries</LoadMore>
    </Card>
  );
}

const STATES: Record<DeliverySummary['state'], readonly [tone: DotTone, label: string]> = {
  waiting: ['warning', 'Waiting'],
  delivered: ['positive', 'Delivered'],
  failed: ['negative', 'Failed'],
};

interface DeliveryRowProps {
  readonly webhookId: string;
  readonly delivery: DeliverySummary;
}

function DeliveryRow({ webhookId, delivery }: DeliveryRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { id, type, state, status, error, createdAt, nextAttemptAt } = delivery;
  const [tone, label] = STATES[state];
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)} className="group">
        <summary className="grid cursor-pointer list-none grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-3 transition-colors hover:bg-subtle/60 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent sm:grid-cols-[minmax(0,1fr)_8.5rem_9rem] sm:px-5 [&::-webkit-details-marker]:hidden">
          <span className="flex min-w-0 items-center gap-2">
            <ChevronDown className="size-4 shrink-0 -rotate-90 text-muted transition-transform group-open:rotate-0" />
            <span className="truncate font-medium">{type}</span>
          </span>
          <span className="flex items-center gap-2 max-sm:justify-end">
            <StateInColour tone={tone} label={label} />
            {status !== null && (
              <span className="text-[0.8125rem] text-muted tabular-nums">{status}</span>
            )}
          </span>
          <span className="text-[0.8125rem] text-muted max-sm:col-span-2 max-sm:pl-6 sm:text-right">
            <Ago at={createdAt} />
          </span>
          {error !== null && (
            <span className="col-span-full break-words pl-6 text-[0.8125rem] text-muted">
              {error}
              {nextAttemptAt !== null && (
                <>
                  {' '}
                  Next attempt <Until at={nextAttemptAt} />.
                </>
              )}
            </span>
          )}
        </summary>
        {isOpen && <DeliveryDetails webhookId={webhookId} deliveryId={id} />}
      </details>
    </li>
  );
}
