import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeInvitation, Project } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Ago } from '../ui/ago.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy.tsx';
import { Dialog, DialogActions, DialogClose } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { UserPlus } from '../ui/icons.tsx';
import { isLoopback } from './is-loopback.ts';
import { ROLE_OPTIONS } from './roles.ts';

interface InviteDialogProps {
  readonly project: Project;
}

/** Makes an invitation, then shows its link: invitations are not mailed. */
export function InviteDialog({ project }: InviteDialogProps) {
  const { slug, name } = project;
  const [isOpen, setOpen] = useState(false);
  const mutation = useMutation({
    mutationFn: ({ email, role }: Record<string, string>) =>
      request<MadeInvitation>('POST', path`/projects/${slug}/invitations`, { email, role }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.invitations(slug) }),
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
      title={made ? 'Hand over this link' : `Invite to “${name}”`}
      description={
        made ? (
          <>
            Send it to <strong className="font-medium text-ink">{made.email}</strong>. It is shown
            this once, works for that address alone, and expires <Ago at={made.expiresAt} />.
          </>
        ) : (
          'You get a link to hand over yourself: invitations are not mailed.'
        )
      }
      trigger={
        <Button variant="primary">
          <UserPlus aria-hidden />
          Invite
        </Button>
      }
    >
      {made ? (
        <>
          <CopyField value={made.link} what="invitation link" />
          {isLoopback(made.link) && (
            <div className="mt-4">
              <Alert tone="warning">
                Only this computer can open this link. Set DASHBOARD_PUBLIC_URL to the address that
                others use.
              </Alert>
            </div>
          )}
          <DialogActions>
            <DialogClose render={<Button variant="primary" />}>Done</DialogClose>
          </DialogActions>
        </>
      ) : (
        <Form
          fields={['email', 'role']}
          conflictField="email"
          error={mutation.error}
          onSubmit={mutation.mutate}
        >
          <TextField
            name="email"
            label="E-mail address"
            type="email"
            required
            maxLength={254}
            autoComplete="off"
          />
          <SelectField name="role" label="Role" options={ROLE_OPTIONS} defaultValue="viewer" />
          <DialogActions>
            <DialogClose render={<Button />}>Cancel</DialogClose>
            <Button type="submit" variant="primary" pending={mutation.isPending}>
              Make the link
            </Button>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}
