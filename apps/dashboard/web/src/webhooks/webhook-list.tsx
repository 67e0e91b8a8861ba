import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Webhook } from '../../../server/src/notices/webhook.ts';
import { useProject } from '../projects/project-context.tsx';
import { webhooksQuery } from '../queries/webhooks.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { Webhook as WebhookIcon } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { eventsInWords } from './events.ts';
import { RemoveButton, TestButton } from './webhook-actions.tsx';

export function WebhookList() {
  const query = useQuery(webhooksQuery(useProject().slug));
  return (
    <Card title="Webhooks" flush>
      <ListView
        query={query}
        empty={
          <Empty icon={WebhookIcon} title="No webhooks">
            A webhook tells a program of yours, with a signed request, as soon as something happens.
          </Empty>
        }
      >
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
      </ListView>
    </Card>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { slug } = useProject();
  const { id, url, events, createdBy, disabledAt } = webhook;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex items-start gap-2">
          <Link
            to="/projects/$slug/settings/notifications/$id"
            params={{ slug, id }}
            className="min-w-0 break-all rounded-sm font-medium underline decoration-outline underline-offset-3 hover:decoration-ink"
          >
            {url}
          </Link>
          {disabledAt !== null && <Badge tone="negative">Off</Badge>}
        </p>
        <p className="break-words text-[0.8125rem] text-muted">
          {eventsInWords(events)} · by {createdBy} · <LastDelivery webhook={webhook} />
        </p>
        {disabledAt !== null && (
          <p className="text-[0.8125rem] text-muted">
            Switched off <Ago at={disabledAt} />. It receives no events. A successful test delivery
            switches it on again.
          </p>
        )}
      </div>
      <div className="flex gap-1">
        <TestButton webhook={webhook} />
        <RemoveButton webhook={webhook} />
      </div>
    </li>
  );
}

function LastDelivery({ webhook: { lastDelivery } }: { readonly webhook: Webhook }) {
  if (lastDelivery === null) return 'no deliveries yet';
  const { at, error } = lastDelivery;
  return error === null ? (
    <>
      last delivery <Ago at={at} />
    </>
  ) : (
    <>
      <span className="text-negative">failed</span> <Ago at={at} />: {error}
    </>
  );
}
