import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PendingSignIn, User } from '../../../server/src/accounts/account.ts';
import { ApiError, hasStatus, request } from '../api.ts';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { EmailField, NewPasswordField, PersonNameField } from './credentials-fields.tsx';
import { PendingStep } from './pending-step.tsx';
import { isPending, signIn } from './session.ts';

interface SignUpFormProps {
  /** The address and the secret of an invitation. */
  readonly invitation?: { readonly email: string; readonly secret: string };
  readonly action?: string;
  readonly onSignedIn: (user: User) => Promise<void> | void;
}

export function SignUpForm({ invitation, action = 'Create account', onSignedIn }: SignUpFormProps) {
  const [pending, setPending] = useState<PendingSignIn>();
  const mutation = useMutation({
    mutationFn: async (values: FormValues) => {
      const { name = '', password = '' } = values;
      const email = invitation?.email ?? values.email ?? '';
      await request('POST', '/sign-up', {
        name,
        email,
        password,
        ...(invitation && { invitation: invitation.secret }),
      });
      const outcome = await signIn({ email, password }).catch(explain);
      if (isPending(outcome)) setPending(outcome);
      else await onSignedIn(outcome);
    },
    meta: { signsIn: true },
  });
  if (pending) {
    return (
      <PendingStep
        pending={pending}
        onEnded={() => setPending(undefined)}
        onSignedIn={onSignedIn}
      />
    );
  }
  return (
    <Form fields={['email', 'password', 'name']} mutation={mutation}>
      <EmailField fixed={invitation?.email} />
      <PersonNameField />
      <NewPasswordField />
      <SubmitButton variant="primary">{action}</SubmitButton>
    </Form>
  );
}

/** The server does not say whether an address has an account; only its owner can find out, by signing in. */
function explain(error: unknown): never {
  if (!hasStatus(error, 401)) throw error;
  throw new ApiError({
    code: 'unauthorized',
    status: 401,
    message:
      'You could not be signed in. If this address has an account already, sign in with its password instead.',
  });
}
