import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AccountLink, User } from '../../../server/src/accounts/account.ts';
import { hasStatus, messageOf, request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { AuthPage } from './auth-page.tsx';
import { becomeUser } from './session.ts';

/** The operator's link: it signs in once, by a click, since programs that look at links open them as well. */
export function OncePage() {
  // After the #, so that no server's log has it.
  const secret = window.location.hash.slice(1);
  const query = useQuery(
    queryOptions({
      queryKey: ['sign-in link', secret],
      queryFn: ({ signal }) =>
        request<AccountLink>('POST', '/account-links/look-up', { secret }, signal),
      staleTime: Number.POSITIVE_INFINITY,
    }),
  );
  if (hasStatus(query.error, 404) || (query.data && query.data.kind !== 'sign_in')) {
    return (
      <AuthPage title="This link has ended">
        <p className="text-muted">
          It was used, is older than ten minutes, or is not complete. Whoever runs this dashboard
          can make a new one.
        </p>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Sign in once" description="With the link of whoever runs this dashboard.">
      <QueryView query={query} skeleton={<Skeleton className="h-24" />}>
        {({ email }) => <SignInOnce email={email} secret={secret} />}
      </QueryView>
    </AuthPage>
  );
}

function SignInOnce({ email, secret }: { readonly email: string; readonly secret: string }) {
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: () => request<User>('POST', '/session/link', { secret }),
    onSuccess: async (user) => {
      if ('email' in user) {
        becomeUser(user);
        await navigate({ to: '/account/security', replace: true });
        return;
      }
      // A second factor is asked for.
      await queryClient.invalidateQueries({ queryKey: keys.pendingSignIn });
      await navigate({ to: '/sign-in', search: { next: '/account/security' }, replace: true });
    },
    meta: { signsIn: true },
  });
  return (
    <div className="grid grid-cols-1 gap-4">
      {mutation.error && <Alert tone="negative">{messageOf(mutation.error)}</Alert>}
      <Button variant="primary" pending={mutation.isPending} onClick={() => mutation.mutate()}>
        <span className="truncate">Sign in as {email}</span>
      </Button>
      <p className="text-center text-[0.8125rem] text-muted">For the next twelve hours.</p>
    </div>
  );
}
