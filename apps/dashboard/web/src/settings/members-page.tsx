import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  CreatedInvitation,
  Invitation,
  Member,
} from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { invitationsQuery, membersQuery } from '../queries/projects.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { EmailField } from '../ui/email-field.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { count } from '../ui/format.ts';
import { UserPlus } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { GroupsCard } from './groups-card.tsx';
import { HandOverLink } from './loopback.tsx';
import { MemberRow } from './member-row.tsx';
import { RoleField } from './role-field.tsx';
import { RoleRights } from './role-rights.tsx';
import { ROLE_OPTIONS, type RoleName } from './roles.ts';

/** A group may bring thousands. */
const SHOWN_AT_FIRST = 100;

export function MembersPage() {
  const project = useProject();
  const query = useQuery(membersQuery(project.slug));
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
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
          <ListView query={{ ...query, data: query.data?.slice(0, shown) }}>
            {(member) => (
              <MemberRow
                key={member.userId}
                member={member}
                isAllowed={isAllowed}
                isOnlyOwner={member.ownRole === 'owner' && !query.data?.some(isOtherOwner(member))}
              />
            )}
          </ListView>
          {(query.data?.length ?? 0) > shown && (
            <div className="flex justify-center border-line border-t p-3">
              <Button size="small" onClick={() => setShown(Number.POSITIVE_INFINITY)}>
                Show all {query.data?.length} members
              </Button>
            </div>
          )}
        </Card>
        <GroupsCard isAllowed={isAllowed} />
        {isAllowed && <InvitationsCard />}
        <Roles />
      </div>
    </ProjectPage>
  );
}

/** Whether somebody else is an owner who can sign in. */
const isOtherOwner =
  ({ userId }: Member) =>
  (other: Member) =>
    other.role === 'owner' && !other.isDisabled && other.userId !== userId;

function Roles() {
  return (
    <Card title="What each role may do">
      <dl className="grid gap-x-6 gap-y-2.5 sm:grid-cols-[5rem_minmax(0,1fr)]">
        {ROLE_OPTIONS.toReversed().map(({ value, label }) => (
          <div key={value} className="contents">
            <dt className="font-medium max-sm:mt-1">{label}</dt>
            <dd className="text-muted">
              <RoleRights role={value} />
            </dd>
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
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <Avatar email={email} />
      <div className="min-w-0 flex-1">
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

/** Invites someone: by mail, or by a link to hand over where that is not possible. */
function InviteDialog() {
  const { slug, name } = useProject();
  const mail = useQuery(installationQuery).data?.mail ?? false;
  const [role, setRole] = useState<RoleName>('viewer');
  return (
    <FormDialog
      trigger={
        <Button variant="primary">
          <UserPlus />
          Invite
        </Button>
      }
      onOpen={() => setRole('viewer')}
      title={`Invite to “${name}”`}
      description={
        mail
          ? 'They get a link by e-mail.'
          : 'You get a link to hand over yourself: this installation sends no mail.'
      }
      fields={['email', 'role']}
      conflictField="email"
      action={mail ? 'Send the invitation' : 'Make the link'}
      run={({ email }) =>
        request<CreatedInvitation>('POST', path`/projects/${slug}/invitations`, { email, role })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.invitations(slug) })}
      result={invited}
    >
      <EmailField />
      <RoleField role={role} onChange={setRole} />
    </FormDialog>
  );
}

function invited({ email, expiresAt, link, mailError }: CreatedInvitation) {
  const address = <strong className="font-medium text-ink">{email}</strong>;
  if (link === null) {
    return {
      title: 'The invitation is on its way',
      description: (
        <>
          {address} gets a link by e-mail. It works for that address alone, and expires{' '}
          <Ago at={expiresAt} />.
        </>
      ),
      content: null,
      close: 'Done',
    };
  }
  return {
    title: 'Hand over this link',
    description: (
      <>
        Send it to {address}. It is shown this once, works for that address alone, and expires{' '}
        <Ago at={expiresAt} />.
      </>
    ),
    content: <HandOverLink link={link} what="invitation link" mailError={mailError} />,
    close: 'Done',
  };
}
