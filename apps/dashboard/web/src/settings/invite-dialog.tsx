import type { MadeInvitation } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { UserPlus } from '../ui/icons.tsx';
import { Ago } from '../ui/time.tsx';
import { LoopbackWarning } from './loopback.tsx';
import { ROLE_OPTIONS } from './roles.ts';

/** Makes an invitation, then shows its link: invitations are not mailed. */
export function InviteDialog() {
  const { slug, name } = useProject();
  return (
    <FormDialog
      trigger={
        <Button variant="primary">
          <UserPlus />
          Invite
        </Button>
      }
      title={`Invite to “${name}”`}
      description="You get a link to hand over yourself: invitations are not mailed."
      fields={['email', 'role']}
      conflictField="email"
      action="Make the link"
      run={({ email, role }) =>
        request<MadeInvitation>('POST', path`/projects/${slug}/invitations`, { email, role })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.invitations(slug) })}
      result={({ email, expiresAt, link }) => ({
        title: 'Hand over this link',
        description: (
          <>
            Send it to <strong className="font-medium text-ink">{email}</strong>. It is shown this
            once, works for that address alone, and expires <Ago at={expiresAt} />.
          </>
        ),
        content: (
          <div className="grid gap-4">
            <CopyField value={link} what="invitation link" />
            <LoopbackWarning link={link} />
          </div>
        ),
        close: 'Done',
      })}
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
    </FormDialog>
  );
}
