import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PendingSignIn, User } from '../../../server/src/accounts/account.ts';
import { pendingSignInQuery } from '../queries/account.ts';
import { showChanged } from '../query-client.ts';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { CurrentPasswordField, EmailField } from './credentials-fields.tsx';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { PendingStep } from './pending-step.tsx';
import { isPending, signIn } from './session.ts';

interface SignInFormProps {
  /** The only address that may sign in here. */
  readonly email?: string;
  readonly action?: string;
  /** A sign-in that is under way in this browser. */
  readonly underWay?: PendingSignIn | null | undefined;
  /** Awaited before the form counts as done. */
  readonly onSignedIn: (user: User) => Promise<void> | void;
}

/** The password or a passkey, and then what else the account is asked for. */
export function SignInForm({
  email,
  action = 'Sign in',
  underWay = null,
  onSignedIn,
}: SignInFormProps) {
  const [pending, setPending] = useState(underWay);
  // The page around it leaves out what is for those who have not begun.
  const change = (next: PendingSignIn | null) => {
    showChanged(pendingSignInQuery.queryKey, next);
    setPending(next);
  };
  const mutation = useMutation({
    mutationFn: async (values: FormValues) => {
      const outcome = await signIn({
        email: email ?? values.email ?? '',
        password: values.password ?? '',
      });
      if (isPending(outcome)) change(outcome);
      else await onSignedIn(outcome);
    },
    meta: { signsIn: true },
  });
  if (pending) {
    return <PendingStep pending={pending} onEnded={() => change(null)} onSignedIn={onSignedIn} />;
  }
  return (
    <div className="grid gap-5">
      <Form fields={['email', 'password']} mutation={mutation}>
        <EmailField fixed={email} />
        <CurrentPasswordField />
        <SubmitButton variant="primary">{action}</SubmitButton>
      </Form>
      <PasskeySignIn onSignedIn={onSignedIn} />
    </div>
  );
}
