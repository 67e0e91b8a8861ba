import { useState } from 'react';
import type { CreatedToken } from '../../../server/src/accounts/account.ts';
import type { Scope } from '../../../server/src/accounts/permissions.ts';
import { request } from '../api.ts';
import type { accountTokensQuery } from '../queries/tokens.ts';
import { queryClient } from '../query-client.ts';
import { useUser } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { CopyField } from '../ui/copy.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Plus } from '../ui/icons.tsx';
import { scopeChoices, scopesInWords } from './scopes.ts';

/** Whose tokens: the account's or a project's. */
export interface TokensPlace {
  /** Below `/api`. */
  readonly path: string;
  readonly query: typeof accountTokensQuery;
  /** A user's own list shows each token's project; a project's list shows each token's owner. */
  readonly isForProject: boolean;
}

const NO_END = 'never';
const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: NO_END, label: 'Never' },
] as const;

const DEFAULT_SCOPES: readonly Scope[] = ['read', 'deploy'];

/** Creates a token, then shows it this once. */
export function NewTokenDialog({ where }: { readonly where: TokensPlace }) {
  const { isInstallationOwner } = useUser();
  const [scopes, setScopes] = useState(DEFAULT_SCOPES);
  return (
    <FormDialog
      trigger={
        <Button variant="primary">
          <Plus />
          New token
        </Button>
      }
      onOpen={() => setScopes(DEFAULT_SCOPES)}
      title="New token"
      description="It does what you may do, as far as you allow it here. Give it a name that says where it is used."
      fields={['name']}
      action="Create the token"
      run={({ name = '', expires = NO_END }) =>
        request<CreatedToken>('POST', where.path, {
          name: name.trim(),
          scopes,
          ...(expires !== NO_END && { expiresInDays: Number(expires) }),
        })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: where.query.queryKey })}
      result={(created) => ({
        title: 'Copy the token now',
        description: `It is shown this once: only its fingerprint is kept. Anyone who has it may ${scopesInWords(created.scopes)}, as far as you may.`,
        content: <CopyField value={created.token} what="token" />,
        close: 'I have copied it',
      })}
    >
      <TextField
        name="name"
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        placeholder="Build server"
      />
      <fieldset className="grid gap-3">
        <legend className="mb-2 font-medium">It may</legend>
        {scopeChoices(where.isForProject, isInstallationOwner).map(({ scope, label, hint }) => (
          <CheckBox
            key={scope}
            label={label}
            hint={hint}
            checked={scopes.includes(scope)}
            disabled={scope === 'read'}
            onChange={(isChosen) =>
              setScopes(isChosen ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
        ))}
      </fieldset>
      <SelectField
        name="expires"
        label="Expires"
        options={EXPIRIES}
        defaultValue="90"
        hint="Programs that use it stop working then."
      />
    </FormDialog>
  );
}
