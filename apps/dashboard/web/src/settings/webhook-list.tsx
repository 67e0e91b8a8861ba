import { useMutation, useQuery } from '@tanstack/react-query';
import type { Webhook } from '../../../server/src/notices/webhook.ts';
import { messageOf, path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys, webhooksQuery } from '../queries.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { Webhook as WebhookIcon } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

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
  const { id, url, createdBy, disabledAt } = webhook;
  const { host } = new URL(url);
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.webhooks(slug) });
  const test = useMutation({
    mutationFn: () => request<Webhook>('POST', path`/projects/${slug}/webhooks/${id}/test`),
    onSuccess: ({ lastDelivery }) =>
      lastDelivery?.error == null
        ? toast(`${host} took the test.`)
        : toast(`${host} did not take the test. ${lastDelivery.error}`, 'negative'),
    onError: (error) => toast(messageOf(error), 'negative'),
    onSettled: refresh,
  });
  const remove = () =>
    deleteAt(
      path`/projects/${slug}/webhooks/${id}`,
      keys.webhooks(slug),
      `The webhook to ${host} is removed.`,
    );
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex items-start gap-2">
          <span className="min-w-0 break-all font-medium">{url}</span>
          {disabledAt !== null && <Badge tone="negative">Off</Badge>}
        </p>
        <p className="break-words text-[0.8125rem] text-muted">
          by {createdBy} · <LastDelivery webhook={webhook} />
        </p>
        {disabledAt !== null && (
          <p className="text-[0.8125rem] text-muted">
            Switched off <Ago at={disabledAt} />, and told nothing since. A test that it takes
            switches it on again.
          </p>
        )}
      </div>
      <div className="flex gap-1">
        <Button
          size="small"
          pending={test.isPending}
          aria-label={`Send test to ${host}`}
          onClick={() => test.mutate()}
        >
          Send test
        </Button>
        <ConfirmedButton
          title="Remove this webhook?"
          description={`${host} is told nothing more, not even what it has not taken yet.`}
          action="Remove"
          run={remove}
          label={`Remove the webhook to ${host}`}
        />
      </div>
    </li>
  );
}

function LastDelivery({ webhook: { lastDelivery } }: { readonly webhook: Webhook }) {
  if (lastDelivery === null) return 'told nothing yet';
  const { at, error } = lastDelivery;
  return error === null ? (
    <>
      last told <Ago at={at} />
    </>
  ) : (
    <>
      <span className="text-negative">failed</span> <Ago at={at} />: {error}
    </>
  );
}
