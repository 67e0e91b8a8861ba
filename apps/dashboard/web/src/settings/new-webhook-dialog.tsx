import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeWebhook } from '../../../server/src/notices/webhook.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy.tsx';
import { Dialog, DialogActions, DialogClose } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Plus } from '../ui/icons.tsx';

/** Adds a webhook, then shows its secret this once. */
export function NewWebhookDialog({ slug }: { readonly slug: string }) {
  const [isOpen, setOpen] = useState(false);
  const mutation = useMutation({
    mutationFn: ({ url = '' }: Record<string, string>) =>
      request<MadeWebhook>('POST', path`/projects/${slug}/webhooks`, { url: url.trim() }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.webhooks(slug) }),
  });
  const made = mutation.data;
  const change = (open: boolean) => {
    if (open) mutation.reset();
    setOpen(open);
  };
  return (
    <Dialog
      open={isOpen}
      onOpenChange={change}
      title={made ? 'Copy the secret now' : 'New webhook'}
      description={
        made
          ? 'It is shown this once. Whoever receives the webhook checks its signature with it.'
          : 'It is sent every notification of this project, signed as Standard Webhooks has it.'
      }
      trigger={
        <Button variant="primary">
          <Plus aria-hidden />
          New webhook
        </Button>
      }
    >
      {made ? (
        <>
          <CopyField value={made.secret} what="secret" />
          <DialogActions>
            <DialogClose render={<Button variant="primary" />}>I have copied it</DialogClose>
          </DialogActions>
        </>
      ) : (
        <Form
          fields={['url']}
          conflictField="url"
          error={mutation.error}
          onSubmit={mutation.mutate}
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
          <DialogActions>
            <DialogClose render={<Button />}>Cancel</DialogClose>
            <Button type="submit" variant="primary" pending={mutation.isPending}>
              Add the webhook
            </Button>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}
