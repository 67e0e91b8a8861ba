import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AccountLink } from '../../../server/src/accounts/account.ts';
import { request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { CheckBox } from '../ui/check-box.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { AccountLinkPage } from './account-link.tsx';
import { EmailField, NewPasswordField } from './credentials-fields.tsx';

export function ResetPasswordPage() {
  return (
    <AccountLinkPage title="Set a new password" kind="password">
      {(link, secret) => <ResetForm link={link} secret={secret} />}
    </AccountLinkPage>
  );
}

function ResetForm({ link, secret }: { readonly link: AccountLink; readonly secret: string }) {
  const navigate = useNavigate();
  const [revokeTokens, setRevoke] = useState(false);
  const mutation = useMutation({
    mutationFn: ({ password }: FormValues) =>
      request('POST', '/account-links/password', { secret, password, revokeTokens }),
    onSuccess: async () => {
      toast('Your password is set. Sign in with it.');
      // The session of this browser may have been one of those that ended.
      await queryClient.invalidateQueries({ queryKey: keys.session });
      await navigate({ to: '/sign-in', replace: true });
    },
  });
  return (
    <Form fields={['password']} mutation={mutation}>
      <EmailField fixed={link.email} />
      <NewPasswordField label="New password" />
      <CheckBox
        label="Revoke my API tokens, too"
        hint="If somebody else may have been in your account."
        checked={revokeTokens}
        onChange={setRevoke}
      />
      <SubmitButton variant="primary">Set the password</SubmitButton>
    </Form>
  );
}
