import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OpenLink } from '../../../server/src/oidc/sign-in.ts';
import { hasStatus, request } from '../api.ts';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { AuthPage } from './auth-page.tsx';
import { CurrentPasswordField, EmailField } from './credentials-fields.tsx';
import { confirmLink } from './provider.ts';

const openLinkQuery = queryOptions({
  queryKey: ['open link'],
  queryFn: ({ signal }) => request<OpenLink>('GET', '/oidc/pending-link', undefined, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Somebody has signed in with a provider, and the address has an account: its password says that it is theirs. */
export function LinkAccountPage() {
  const query = useQuery(openLinkQuery);
  if (hasStatus(query.error, 404)) return <Ended />;
  return (
    <AuthPage
      title="Is this account yours?"
      description={query.data && `${query.data.email} has an account here already.`}
      footer={
        <Link to="/sign-in" className={TEXT_LINK}>
          Back to the sign-in page
        </Link>
      }
    >
      <QueryView query={query} skeleton={<Skeleton className="h-44" />}>
        {(open) => <LinkForm open={open} />}
      </QueryView>
    </AuthPage>
  );
}

function LinkForm({ open }: { readonly open: OpenLink }) {
  const mutation = useMutation({
    mutationFn: ({ password = '' }: FormValues) => confirmLink(password),
    meta: { signsIn: true },
  });
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="text-muted">
        Enter its password this once. From then on you sign in with {open.provider}.
      </p>
      <Form fields={['email', 'password']} mutation={mutation}>
        <EmailField fixed={open.email} />
        <CurrentPasswordField />
        <SubmitButton variant="primary">Link with {open.provider}</SubmitButton>
      </Form>
      <p className="text-[0.8125rem] text-muted">
        Forgot it? Sign in another way, then link {open.provider} under Account, Security. Whoever
        runs this dashboard can make a link to sign in.
      </p>
    </div>
  );
}

function Ended() {
  return (
    <AuthPage
      title="This sign-in has ended"
      footer={
        <Link to="/sign-in" className={TEXT_LINK}>
          Begin again
        </Link>
      }
    >
      <p className="text-muted">It took longer than ten minutes, or was finished already.</p>
    </AuthPage>
  );
}
