import { useState } from 'react';
import type { EventType } from '../../../server/src/notices/event-types.ts';
import type { CreatedWebhook } from '../../../server/src/notices/webhook.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Plus } from '../ui/icons.tsx';
import { ALL_EVENTS } from './events.ts';
import { EventsField } from './events-field.tsx';

/** Adds a webhook, then shows its secret this once. */
export function NewWebhookDialog() {
  const { slug } = useProject();
  const [events, setEvents] = useState<readonly EventType[]>(ALL_EVENTS);
  return (
    <FormDialog
      trigger={
        <Button variant="primary">
          <Plus />
          New webhook
        </Button>
      }
      onOpen={() => setEvents(ALL_EVENTS)}
      title="New webhook"
      description="A program of yours gets a POST for each event, signed as Standard Webhooks has it."
      fields={['url']}
      conflictField="url"
      action="Add the webhook"
      disabled={events.length === 0}
      run={({ url = '' }) =>
        request<CreatedWebhook>('POST', path`/projects/${slug}/webhooks`, {
          url: url.trim(),
          events,
        })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.webhooks(slug) })}
      result={({ secret }) => ({
        title: 'Copy the secret now',
        description:
          'It is shown this once. Whoever receives the webhook checks its signature with it.',
        content: <CopyField value={secret} what="secret" />,
        close: 'I have copied it',
      })}
    >
      <TextField
        name="url"
        label="URL"
        type="url"
        required
        maxLength={2048}
        autoComplete="off"
        placeholder="https://example.com/hooks"
        hint="It must respond to a POST with 2xx within 15 seconds."
      />
      <EventsField chosen={events} onChange={setEvents} />
    </FormDialog>
  );
}
