import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EmailChange, User } from '../../../server/src/accounts/account.ts';
import { request } from '../api.ts';
import { emailChangeQuery } from '../queries/account.ts';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { deleteAt, showChanged } from '../query-client.ts';
import { CurrentPasswordField } from '../session/credentials-fields.tsx';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/field.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

/** The address of the account: changed by a link to the new one, or by the password where there is no mail. */
export function EmailCard({ user }: { readonly user: User }) {
  const mail = useQuery(installationQuery).data?.mail ?? false;
  const pending = useQuery(emailChangeQuery).data?.pending ?? null;
  const [changes, setChanges] = useState(0);
  const mutation = useMutation({
    mutationFn: ({ email, password }: FormValues) =>
      request<EmailChange>('POST', '/account/email', {
        email,
        ...(user.hasPassword && { password }),
      }),
    onSuccess: (changed) => {
      setChanges(changes + 1);
      showChanged(keys.session, changed.user);
      showChanged(keys.emailChange, changed);
      if (changed.pending === null) toast(`Your address is ${changed.user.email} now.`);
    },
    // A wrong password does not end the session.
    meta: { signsIn: true },
  });
  return (
    <Card
      title="E-mail address"
      description={
        mail
          ? 'You sign in with this address. To change it, open the link that we send to the new address. The old address is notified.'
          : 'You sign in with this address. This installation sends no mail, so a new address is not verified: check the spelling.'
      }
    >
      <div className="grid max-w-95 gap-4">
        {pending && <Pending email={pending.email} expiresAt={pending.expiresAt} />}
        <Form
          key={changes}
          fields={['email', 'password']}
          conflictField="email"
          mutation={mutation}
          className="grid gap-4"
        >
          <TextField
            name="email"
            label="New address"
            type="email"
            autoComplete="email"
            required
            maxLength={254}
            placeholder={user.email}
          />
          {user.hasPassword && <CurrentPasswordField label="Your password" />}
          <div>
            <SubmitButton>{mail ? 'Mail me a link' : 'Change the address'}</SubmitButton>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function Pending({ email, expiresAt }: NonNullable<EmailChange['pending']>) {
  return (
    <Alert>
      <p>
        A link is on its way to <strong>{email}</strong>. It ends <Ago at={expiresAt} />.
      </p>
      <ConfirmedButton
        title="Keep your address?"
        description={`The link that ${email} got stops working.`}
        action="Keep my address"
        run={() => deleteAt('/account/email', keys.emailChange, 'Your address stays.')}
      />
    </Alert>
  );
}
