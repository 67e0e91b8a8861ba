import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { sessionQuery } from '../queries/account.ts';
import { Shell } from '../shell/shell.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import { ClaimedAccount } from './claimed-account.tsx';
import { UserContext } from './session.ts';
import { ToSignIn } from './to-next.tsx';

/** Pages for signed-in users. Others are sent to sign in, and then come back. */
export function SignedIn() {
  const session = useQuery(sessionQuery);
  return (
    <QueryView
      query={session}
      skeleton={
        <Shell>
          <SkeletonPage />
        </Shell>
      }
    >
      {(user) =>
        user ? (
          <UserContext value={user}>
            <ClaimedAccount user={user}>
              <Shell user={user}>
                <Outlet />
              </Shell>
            </ClaimedAccount>
          </UserContext>
        ) : (
          <ToSignIn />
        )
      }
    </QueryView>
  );
}
