import { useQuery } from '@tanstack/react-query';
import type { Member } from '../../../server/src/projects/project.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { ProjectPage } from '../projects/project-page.tsx';
import { membersQuery } from '../queries.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { count } from '../ui/format.ts';
import { ListView } from '../ui/list-view.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberRow } from './member-row.tsx';

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
