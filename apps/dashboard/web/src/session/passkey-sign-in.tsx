import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { User } from '../../../server/src/accounts/account.ts';
import { ApiError, messageOf } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { KeyRound } from '../ui/icons.tsx';
import {
  hasPasskeys,
  offersPasskeysInFields,
  PasskeyAborted,
  signWithPasskey,
  stopWaiting,
} from './passkeys.ts';

const PATH = '/session/passkey';

interface PasskeySignInProps {
  readonly onSignedIn: (user: User) => Promise<void> | void;
}

/** Signs in with a passkey: by a button, or where the browser offers one in the field of the address. */
export function PasskeySignIn({ onSignedIn }: PasskeySignInProps) {
  const mutation = useMutation({
    mutationFn: async () => onSignedIn(await signWithPasskey<User>(PATH)),
    meta: { signsIn: true },
  });
  const { error } = mutation;
  const refusal = useFieldOffer(onSignedIn, error ? mutation.submittedAt : undefined);
  if (!hasPasskeys()) return null;
  const problem = error instanceof PasskeyAborted ? undefined : error ? messageOf(error) : refusal;
  return (
    <div className="grid gap-4">
      <div aria-hidden className="flex items-center gap-3 text-[0.8125rem] text-muted">
        <span className="h-px flex-1 bg-line" />
        or
        <span className="h-px flex-1 bg-line" />
      </div>
      {problem !== undefined && <Alert tone="negative">{problem}</Alert>}
      <Button pending={mutation.isPending} onClick={() => mutation.mutate()}>
        <KeyRound />
        Sign in with a passkey
      </Button>
    </div>
  );
}

/** What a passkey is asked for expires (webauthn.ts of the server); the wait begins anew before. */
const WAIT_MS = 4 * 60_000;

/**
 * Offers passkeys in the field of the address while the form is shown, again after a use of the button that failed. A
 * refusal is told; what else ends a wait was not asked for by anybody.
 */
function useFieldOffer(
  onSignedIn: PasskeySignInProps['onSignedIn'],
  failedAt: number | undefined,
): string | undefined {
  const done = useRef(onSignedIn);
  done.current = onSignedIn;
  const [round, setRound] = useState(0);
  const [refusal, setRefusal] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure and each round begins a new wait.
  useEffect(() => {
    let isShown = true;
    void (async () => {
      if (!(await offersPasskeysInFields()) || !isShown) return;
      const user = await signWithPasskey<User>(PATH, { inFields: true });
      if (isShown) await done.current(user);
    })().catch((error) => {
      if (isShown && error instanceof ApiError && error.status === 401) {
        setRefusal(error.message);
        setRound((before) => before + 1);
      }
    });
    const timer = setTimeout(() => setRound((before) => before + 1), WAIT_MS);
    return () => {
      isShown = false;
      clearTimeout(timer);
      stopWaiting();
    };
  }, [failedAt, round]);
  return refusal;
}
