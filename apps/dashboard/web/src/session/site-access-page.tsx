import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasStatus, messageOf, request } from '../api.ts';
import { sessionQuery } from '../queries/account.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { AuthPage } from './auth-page.tsx';
import { signOut } from './session.ts';
import { ToSignIn } from './to-next.tsx';

/** Whoever comes from a private site, to sign in with an account, is sent back there. */
export function SiteAccessPage() {
  const session = useQuery(sessionQuery);
  const { host } = useSearch({ from: '/site-access' });
  return (
    <QueryView
      query={session}
      skeleton={
        <AuthPage title={host}>
          <Skeleton className="h-24" />
        </AuthPage>
      }
    >
      {(user) => (user ? <ToSite email={user.email} /> : <ToSignIn />)}
    </QueryView>
  );
}

function ToSite({ email }: { readonly email: string }) {
  const { host, state, to } = useSearch({ from: '/site-access' });
  const going = useMutation({
    mutationFn: () => request<{ url: string }>('POST', '/site-sign-in', { host, state, to }),
    // The server has made the address, of a site of its own.
    onSuccess: ({ url }) => window.location.replace(url),
  });
  const { mutate } = going;
  useEffect(() => mutate(), [mutate]);
  const leaving = useMutation({
    mutationFn: () => signOut(window.location.pathname + window.location.search),
  });
  if (!going.error) return <AuthPage title={`Going on to ${host} …`}>{null}</AuthPage>;
  const isStranger = hasStatus(going.error, 403);
  return (
    <AuthPage title={host}>
      <div className="grid gap-4">
        <Alert tone={isStranger ? 'warning' : 'negative'}>{messageOf(going.error)}</Alert>
        {isStranger ? (
          <Button variant="primary" pending={leaving.isPending} onClick={() => leaving.mutate()}>
            Sign in with another account
          </Button>
        ) : (
          <Button pending={going.isPending} onClick={() => mutate()}>
            Try again
          </Button>
        )}
        <p className="text-center text-[0.8125rem] text-muted">You are signed in as {email}.</p>
      </div>
    </AuthPage>
  );
}
