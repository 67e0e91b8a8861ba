import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PendingSignIn, User } from '../../../server/src/accounts/account.ts';
import type { SetUpAndSignedIn } from '../../../server/src/accounts/factors/factor.ts';
import { messageOf } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { KeyRound, Smartphone } from '../ui/icons.tsx';
import { AppSetUp } from './app-set-up.tsx';
import { endIfOver } from './end-if-over.ts';
import { hasPasskeys, makePasskey, PasskeyAborted } from './passkeys.ts';
import { RecoveryCodeList } from './recovery-code-list.tsx';

interface SetUpStepProps {
  readonly pending: PendingSignIn;
  readonly onEnded: () => void;
  readonly onSignedIn: (user: User) => Promise<void> | void;
}

const PATH = '/session/set-up';

/** The first factor of someone who must have one: until then they have no session. */
export function SetUpStep({ pending, onEnded, onSignedIn }: SetUpStepProps) {
  const [withApp, setWithApp] = useState(false);
  const [done, setDone] = useState<SetUpAndSignedIn>();
  const passkey = useMutation({
    mutationFn: () => makePasskey<SetUpAndSignedIn>(`${PATH}/passkey`),
    onSuccess: setDone,
    onError: (error) => endIfOver(error, onEnded),
    meta: { signsIn: true },
  });
  if (done) {
    return (
      <div className="grid gap-5">
        <p className="font-medium">Save your recovery codes</p>
        <RecoveryCodeList codes={done.recoveryCodes ?? []} email={done.user.email} />
        <Button variant="primary" onClick={() => void onSignedIn(done.user)}>
          I have saved them
        </Button>
      </div>
    );
  }
  if (withApp) {
    return (
      <AppSetUp<SetUpAndSignedIn>
        path={`${PATH}/authenticator-app`}
        method="POST"
        action="Finish"
        onDone={setDone}
        onFailed={(error) => endIfOver(error, onEnded)}
      />
    );
  }
  const offersPasskey = pending.passkeys && hasPasskeys();
  return (
    <div className="grid gap-4">
      <div>
        <p className="font-medium">This installation requires a second factor.</p>
        <p className="text-muted">
          Set one up now; you are asked for it whenever you sign in, and can add more later.
        </p>
      </div>
      {passkey.error && !(passkey.error instanceof PasskeyAborted) && (
        <Alert tone="negative">{messageOf(passkey.error)}</Alert>
      )}
      {offersPasskey && (
        <Button variant="primary" pending={passkey.isPending} onClick={() => passkey.mutate()}>
          <KeyRound />
          Add a passkey
        </Button>
      )}
      <Button variant={offersPasskey ? 'secondary' : 'primary'} onClick={() => setWithApp(true)}>
        <Smartphone />
        Use an authenticator app
      </Button>
    </div>
  );
}
