import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventType } from '../../../server/src/notices/event-types.ts';
import type { Webhook } from '../../../server/src/notices/webhook.ts';
import { messageOf, path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { EventsField } from './events-field.tsx';

interface WebhookProps {
  readonly webhook: Webhook;
}

/** Sends a test now, and says how it went. */
export function TestButton({ webhook: { id, url } }: WebhookProps) {
  const { slug } = useProject();
  const { host } = new URL(url);
  const test = useMutation({
    mutationFn: () => request<Webhook>('POST', path`/projects/${slug}/webhooks/${id}/test`),
    onSuccess: ({ lastDelivery }) =>
      lastDelivery?.error == null
        ? toast(`${host} took the test.`)
        : toast(`${host} did not take the test. ${lastDelivery.error}`, 'negative'),
    onError: (error) => toast(messageOf(error), 'negative'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.webhooks(slug) }),
  });
  return (
    <Button
      size="small"
      pending={test.isPending}
      aria-label={`Send test to ${host}`}
      onClick={() => test.mutate()}
    >
      Send test
    </Button>
  );
}

interface RemoveButtonProps extends WebhookProps {
  /** What follows, such as leaving the webhook's page. */
  readonly onDone?: () => unknown;
}

export function RemoveButton({ webhook: { id, url }, onDone }: RemoveButtonProps) {
  const { slug } = useProject();
  const { host } = new URL(url);
  return (
    <ConfirmedButton
      title="Remove this webhook?"
      description={`${host} receives nothing more, not even deliveries that are waiting.`}
      action="Remove"
      run={() =>
        deleteAt(
          path`/projects/${slug}/webhooks/${id}`,
          keys.webhooks(slug),
          `The webhook to ${host} is removed.`,
        )
      }
      {...(onDone && { onDone })}
      label={`Remove the webhook to ${host}`}
    />
  );
}

/** Changes what the webhook is sent from now on. */
export function EventsDialog({ webhook: { id, events } }: WebhookProps) {
  const { slug } = useProject();
  const [chosen, setChosen] = useState<readonly EventType[]>(events);
  return (
    <FormDialog
      trigger={<Button size="small">Change</Button>}
      onOpen={() => setChosen(events)}
      title="Events"
      description="What this webhook is sent from now on."
      action="Save"
      disabled={chosen.length === 0}
      run={() =>
        request<Webhook>('PATCH', path`/projects/${slug}/webhooks/${id}`, { events: chosen })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.webhooks(slug) })}
    >
      <EventsField chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}
