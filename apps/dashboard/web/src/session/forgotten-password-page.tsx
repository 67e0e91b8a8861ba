import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { request } from '../api.ts';
import { installationQuery } from '../queries/installation.ts';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { AuthPage } from './auth-page.tsx';
import { EmailField } from './credentials-fields.tsx';

/** For people who cannot sign in: a link by mail, or whom to ask for one. */
export function ForgottenPasswordPage() {
  const installation = useQuery(installationQuery);
  return (
    <AuthPage
      title="Set a new password"
      footer={
        <Link to="/sign-in" className={TEXT_LINK}>
          Back to sign in
        </Link>
      }
    >
      <QueryView query={installation} skeleton={<Skeleton className="h-32" />}>
        {({ mail }) => (mail ? <AskForLink /> : <AskTheOwner />)}
      </QueryView>
    </AuthPage>
  );
}

function AskForLink() {
  const mutation = useMutation({
    mutationFn: ({ email }: FormValues) => request('POST', '/forgotten-password', { email }),
  });
  if (mutation.isSuccess) {
    return (
      <div role="status" className="grid gap-2">
        <p className="font-medium">Check your e-mail.</p>
        <p className="text-muted">
          If {mutation.variables.email} has an account here, a link is on its way. It works once,
          for an hour. Nothing there? Check your spam folder, or ask the owner of this installation.
        </p>
      </div>
    );
  }
  return (
    <Form fields={['email']} mutation={mutation}>
      <EmailField fixed={undefined} />
      <SubmitButton variant="primary">Mail me a link</SubmitButton>
    </Form>
  );
}

function AskTheOwner() {
  return (
    <div className="grid gap-2">
      <p className="font-medium">Ask the owner of this installation.</p>
      <p className="text-muted">
        It sends no mail. Its owner makes a link for you: in Installation, under People. Whoever
        runs the server can set a password, too:{' '}
        <code className="font-mono text-xs">dashboard users set-password</code>
      </p>
    </div>
  );
}
