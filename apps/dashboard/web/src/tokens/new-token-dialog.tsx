import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeToken } from '../../../server/src/accounts/account.ts';
import type { Scope } from '../../../server/src/accounts/permissions.ts';
import { request } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { useUser } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { CopyField } from '../ui/copy.tsx';
import { Dialog, DialogActions, DialogClose } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Plus } from '../ui/icons.tsx';
import { scopeChoices, scopesInWords } from './scopes.ts';
import type { TokensPlace } from './token-list.tsx';

const NO_END = 'never';
const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: NO_END, label: 'Never' },
] as const;

const DEFAULT_SCOPES: readonly Scope[] = ['read', 'deploy'];

interface NewTokenDialogProps {
  readonly where: TokensPlace;
}

/** Makes a token, then shows it this once. */
export function NewTokenDialog({ where }: NewTokenDialogProps) {
  const { isInstallationOwner } = useUser();
  const [isOpen, setOpen] = useState(false);
  const [scopes, setScopes] = useState(DEFAULT_SCOPES);
  const mutation = useMutation({
    mutationFn: ({ name = '', expires = NO_END }: Record<string, string>) =>
      request<MadeToken>('POST', where.path, {
        name: name.trim(),
        scopes,
        ...(expires !== NO_END && { expiresInDays: Number(expires) }),
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: where.queryKey }),
  });
  const made = mutation.data;
  const change = (open: boolean) => {
    if (open) {
      mutation.reset();
      setScopes(DEFAULT_SCOPES);
    }
    setOpen(open);
  };
  return (
    <Dialog
      open={isOpen}
      onOpenChange={change}
      title={made ? 'Copy the token now' : 'New token'}
      description={
        made
          ? `It is shown this once: only its fingerprint is kept. Anyone who has it may ${scopesInWords(made.scopes)}, as far as you may.`
          : 'It does what you may do, as far as you allow it here. Give it a name that says where it is used.'
      }
      trigger={
        <Button variant="primary">
          <Plus aria-hidden />
          New token
        </Button>
      }
    >
      {made ? (
        <>
          <CopyField value={made.token} what="token" />
          <DialogActions>
            <DialogClose render={<Button variant="primary" />}>I have copied it</DialogClose>
          </DialogActions>
        </>
      ) : (
        <Form fields={['name']} error={mutation.error} onSubmit={mutation.mutate}>
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
                  setScopes(
                    isChosen ? [...scopes, scope] : scopes.filter((other) => other !== scope),
                  )
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
          <DialogActions>
            <DialogClose render={<Button />}>Cancel</DialogClose>
            <Button type="submit" variant="primary" pending={mutation.isPending}>
              Make the token
            </Button>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}
