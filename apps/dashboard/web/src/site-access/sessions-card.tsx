import type { EndedSiteSessions } from '../../../server/src/site-access/site-access.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/form-dialog.tsx';
import { count } from '../ui/format.ts';
import { toast } from '../ui/toasts.tsx';
import type { AccessCardProps } from './change-access.ts';

/** The readers who are signed in, and the way to end all their sessions. */
export function SessionsCard({ access: { sessions }, isOwner }: AccessCardProps) {
  const { slug } = useProject();
  return (
    <Card
      title="Readers who are signed in"
      description="On each host by themselves, for seven days at most."
      actions={
        isOwner && (
          <Confirm
            trigger={
              <Button size="small" disabled={sessions === 0}>
                Sign everyone out
              </Button>
            }
            danger
            title="Sign everyone out?"
            description="All readers are out within a second, and sign in again to read on. Programs with a token are not asked to: revoke the token, or remove the key that signed it."
            action="Sign everyone out"
            run={() =>
              request<EndedSiteSessions>('DELETE', path`/projects/${slug}/access/sessions`)
            }
            onDone={(ended) => {
              toast(`${count((ended as EndedSiteSessions).sessions, 'session')} ended.`);
              return queryClient.invalidateQueries({ queryKey: keys.siteAccess(slug) });
            }}
          />
        )
      }
    >
      <p className={sessions === 0 ? 'text-muted' : undefined}>
        {sessions === 0 ? 'Nobody is.' : count(sessions, 'session')}
      </p>
    </Card>
  );
}
