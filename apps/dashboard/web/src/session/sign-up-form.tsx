import { useMutation } from '@tanstack/react-query';
import type { User } from '../../../server/src/accounts/account.ts';
import { ApiError, hasStatus, request } from '../api.ts';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { EmailField, NewPasswordField, PersonNameField } from './credentials-fields.tsx';
import { signIn } from './session.ts';

interface SignUpFormProps {
  /** The address and the secret of an invitation. */
  readonly invitation?: { readonly email: string; readonly secret: string };
  readonly action?: string;
  readonly onSignedIn: (user: User) => Promise<void> | void;
}

export function SignUpForm({ invitation, action = 'Create account', onSignedIn }: SignUpFormProps) {
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
      await onSignedIn(await signIn({ email, password }).catch(explain));
    },
    meta: { signsIn: true },
  });
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
