import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { User } from '../../../server/src/accounts/account.ts';
import { request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { showChanged } from '../query-client.ts';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { toast } from '../ui/toasts.tsx';
import { AuthPage } from './auth-page.tsx';
import { EmailField, NewPasswordField, PersonNameField } from './credentials-fields.tsx';

/** Kept until the browser is closed: who said “later” is asked at the next sign-in. */
const LATER = 'dashboard-claim-later';

/** The pages of an account that is somebody's. The account of a first start is asked for an owner before. */
export function ClaimedAccount({
  user,
  children,
}: {
  readonly user: User;
  readonly children: ReactNode;
}) {
  const [isLater, setLater] = useState(() => sessionStorage.getItem(LATER) === user.id);
  if (!user.isProvisional || isLater) return children;
  const later = () => {
    sessionStorage.setItem(LATER, user.id);
    setLater(true);
  };
  return <ClaimPage user={user} onLater={later} />;
}

function ClaimPage({ user, onLater }: { readonly user: User; readonly onLater: () => void }) {
  const mutation = useMutation({
    mutationFn: ({ name = '', email, password }: FormValues) =>
      request<User>('POST', '/account/claim', { name: name.trim(), email, password }),
    onSuccess: (changed) => {
      showChanged(keys.session, changed);
      toast('The account is yours.');
    },
  });
  return (
    <AuthPage
      title="Make this account yours"
      description={`${user.email} was made by the first start, and its password stood on a terminal. Choose your own.`}
      footer={
        <button type="button" className={TEXT_LINK} onClick={onLater}>
          Later
        </button>
      }
    >
      <Form fields={['name', 'email', 'password']} conflictField="email" mutation={mutation}>
        <PersonNameField />
        <EmailField fixed={undefined} />
        <NewPasswordField />
        <SubmitButton variant="primary">Save and go on</SubmitButton>
      </Form>
    </AuthPage>
  );
}
