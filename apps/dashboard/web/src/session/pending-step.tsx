import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { PendingSignIn, User } from '../../../server/src/accounts/account.ts';
import { messageOf, request } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { KeyRound } from '../ui/icons.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { CodeField } from './code-field.tsx';
import { endIfOver } from './end-if-over.ts';
import { PasskeyAborted, signWithPasskey } from './passkeys.ts';
import { SetUpStep } from './set-up-step.tsx';

interface PendingStepProps {
  readonly pending: PendingSignIn;
  /** It has ended without a session, by itself or because somebody gave it up. */
  readonly onEnded: () => void;
  readonly onSignedIn: (user: User) => Promise<void> | void;
}

type Way = PendingSignIn['ways'][number];

const PATH = '/session/second-factor';

/** The second step of a sign-in. */
export function PendingStep({ pending, onEnded, onSignedIn }: PendingStepProps) {
  const [chosen, setWay] = useState<Way>();
  const giveUp = useMutation({
    mutationFn: () => request('DELETE', '/session/pending'),
    onSettled: onEnded,
  });
  const way = chosen ?? pending.ways[0];
  return (
    <div className="grid gap-5">
      <p className="text-center text-muted">
        As <span className="break-all font-medium text-ink">{pending.email}</span>
      </p>
      {pending.next === 'set_up' ? (
        <SetUpStep pending={pending} onEnded={onEnded} onSignedIn={onSignedIn} />
      ) : way === undefined ? (
        <Lost />
      ) : (
        <WayForm key={way} way={way} onEnded={onEnded} onSignedIn={onSignedIn} />
      )}
      <ul className="grid gap-1.5 text-center text-[0.8125rem]">
        {pending.ways
          .filter((other) => other !== way)
          .map((other) => (
            <li key={other}>
              <button type="button" className={TEXT_LINK} onClick={() => setWay(other)}>
                {OTHER_WAYS[other]}
              </button>
            </li>
          ))}
        <li>
          <button
            type="button"
            className="text-muted underline-offset-2 hover:underline"
            onClick={() => giveUp.mutate()}
          >
            Sign in as someone else
          </button>
        </li>
      </ul>
    </div>
  );
}

const OTHER_WAYS: Record<Way, string> = {
  passkey: 'Use a passkey',
  code: 'Use the code of your authenticator app',
  recovery_code: 'Use a recovery code',
};

function Lost(): ReactNode {
  return (
    <Alert tone="warning">
      Your account has passkeys of another address of this dashboard, and nothing else. Whoever runs
      it can help: <code className="font-mono text-xs">dashboard users reset-factors</code>
    </Alert>
  );
}

function WayForm({
  way,
  onEnded,
  onSignedIn,
}: Pick<PendingStepProps, 'onEnded' | 'onSignedIn'> & { readonly way: Way }) {
  const finish = async (values: FormValues) => {
    if (way === 'passkey') return signWithPasskey<User>(`${PATH}/passkey`);
    const path = way === 'code' ? `${PATH}/code` : `${PATH}/recovery-code`;
    return request<User>('POST', path, { code: (values.code ?? '').trim() });
  };
  const mutation = useMutation({
    mutationFn: async (values: FormValues) => onSignedIn(await finish(values)),
    onError: (error) => endIfOver(error, onEnded),
    meta: { signsIn: true },
  });
  if (way === 'passkey') {
    const { error } = mutation;
    return (
      <div className="grid gap-4">
        {error && !(error instanceof PasskeyAborted) && (
          <Alert tone="negative">{messageOf(error)}</Alert>
        )}
        <Button variant="primary" pending={mutation.isPending} onClick={() => mutation.mutate({})}>
          <KeyRound />
          Continue with a passkey
        </Button>
      </div>
    );
  }
  return (
    <Form mutation={mutation} fields={['code']}>
      {way === 'code' ? (
        <CodeField hint="The six digits that your authenticator app shows." />
      ) : (
        <TextField
          name="code"
          label="Recovery code"
          hint="One of the ten that you saved. Each works once."
          autoComplete="off"
          autoCapitalize="none"
          autoFocus
          required
          maxLength={60}
          placeholder="abcd-efgh-ijkl-mnop"
        />
      )}
      <SubmitButton variant="primary">Continue</SubmitButton>
    </Form>
  );
}
