import { useMutation } from '@tanstack/react-query';
import type { User } from '../../../server/src/accounts/account.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { CurrentPasswordField, EmailField } from './credentials-fields.tsx';
import { signIn } from './session.ts';

interface SignInFormProps {
  /** The one address that may sign in here. */
  readonly email?: string;
  readonly action?: string;
  /** Awaited before the form is done. */
  readonly onSignedIn: (user: User) => Promise<void> | void;
}

export function SignInForm({ email, action = 'Sign in', onSignedIn }: SignInFormProps) {
  const mutation = useMutation({
    mutationFn: async (values: Record<string, string>) =>
      onSignedIn(
        await signIn({ email: email ?? values.email ?? '', password: values.password ?? '' }),
      ),
    meta: { signsIn: true },
  });
  return (
    <Form fields={['email', 'password']} error={mutation.error} onSubmit={mutation.mutate}>
      <EmailField {...(email !== undefined && { fixed: email })} />
      <CurrentPasswordField />
      <Button type="submit" variant="primary" pending={mutation.isPending}>
        {action}
      </Button>
    </Form>
  );
}
