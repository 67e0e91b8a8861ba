import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { User } from '../../../server/src/accounts/account.ts';
import type { OpenInvitation, Project } from '../../../server/src/projects/project.ts';
import { hasStatus, messageOf, path, request } from '../api.ts';
import { sessionQuery, WHILE_SIGNING_IN } from '../queries/account.ts';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { invitationQuery } from '../queries/projects.ts';
import { queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { AuthPage } from './auth-page.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { becomeUser, signOut } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';

export function InvitationPage() {
  const { secret } = useParams({ from: '/invitations/$secret' });
  const invitation = useQuery(invitationQuery(secret));
  const session = useQuery({ ...sessionQuery, ...WHILE_SIGNING_IN });

  if (hasStatus(invitation.error, 404)) {
    return (
      <AuthPage title="This invitation is not open">
        <p className="text-muted">
          It may have been accepted or revoked, or has expired; or the link is not complete. Ask the
          one who sent it for a new one.
        </p>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={invitation.data ? `Join “${invitation.data.project}”` : 'Invitation'}>
      <QueryView query={invitation} skeleton={<Skeleton className="h-56" />}>
        {(open) => (
          <div className="grid gap-5">
            <Summary invitation={open} />
            <QueryView query={session} skeleton={<Skeleton className="h-40" />}>
              {(user) => <Actions invitation={open} secret={secret} user={user} />}
            </QueryView>
          </div>
        )}
      </QueryView>
    </AuthPage>
  );
}

function Summary({ invitation }: { readonly invitation: OpenInvitation }) {
  const rows = [
    ['Project', invitation.project],
    [
      'Your role',
      <span key="role" className="capitalize">
        {invitation.role}
      </span>,
    ],
    ['Invited by', invitation.invitedBy],
    ['Expires', <Ago key="expires" at={invitation.expiresAt} />],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
      {rows.map(([term, value]) => (
        <div key={term} className="contents">
          <dt className="text-muted">{term}</dt>
          <dd className="truncate text-right font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface ActionsProps {
  readonly invitation: OpenInvitation;
  readonly secret: string;
}

function Actions({ invitation, secret, user }: ActionsProps & { readonly user: User | null }) {
  const navigate = useNavigate();
  const accept = async (newlySignedIn?: User) => {
    let project: Project;
    try {
      project = await request<Project>('POST', path`/invitations/${secret}/accept`);
    } finally {
      if (newlySignedIn) becomeUser(newlySignedIn);
    }
    await queryClient.invalidateQueries({ queryKey: keys.projects });
    toast(`You have joined “${project.name}”.`);
    await navigate({ to: '/projects/$slug', params: { slug: project.slug }, replace: true });
  };
  if (!user) return <NewMember invitation={invitation} secret={secret} accept={accept} />;
  if (user.email !== invitation.email) return <WrongAccount invitation={invitation} user={user} />;
  return <Accept email={user.email} accept={accept} />;
}

interface AcceptProps {
  readonly email: string;
  readonly accept: () => Promise<void>;
}

function Accept({ email, accept }: AcceptProps) {
  const mutation = useMutation({ mutationFn: accept });
  return (
    <div className="grid gap-4">
      {mutation.error && <Alert tone="negative">{messageOf(mutation.error)}</Alert>}
      <Button variant="primary" pending={mutation.isPending} onClick={() => mutation.mutate()}>
        Accept the invitation
      </Button>
      <p className="text-center text-[0.8125rem] text-muted">You are signed in as {email}.</p>
    </div>
  );
}

function WrongAccount({
  invitation,
  user,
}: Omit<ActionsProps, 'secret'> & { readonly user: User }) {
  const mutation = useMutation({ mutationFn: () => signOut(window.location.pathname) });
  return (
    <div className="grid gap-4">
      <Alert tone="warning">
        This invitation is for <strong>{invitation.email}</strong>, and you are signed in as{' '}
        <strong>{user.email}</strong>.
      </Alert>
      <Button variant="primary" pending={mutation.isPending} onClick={() => mutation.mutate()}>
        Sign out and use the other account
      </Button>
    </div>
  );
}

function NewMember({
  invitation,
  secret,
  accept,
}: ActionsProps & { readonly accept: (user: User) => Promise<void> }) {
  const [hasAccount, setHasAccount] = useState(false);
  const { data } = useQuery(installationQuery);
  // The provider leads back to this page, which then asks to accept.
  const buttons = <ProviderButtons next={window.location.pathname} />;
  if (data && !data.passwords) return buttons;
  return (
    <div className="grid gap-5">
      {buttons}
      {hasAccount ? (
        <SignInForm email={invitation.email} action="Sign in and accept" onSignedIn={accept} />
      ) : (
        <SignUpForm
          invitation={{ email: invitation.email, secret }}
          action="Create account and accept"
          onSignedIn={accept}
        />
      )}
      <p className="text-center text-muted">
        {hasAccount ? 'No account yet? ' : 'You have an account already? '}
        <button type="button" className={TEXT_LINK} onClick={() => setHasAccount(!hasAccount)}>
          {hasAccount ? 'Create one' : 'Sign in'}
        </button>
      </p>
    </div>
  );
}
