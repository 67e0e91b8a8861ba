import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiToken } from '../../../server/src/accounts/account.ts';
import { request } from '../api.ts';
import { accountTokensQuery, keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { CurrentPasswordField, NewPasswordField } from '../session/credentials-fields.tsx';
import { useUser } from '../session/session.ts';
import { Card } from '../ui/card.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

export function PasswordCard() {
  const { email } = useUser();
  const tokens = useQuery(accountTokensQuery).data?.filter(isUnexpired).length;
  const [revokeTokens, setRevoke] = useState(false);
  const [changes, setChanges] = useState(0);
  const mutation = useMutation({
    mutationFn: ({ current, next }: FormValues) =>
      request('POST', '/account/password', { current, next, revokeTokens }),
    onSuccess: () => {
      setChanges(changes + 1);
      setRevoke(false);
      void queryClient.invalidateQueries({ queryKey: keys.sessions });
      void queryClient.invalidateQueries({ queryKey: keys.accountTokens });
      toast(
        revokeTokens
          ? 'Your password is changed. Your other sessions and your API tokens have ended.'
          : 'Your password is changed, and your other sessions have ended.',
      );
    },
    // A wrong current password may be a 401, and does not end the session.
    meta: { signsIn: true },
  });
  return (
    <Card
      title="Password"
      description="Changing it ends all your other sessions. API tokens go on working, unless you revoke them."
    >
      <Form
        // Emptied after each change.
        key={changes}
        fields={['current', 'next']}
        mutation={mutation}
        className="grid max-w-95 gap-4"
      >
        {/* So that password managers know whose it is. */}
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <CurrentPasswordField name="current" label="Current password" />
        <NewPasswordField name="next" label="New password" />
        {tokens !== undefined && tokens > 0 && (
          <CheckBox
            label={
              tokens === 1 ? 'Revoke my API token, too' : `Revoke my ${tokens} API tokens, too`
            }
            hint="Otherwise programs that have one go on as before."
            checked={revokeTokens}
            onChange={setRevoke}
          />
        )}
        <div>
          <SubmitButton>Change the password</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}

function isUnexpired({ expiresAt }: ApiToken): boolean {
  return expiresAt === null || Date.parse(expiresAt) > Date.now();
}
