import { useQuery } from '@tanstack/react-query';
import type {
  CreatedInvitation,
  Invitation,
  Member,
} from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { invitationsQuery, keys, membersQuery } from '../queries.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyField } from '../ui/copy.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { count } from '../ui/format.ts';
import { UserPlus } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { LoopbackWarning } from './loopback.tsx';
import { MemberRow } from './member-row.tsx';
import { ROLE_OPTIONS } from './roles.ts';

export function MembersPage() {
  const project = useProject();
  const query = useQuery(membersQuery(project.slug));
  const isAllowed = can(project, 'member.write');
  const { members } = project.limits;
  return (
    <ProjectPage
      title="Members"
      description={
        members === null
          ? 'As many as you like on this plan.'
          : `Up to ${count(members, 'member')} and open invitations on this plan.`
      }
      actions={isAllowed && <InviteDialog />}
    >
      <div className="grid gap-5">
        {!isAllowed && <Alert>{REASONS['member.write']}</Alert>}
        <Card flush>
          <ListView query={query}>
            {(member, all) => (
              <MemberRow
                key={member.userId}
                member={member}
                isAllowed={isAllowed}
                isOnlyOwner={member.role === 'owner' && owners(all) === 1}
              />
            )}
          </ListView>
        </Card>
        {isAllowed && <InvitationsCard />}
        <Roles />
      </div>
    </ProjectPage>
  );
}

const owners = (members: readonly Member[]) =>
  members.filter(({ role }) => role === 'owner').length;

const ROLES = [
  ['Owner', 'Everything: settings, domains, members, tokens, deletion.'],
  ['Editor', 'Deploys, puts deploys live and rolls back; checks domains; reads the audit log.'],
  ['Viewer', 'Sees deploys with their previews and logs, and who is a member.'],
] as const;

function Roles() {
  return (
    <Card title="What each role may do">
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[5rem_minmax(0,1fr)]">
        {ROLES.map(([role, rights]) => (
          <div key={role} className="contents">
            <dt className="font-medium max-sm:mt-1">{role}</dt>
            <dd className="text-muted">{rights}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** The invitations that nobody has accepted yet. */
function InvitationsCard() {
  const query = useQuery(invitationsQuery(useProject().slug));
  return (
    <Card title="Open invitations" flush>
      <ListView query={query} empty={<p className="px-4 py-4 text-muted sm:px-5">None.</p>}>
        {(invitation) => <InvitationRow key={invitation.id} invitation={invitation} />}
      </ListView>
    </Card>
  );
}

function InvitationRow({ invitation }: { readonly invitation: Invitation }) {
  const { slug } = useProject();
  const { id, email, role, invitedBy, expiresAt } = invitation;
  const run = () =>
    deleteAt(
      path`/projects/${slug}/invitations/${id}`,
      keys.invitations(slug),
      `The invitation of ${email} is revoked.`,
    );
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="truncate font-medium">{email}</p>
        <p className="break-words text-[0.8125rem] text-muted">
          <span className="capitalize">{role}</span> · by {invitedBy} · expires{' '}
          <Ago at={expiresAt} />
        </p>
      </div>
      <ConfirmedButton
        title="Revoke this invitation?"
        description={`The link that ${email} has stops working at once.`}
        action="Revoke"
        run={run}
        label={`Revoke the invitation of ${email}`}
      />
    </li>
  );
}

/** Creates an invitation, then shows its link: invitations are not mailed. */
function InviteDialog() {
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
        request<CreatedInvitation>('POST', path`/projects/${slug}/invitations`, { email, role })
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
