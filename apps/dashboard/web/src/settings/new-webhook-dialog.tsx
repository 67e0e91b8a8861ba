import type { MadeWebhook } from '../../../server/src/notices/webhook.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Plus } from '../ui/icons.tsx';

/** Adds a webhook, then shows its secret this once. */
export function NewWebhookDialog() {
  const { slug } = useProject();
  return (
    <FormDialog
      trigger={
        <Button variant="primary">
          <Plus />
          New webhook
        </Button>
      }
      title="New webhook"
      description="It is sent every notification of this project, signed as Standard Webhooks has it."
      fields={['url']}
      conflictField="url"
      action="Add the webhook"
      run={({ url = '' }) =>
        request<MadeWebhook>('POST', path`/projects/${slug}/webhooks`, { url: url.trim() })
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
        hint="It must answer a POST with 2xx within 15 seconds."
      />
    </FormDialog>
  );
}
