import type { RepositoryAccess } from '../../../server/src/repositories/repository.ts';
import { TextField } from '../ui/field.tsx';
import { RadioField } from '../ui/radio-field.tsx';
import { Step } from './host-steps.tsx';

const WAYS: readonly { value: RepositoryAccess; label: string; hint: string }[] = [
  { value: 'none', label: 'Public', hint: 'Everybody may read it.' },
  {
    value: 'deploy_key',
    label: 'Deploy key',
    hint: 'The dashboard makes a key, and you add its public half at the host. It can read this repository and nothing else.',
  },
  {
    value: 'token',
    label: 'Access token',
    hint: 'You make a token at the host. The host can then show the status of each commit, too.',
  },
];

interface AccessFieldProps {
  readonly access: RepositoryAccess;
  readonly onChange: (access: RepositoryAccess) => void;
  readonly typed: string;
  /** The address that will be used. */
  readonly address: string;
  /** Which token the host has for this; undefined where nobody knows. */
  readonly token: string | undefined;
  /** There is a token already. */
  readonly hasToken: boolean;
  /** undefined: the host wants none. */
  readonly username: string | undefined;
}

/** Chooses how the dashboard may read the repository. */
export function AccessField({
  access,
  onChange,
  typed,
  address,
  token,
  hasToken,
  username,
}: AccessFieldProps) {
  return (
    <>
      <RadioField
        legend="How may the dashboard read it?"
        options={WAYS}
        value={access}
        onChange={onChange}
      />
      {typed.trim() !== '' && address !== typed.trim() && (
        <p className="wrap-anywhere text-[0.8125rem] text-muted">
          It is fetched from <code className="font-mono">{address}</code>.
        </p>
      )}
      {access === 'token' && (
        <>
          <TextField
            name="token"
            label="Token"
            type="password"
            required={!hasToken}
            autoComplete="off"
            maxLength={4096}
            placeholder={hasToken ? 'As it is' : undefined}
            hint={token ? <Step>{token}</Step> : 'One that may read the repository.'}
          />
          {username !== undefined && (
            <TextField
              name="username"
              label="User of the token"
              defaultValue={username}
              autoComplete="off"
              autoCapitalize="none"
              maxLength={255}
              hint="Only where the host wants one."
            />
          )}
        </>
      )}
    </>
  );
}
