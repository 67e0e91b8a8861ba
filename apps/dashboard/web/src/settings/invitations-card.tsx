import { useQuery } from '@tanstack/react-query';
import type { Invitation } from '../../../server/src/projects/project.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.ts';
import { invitationsQuery, keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

/** The invitations that nobody has accepted yet. */
export function InvitationsCard() {
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
  const run = async () => {
    await request('DELETE', path`/projects/${slug}/invitations/${id}`);
    await queryClient.invalidateQueries({ queryKey: keys.invitations(slug) });
    toast(`The invitation of ${email} is revoked.`);
  };
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="truncate font-medium">{email}</p>
        <p className="break-words text-[0.8125rem] text-muted">
          <span className="capitalize">{role}</span> · by {invitedBy} · expires{' '}
          <Ago at={expiresAt} />
        </p>
      </div>
      <Confirm
        danger
        title="Revoke this invitation?"
        description={`The link that ${email} has stops working at once.`}
        action="Revoke"
        run={run}
        trigger={
          <Button variant="ghost" size="small" aria-label={`Revoke the invitation of ${email}`}>
            Revoke
          </Button>
        }
      />
    </li>
  );
}
