import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../../server/src/accounts/account.ts';
import { path, request } from '../api.ts';
import { keys, sessionsQuery } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { browserName } from './browser-name.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.sessions });

export function SessionsCard() {
  const query = useQuery(sessionsQuery);
  const hasOthers = query.data?.some(({ isCurrent }) => !isCurrent) ?? false;
  const endOthers = async () => {
    await request('DELETE', '/account/sessions');
    await refresh();
    toast('Your other sessions have ended.');
  };
  return (
    <Card
      title="Sessions"
      description="Where you are signed in."
      flush
      actions={
        hasOthers && (
          <Confirm
            danger
            title="End all other sessions?"
            description="Every other browser must sign in again. This one stays signed in."
            action="End the others"
            run={endOthers}
            trigger={<Button size="small">End all others</Button>}
          />
        )
      }
    >
      <ListView query={query}>
        {(session) => <SessionRow key={session.id} session={session} />}
      </ListView>
    </Card>
  );
}

function SessionRow({ session }: { readonly session: Session }) {
  const { id, isCurrent, userAgent, ip, createdAt, lastSeenAt } = session;
  const name = browserName(userAgent);
  const run = async () => {
    await request('DELETE', path`/account/sessions/${id}`);
    await refresh();
    toast('The session has ended.');
  };
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium" title={userAgent}>
            {name}
          </span>
          {isCurrent && <Badge tone="positive">This one</Badge>}
        </p>
        <p className="text-[0.8125rem] text-muted">
          {ip} · signed in <Ago at={createdAt} />
          {!isCurrent && (
            <>
              {' '}
              · last seen <Ago at={lastSeenAt} />
            </>
          )}
        </p>
      </div>
      {!isCurrent && (
        <Confirm
          danger
          title="End this session?"
          description={`${name} at ${ip} must sign in again.`}
          action="End the session"
          run={run}
          trigger={
            <Button variant="ghost" size="small" aria-label={`End the session of ${name}`}>
              End
            </Button>
          }
        />
      )}
    </li>
  );
}
