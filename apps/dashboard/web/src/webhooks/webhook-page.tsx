import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Webhook } from '../../../server/src/notices/webhook.ts';
import { useProject } from '../projects/project-context.tsx';
import { webhooksQuery } from '../queries/webhooks.ts';
import { SettingsPage } from '../settings/settings-layout.tsx';
import { Alert } from '../ui/alert.tsx';
import { BackLink } from '../ui/back-link.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import { Ago } from '../ui/time.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { EventsDialog, RemoveButton, TestButton } from './webhook-actions.tsx';

/** A webhook, with its events and deliveries. */
export function WebhookPage() {
  const { slug, id } = useParams({
    from: '/signed-in/projects/$slug/settings/notifications/$id',
  });
  const query = useQuery(webhooksQuery(slug));
  return (
    <QueryView query={query} skeleton={<SkeletonPage />}>
      {(webhooks) => {
        const webhook = webhooks.find((one) => one.id === id);
        return webhook ? (
          <WebhookView webhook={webhook} />
        ) : (
          <NotFound title="No such webhook">It may have been removed.</NotFound>
        );
      }}
    </QueryView>
  );
}

function WebhookView({ webhook }: { readonly webhook: Webhook }) {
  const { slug } = useProject();
  const navigate = useNavigate();
  const { url, createdAt, createdBy, disabledAt, events } = webhook;
  const leave = () => navigate({ to: '/projects/$slug/settings/notifications', params: { slug } });
  return (
    <>
      <BackLink to="/projects/$slug/settings/notifications" params={{ slug }}>
        All notifications
      </BackLink>
      <SettingsPage
        title={new URL(url).host}
        documentTitle={`Webhook to ${new URL(url).host}`}
        permission="webhook.manage"
        badges={disabledAt !== null && <Badge tone="negative">Off</Badge>}
        description={
          <span className="break-all">
            {url}, added <Ago at={createdAt} /> by {createdBy}
          </span>
        }
        actions={
          <>
            <TestButton webhook={webhook} />
            <RemoveButton webhook={webhook} onDone={leave} />
          </>
        }
      >
        <div className="grid gap-5">
          {disabledAt !== null && (
            <Alert tone="negative">
              Switched off <Ago at={disabledAt} />: it accepted nothing for three days, or responded
              that it is gone for good. It receives no events. A successful test or delivery
              switches it on again.
            </Alert>
          )}
          <DeliveriesCard webhook={webhook} />
          <Card title="Events" actions={<EventsDialog webhook={webhook} />}>
            <ul className="flex flex-wrap gap-1.5">
              {events.map((type) => (
                <li key={type}>
                  <Badge>{type}</Badge>
                </li>
              ))}
            </ul>
          </Card>
        </div>
      </SettingsPage>
    </>
  );
}
