import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { AccountLinkPage } from './account-link.tsx';

/** Confirms a new address by a click: programs that look at links in mails only read. */
export function ConfirmEmailPage() {
  const navigate = useNavigate();
  return (
    <AccountLinkPage title="Confirm your address" kind="email">
      {({ email }, secret) => (
        <ConfirmForm
          email={email}
          secret={secret}
          onDone={async () => {
            toast(`Your address is ${email} now.`);
            await queryClient.invalidateQueries();
            await navigate({ to: '/', replace: true });
          }}
        />
      )}
    </AccountLinkPage>
  );
}

interface ConfirmFormProps {
  readonly email: string;
  readonly secret: string;
  readonly onDone: () => Promise<void>;
}

function ConfirmForm({ email, secret, onDone }: ConfirmFormProps) {
  const mutation = useMutation({
    mutationFn: (_: FormValues) => request('POST', '/account-links/email', { secret }),
    onSuccess: onDone,
  });
  return (
    <Form mutation={mutation}>
      <p className="break-words">
        Your account is to have the address <strong className="font-medium">{email}</strong>. You
        sign in with it from then on.
      </p>
      <SubmitButton variant="primary">Confirm the address</SubmitButton>
    </Form>
  );
}
