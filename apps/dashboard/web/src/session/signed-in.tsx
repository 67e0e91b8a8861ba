import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { sessionQuery } from '../queries.ts';
import { Shell } from '../shell/shell.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import { UserContext } from './session.ts';
import { ToSignIn } from './to-next.tsx';

/** The pages that need someone signed in. Who is not, or not any more, signs in and comes back. */
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
            <Shell user={user}>
              <Outlet />
            </Shell>
          </UserContext>
        ) : (
          <ToSignIn />
        )
      }
    </QueryView>
  );
}
