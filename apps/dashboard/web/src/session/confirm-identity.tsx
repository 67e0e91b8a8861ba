import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Confirmation } from '../../../server/src/accounts/factors/factor.ts';
import { messageOf, request, setAskToConfirm } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { Dialog } from '../ui/form-dialog.tsx';
import { Building, KeyRound } from '../ui/icons.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { CurrentPasswordField } from './credentials-fields.tsx';
import { hasPasskeys, PasskeyAborted, signWithPasskey } from './passkeys.ts';
import { goToConfirm } from './provider.ts';
import { signOut } from './session.ts';

const PATH = '/session/confirmation';

/**
 * Asks who sits there, in front of whatever they do, when the server wants it for a sensitive change. What they began is
 * sent again then (api.ts), or says that it was not done.
 */
export function ConfirmIdentity() {
  const [isOpen, setOpen] = useState(false);
  // Everything that waits for the one answer.
  const waiting = useRef<((isConfirmed: boolean) => void)[]>([]);
  const answer = (isConfirmed: boolean) => {
    setOpen(false);
    for (const tell of waiting.current.splice(0)) tell(isConfirmed);
  };
  useEffect(() => {
    setAskToConfirm(() => {
      setOpen(true);
      return new Promise((resolve) => {
        waiting.current.push(resolve);
      });
    });
  }, []);
  return (
    <Dialog
      title="Confirm that it is you"
      description="You are about to change something sensitive, and signed in a while ago."
      open={isOpen}
      onOpenChange={(open) => !open && answer(false)}
    >
      <Ways onConfirmed={() => answer(true)} onCancel={() => answer(false)} />
    </Dialog>
  );
}

interface WaysProps {
  readonly onConfirmed: () => void;
  readonly onCancel: () => void;
}

function Ways({ onConfirmed, onCancel }: WaysProps) {
  const query = useQuery({
    queryKey: ['confirmation'],
    queryFn: () => request<Confirmation>('GET', PATH),
    gcTime: 0,
  });
  const password = useMutation({
    mutationFn: ({ password: typed = '' }: FormValues) =>
      request('POST', PATH, { password: typed }),
    onSuccess: onConfirmed,
    meta: { signsIn: true },
  });
  const passkey = useMutation({
    mutationFn: () => signWithPasskey(`${PATH}/passkey`),
    onSuccess: onConfirmed,
    meta: { signsIn: true },
  });
  const provider = useMutation({ mutationFn: goToConfirm });
  const error = passkey.error ?? provider.error;
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-32" />}>
      {({ ways, providers }) => (
        <div className="grid gap-5">
          {error && !(error instanceof PasskeyAborted) && (
            <Alert tone="negative">{messageOf(error)}</Alert>
          )}
          {ways.includes('passkey') && hasPasskeys() && (
            <Button pending={passkey.isPending} onClick={() => passkey.mutate()}>
              <KeyRound />
              Use a passkey
            </Button>
          )}
          {providers.map(({ id, name }) => (
            <Button
              key={id}
              pending={(provider.isPending || provider.isSuccess) && provider.variables === id}
              onClick={() => provider.mutate(id)}
            >
              <Building />
              <span className="min-w-0 truncate">Confirm with {name}, and come back</span>
            </Button>
          ))}
          {ways.includes('password') ? (
            <Form mutation={password} fields={['password']}>
              <CurrentPasswordField />
              <div className="flex flex-wrap justify-end gap-2">
                <Button onClick={onCancel}>Cancel</Button>
                <SubmitButton variant="primary">Confirm</SubmitButton>
              </div>
            </Form>
          ) : (
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={onCancel}>Cancel</Button>
              {ways.length + providers.length === 0 && <SignInAgain />}
            </div>
          )}
        </div>
      )}
    </QueryView>
  );
}

/** For an account that signs in by a provider alone: a new session is as good. */
function SignInAgain() {
  const mutation = useMutation({
    mutationFn: () => {
      const { pathname, search } = window.location;
      return signOut(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
    },
  });
  return (
    <Button variant="primary" pending={mutation.isPending} onClick={() => mutation.mutate()}>
      Sign in again
    </Button>
  );
}
