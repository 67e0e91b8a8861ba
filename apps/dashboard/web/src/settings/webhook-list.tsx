import type { UseQueryResult } from '@tanstack/react-query';
import type { Webhook } from '../../../server/src/notices/webhook.ts';
import type { Page } from '../../../server/src/schema-types.ts';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { Webhook as WebhookIcon } from '../ui/icons.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { WebhookRow } from './webhook-row.tsx';

interface WebhookListProps {
  readonly slug: string;
  readonly query: UseQueryResult<Page<Webhook>>;
}

export function WebhookList({ slug, query }: WebhookListProps) {
  return (
    <Card title="Webhooks" flush>
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={WebhookIcon} title="No webhooks">
              A webhook tells a program of yours, with a signed request, as soon as something
              happens.
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {items.map((webhook) => (
                <WebhookRow key={webhook.id} slug={slug} webhook={webhook} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Card>
  );
}
