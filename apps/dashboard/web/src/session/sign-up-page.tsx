import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { sessionQuery, WHILE_SIGNING_IN } from '../queries/account.ts';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { AuthPage } from './auth-page.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { becomeUser } from './session.ts';
import { SignUpForm } from './sign-up-form.tsx';
import { ToNext } from './to-next.tsx';

export function SignUpPage() {
  const { next } = useSearch({ from: '/sign-up' });
  const session = useQuery({ ...sessionQuery, ...WHILE_SIGNING_IN });
  const installation = useQuery(installationQuery);

  if (session.data) return <ToNext next={next} />;
  const signUp = installation.data?.signUp;
  const isFirst = signUp === 'first' || signUp === 'on_server';
  return (
    <AuthPage
      title={isFirst ? 'Set up the dashboard' : 'Create an account'}
      description={
        isFirst &&
        'Nobody has an account here yet. The first one owns the installation: it sets the plans of all projects.'
      }
      footer={
        !isFirst && (
          <Link to="/sign-in" search={next === undefined ? {} : { next }} className={TEXT_LINK}>
            Sign in instead
          </Link>
        )
      }
    >
      <QueryView query={installation} skeleton={<Skeleton className="h-64" />}>
        {() =>
          signUp === 'on_server' ? (
            <FirstOnServer />
          ) : signUp === 'invitation' ? (
            <div className="grid gap-2">
              <p className="font-medium">Sign-up is by invitation here.</p>
              <p className="text-muted">
                Ask an owner of the project you want to join. They find “Invite” in its settings,
                under Members, and get a link for you; it opens the page on which you make your
                account.
              </p>
            </div>
          ) : (
            <div className="grid grid-cols-1 gap-4">
              {!isFirst && <ProviderButtons next={next} />}
              {(isFirst || installation.data?.passwords) && (
                <SignUpForm
                  onSignedIn={(user) => {
                    becomeUser(user);
                    void queryClient.invalidateQueries({ queryKey: keys.installation });
                  }}
                />
              )}
            </div>
          )
        }
      </QueryView>
    </AuthPage>
  );
}

/** At a name that the whole world sees, a stranger could be the first. */
function FirstOnServer() {
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="font-medium">The first account is made on the server itself.</p>
      <p className="text-muted">
        The service printed the address when it started. Or enter there, with a password on standard
        input:
      </p>
      <CodeBlock
        code="dashboard users create --email you@example.com --password-stdin"
        what="command"
      />
      <p className="text-muted">Then load this page again.</p>
    </div>
  );
}
