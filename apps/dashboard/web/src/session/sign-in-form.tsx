import { useMutation } from '@tanstack/react-query';
import type { User } from '../../../server/src/accounts/account.ts';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { CurrentPasswordField, EmailField } from './credentials-fields.tsx';
import { signIn } from './session.ts';

interface SignInFormProps {
  /** The only address that may sign in here. */
  readonly email?: string;
  readonly action?: string;
  /** Awaited before the form counts as done. */
  readonly onSignedIn: (user: User) => Promise<void> | void;
}

export function SignInForm({ email, action = 'Sign in', onSignedIn }: SignInFormProps) {
  const mutation = useMutation({
    mutationFn: async (values: FormValues) =>
      onSignedIn(
        await signIn({ email: email ?? values.email ?? '', password: values.password ?? '' }),
      ),
    meta: { signsIn: true },
  });
  return (
    <Form fields={['email', 'password']} mutation={mutation}>
      <EmailField fixed={email} />
      <CurrentPasswordField />
      <SubmitButton variant="primary">{action}</SubmitButton>
    </Form>
  );
}
