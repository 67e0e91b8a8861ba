import { useMutation, useQuery } from '@tanstack/react-query';
import type { Delivery } from '../../../server/src/notices/delivery.ts';
import { messageOf, path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { deliveryQuery } from '../queries/webhooks.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Dot } from '../ui/dot.tsx';
import { RefreshCw } from '../ui/icons.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

interface DeliveryDetailsProps {
  readonly webhookId: string;
  readonly deliveryId: string;
}

/** The message of a delivery, what came back each time, and a button to send it again. */
export function DeliveryDetails({ webhookId, deliveryId }: DeliveryDetailsProps) {
  const { slug } = useProject();
  const query = useQuery(deliveryQuery(slug, webhookId, deliveryId));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 border-line border-t bg-canvas px-4 py-4 sm:px-5">
      <QueryView query={query}>
        {(delivery) => (
          <>
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <p className="min-w-0 break-all text-[0.8125rem] text-muted">
                webhook-id <code>{delivery.id}</code>
              </p>
              <SendAgainButton webhookId={webhookId} delivery={delivery} />
            </div>
            <Attempts attempts={delivery.attempts} />
            <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
              <h3 className="font-medium">Message</h3>
              <CodeBlock code={indented(delivery.body)} what="message" />
            </div>
          </>
        )}
      </QueryView>
    </div>
  );
}

function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <h3 className="font-medium">Attempts</h3>
      {attempts.length === 0 && <p className="text-muted">None is recorded.</p>}
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {attempts.map(({ at, durationMs, status, error, response }) => (
          <li key={at} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
            <p className="flex min-w-0 items-baseline gap-2">
              <Dot tone={error === null ? 'positive' : 'negative'} />
              <span className="min-w-0 break-words">
                {error ?? `The receiver responded with ${status}.`}{' '}
                <span className="text-[0.8125rem] text-muted">
                  <Ago at={at} /> · {durationMs.toLocaleString('en')} ms
                </span>
              </span>
            </p>
            {response !== '' && <CodeBlock code={response} what="response" />}
          </li>
        ))}
      </ol>
    </div>
  );
}

function SendAgainButton({
  webhookId,
  delivery: { id, type },
}: {
  readonly webhookId: string;
  readonly delivery: Delivery;
}) {
  const { slug } = useProject();
  const send = useMutation({
    mutationFn: () =>
      request<Delivery>(
        'POST',
        path`/projects/${slug}/webhooks/${webhookId}/deliveries/${id}/send`,
      ),
    onSuccess: ({ error }) =>
      error === null
        ? toast(`${type} was delivered.`)
        : toast(`${type} was not delivered. ${error}`, 'negative'),
    onError: (error) => toast(messageOf(error), 'negative'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.webhooks(slug) }),
  });
  return (
    <Button size="small" pending={send.isPending} onClick={() => send.mutate()}>
      <RefreshCw />
      Send again
    </Button>
  );
}

/** JSON as people read it. */
function indented(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}
