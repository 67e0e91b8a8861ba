import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useSearch } from '@tanstack/react-router';
import { pendingSignInQuery, sessionQuery, WHILE_SIGNING_IN } from '../queries/account.ts';
import { installationQuery } from '../queries/installation.ts';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { AuthPage } from './auth-page.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { ProviderProblem } from './provider-problem.tsx';
import { becomeUser } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { StillSignedIn } from './signed-out.tsx';
import { ToNext } from './to-next.tsx';

export function SignInPage() {
  const { next, problem, provider, with: first } = useSearch({ from: '/sign-in' });
  const session = useQuery({ ...sessionQuery, ...WHILE_SIGNING_IN });
  const installation = useQuery(installationQuery);
  const pending = useQuery({ ...pendingSignInQuery, ...WHILE_SIGNING_IN });

  if (session.data) return <ToNext next={next} />;
  const signUp = installation.data?.signUp;
  if (signUp === 'first' || signUp === 'on_server') return <Navigate to="/sign-up" replace />;
  return (
    <AuthPage
      title="Sign in"
      description="Documentation that your team deploys."
      footer={
        pending.data ? undefined : installation.data?.signUp === 'open' ? (
          <>
            No account yet?{' '}
            <Link to="/sign-up" search={next === undefined ? {} : { next }} className={TEXT_LINK}>
              Create one
            </Link>
          </>
        ) : (
          installation.data &&
          'Accounts are created by invitation: ask an owner of your project for a link.'
        )
      }
    >
      {/* The first visitor is led to sign up: not with half an address typed here. */}
      <QueryView query={installation} skeleton={<Skeleton className="h-44" />}>
        {({ passwords }) => (
          <QueryView query={pending} skeleton={<Skeleton className="h-44" />}>
            {(underWay) => (
              <div className="grid grid-cols-1 gap-4">
                {underWay === null && (
                  <>
                    <StillSignedIn />
                    <ProviderProblem problem={problem} provider={provider} />
                    <ProviderButtons
                      next={next}
                      first={problem === undefined ? first : undefined}
                    />
                  </>
                )}
                {(passwords || underWay !== null) && (
                  <SignInForm underWay={underWay} onSignedIn={becomeUser} />
                )}
              </div>
            )}
          </QueryView>
        )}
      </QueryView>
      {installation.data?.passwords && !pending.data && (
        <p className="mt-5 text-center">
          <Link to="/forgotten-password" className={TEXT_LINK}>
            Forgot your password?
          </Link>
        </p>
      )}
      {installation.data?.passwords === false && !pending.data && (
        <p className="mt-5 text-[0.8125rem] text-muted">
          No way in? Whoever runs this dashboard can make a link to sign in:{' '}
          <code className="font-mono text-xs">dashboard users sign-in-link</code>
        </p>
      )}
    </AuthPage>
  );
}
