import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AddedFactor, Passkey } from '../../../../server/src/accounts/factors/factor.ts';
import { messageOf, path, request } from '../../api.ts';
import { factorsQuery } from '../../queries/account.ts';
import { keys } from '../../queries/keys.ts';
import { deleteAt, queryClient } from '../../query-client.ts';
import { hasPasskeys, makePasskey, PasskeyAborted } from '../../session/passkeys.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { ConfirmedButton, FormDialog } from '../../ui/form-dialog.tsx';
import { KeyRound, Plus } from '../../ui/icons.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { NewRecoveryCodes } from './new-recovery-codes.tsx';

/** The passkeys of an account: they sign in alone, or after the password. */
export function PasskeysCard() {
  const factors = useQuery(factorsQuery).data;
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const mutation = useMutation({
    mutationFn: () => makePasskey<AddedFactor>('/account/passkeys'),
    onSuccess: async ({ recoveryCodes }) => {
      setCodes(recoveryCodes);
      toast('The passkey is added.');
      await queryClient.invalidateQueries({ queryKey: keys.factors });
    },
  });
  const impossible =
    factors?.noPasskeysBecause ??
    (hasPasskeys() ? null : 'This browser makes none: it needs HTTPS, or another browser.');
  const { error } = mutation;
  const problem = error instanceof PasskeyAborted ? null : error;
  const passkeys = factors?.passkeys ?? [];
  return (
    <Card
      title="Passkeys"
      description="Sign in with your fingerprint, face, screen lock or security key: alone, or after the password."
      flush={passkeys.length > 0}
      actions={
        impossible === null && (
          <Button size="small" pending={mutation.isPending} onClick={() => mutation.mutate()}>
            <Plus />
            Add a passkey
          </Button>
        )
      }
    >
      {problem && (
        <div className={passkeys.length > 0 ? 'px-4 py-3 sm:px-5' : 'pb-3'}>
          <Alert tone="negative">{messageOf(problem)}</Alert>
        </div>
      )}
      {impossible !== null && (
        <p className={passkeys.length > 0 ? 'px-4 py-3 text-muted sm:px-5' : 'text-muted'}>
          {impossible}
        </p>
      )}
      {passkeys.length === 0 && impossible === null && <p className="text-muted">None yet.</p>}
      {passkeys.length > 0 && (
        <ul className="divide-y divide-line">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      <NewRecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Card>
  );
}

function PasskeyRow({ passkey }: { readonly passkey: Passkey }) {
  const { id, name, isSynced, isBackedUp, host, isUsable, createdAt, lastUsedAt, refusedAt } =
    passkey;
  const where = path`/account/passkeys/${id}`;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="flex min-w-0 flex-1 basis-60 items-start gap-3">
        <KeyRound className="mt-0.5 size-4 shrink-0 text-muted" />
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-2">
            <span className="break-words font-medium">{name}</span>
            {refusedAt !== null && <Badge tone="negative">Possibly cloned</Badge>}
            {!isUsable && <Badge tone="warning">For {host} alone</Badge>}
          </p>
          <p className="text-[0.8125rem] text-muted">
            {isSynced ? (isBackedUp ? 'Synced' : 'Can be synced') : 'On one device'} · added{' '}
            <Ago at={createdAt} /> ·{' '}
            {lastUsedAt === null ? (
              'not used yet'
            ) : (
              <>
                used <Ago at={lastUsedAt} />
              </>
            )}
          </p>
        </div>
      </div>
      <div className="flex gap-1">
        <FormDialog
          title="Rename the passkey"
          fields={['name']}
          action="Save the name"
          run={async ({ name: next = '' }) => {
            await request('PATCH', where, { name: next });
            await queryClient.invalidateQueries({ queryKey: keys.factors });
          }}
          trigger={
            <Button variant="ghost" size="small" aria-label={`Rename ${name}`}>
              Rename
            </Button>
          }
        >
          <TextField name="name" label="Name" defaultValue={name} required maxLength={100} />
        </FormDialog>
        <ConfirmedButton
          title={`Remove “${name}”?`}
          description="It no longer signs you in. Remove it from your device or password manager, too."
          action="Remove"
          run={() => deleteAt(where, keys.factors, 'The passkey is removed.')}
          label={`Remove ${name}`}
        />
      </div>
    </li>
  );
}
