import { useQuery } from '@tanstack/react-query';
import type { Member } from '../../../server/src/projects/project.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { membersQuery } from '../queries.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { count } from '../ui/format.ts';
import { Page } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberRow } from './member-row.tsx';

export function MembersPage() {
  const project = useProject();
  const query = useQuery(membersQuery(project.slug));
  const isAllowed = can(project, 'member.write');
  const { members } = project.limits;
  return (
    <Page
      title="Members"
      documentTitle={`Members · ${project.name}`}
      description={
        members === null
          ? 'As many as you like on this plan.'
          : `Up to ${count(members, 'member')} and open invitations on this plan.`
      }
      actions={isAllowed && <InviteDialog project={project} />}
    >
      <div className="grid gap-5">
        {!isAllowed && <Alert>{REASONS['member.write']}</Alert>}
        <Card flush>
          <QueryView query={query}>
            {({ items }) => (
              <ul className="divide-y divide-line">
                {items.map((member) => (
                  <MemberRow
                    key={member.userId}
                    project={project}
                    member={member}
                    isAllowed={isAllowed}
                    isOnlyOwner={member.role === 'owner' && owners(items) === 1}
                  />
                ))}
              </ul>
            )}
          </QueryView>
        </Card>
        {isAllowed && <InvitationsCard slug={project.slug} />}
        <Roles />
      </div>
    </Page>
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
