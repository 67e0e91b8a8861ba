import { useId } from 'react';
import type { RepositoryAccess } from '../../../server/src/repositories/repository.ts';
import { TextField } from '../ui/field.tsx';
import { Step } from './host-steps.tsx';

const WAYS: readonly { access: RepositoryAccess; label: string; hint: string }[] = [
  { access: 'none', label: 'Public', hint: 'Everybody may read it.' },
  {
    access: 'deploy_key',
    label: 'Deploy key',
    hint: 'The dashboard makes a key, and you add its public half at the host. It can read this repository and nothing else.',
  },
  {
    access: 'token',
    label: 'Access token',
    hint: 'You make a token at the host. The host can then show the state of each commit, too.',
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
  const id = useId();
  return (
    <>
      <fieldset className="grid min-w-0 gap-2.5">
        <legend className="mb-2 font-medium">How may the dashboard read it?</legend>
        {WAYS.map((way) => (
          <label key={way.access} className="flex items-start gap-2.5">
            <input
              type="radio"
              name={id}
              checked={access === way.access}
              onChange={() => onChange(way.access)}
              aria-labelledby={`${id}-${way.access}`}
              aria-describedby={`${id}-${way.access}-hint`}
              className="mt-[3px] size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              <span id={`${id}-${way.access}`}>{way.label}</span>
              <span id={`${id}-${way.access}-hint`} className="block text-[0.8125rem] text-muted">
                {way.hint}
              </span>
            </span>
          </label>
        ))}
        {typed.trim() !== '' && address !== typed.trim() && (
          <p className="wrap-anywhere text-[0.8125rem] text-muted">
            It is fetched from <code className="font-mono">{address}</code>.
          </p>
        )}
      </fieldset>
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
