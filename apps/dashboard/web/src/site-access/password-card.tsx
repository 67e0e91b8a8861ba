import { useState } from 'react';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyField } from '../ui/copy.tsx';
import { TextField } from '../ui/field.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { Ago } from '../ui/time.tsx';
import type { AccessCardProps } from './change-access.ts';

/** Five letters four times: 94 bits, easy to read aloud. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

function generated(): string {
  const letters = Array.from(
    crypto.getRandomValues(new Uint8Array(20)),
    (byte) => LETTERS[byte % LETTERS.length],
  ).join('');
  return letters.replace(/.{5}(?=.)/g, '$&-');
}

/** The shared password, which nobody can see again. */
export function PasswordCard({ access: { password }, isOwner }: AccessCardProps) {
  const { slug } = useProject();
  const where = path`/projects/${slug}/access/password`;
  return (
    <Card
      title="Shared password"
      description="For readers without an account. Whoever knows it can read."
      actions={isOwner && <PasswordDialog where={where} isNew={password === null} />}
    >
      {password === null ? (
        <p className="text-muted">There is none.</p>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p>
            Set <Ago at={password.setAt} />.{' '}
            <span className="text-muted">
              A new one ends the sessions of all who came in by it.
            </span>
          </p>
          {isOwner && (
            <ConfirmedButton
              title="Remove the shared password?"
              description="Whoever came in by it is out within a second."
              action="Remove"
              label="Remove the shared password"
              run={() => deleteAt(where, keys.siteAccess(slug), 'The shared password is removed.')}
            />
          )}
        </div>
      )}
    </Card>
  );
}

function PasswordDialog({ where, isNew }: { readonly where: string; readonly isNew: boolean }) {
  const { slug } = useProject();
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      trigger={<Button size="small">{isNew ? 'Set a password' : 'Change it'}</Button>}
      onOpen={() => setPassword(generated())}
      title={isNew ? 'Set a shared password' : 'Change the shared password'}
      description="This one was made up for you; you may type another one."
      fields={['password']}
      action="Set the password"
      run={async ({ password: typed = '' }) => {
        await request('PUT', where, { password: typed });
        return typed;
      }}
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.siteAccess(slug) })}
      result={(set) => ({
        title: 'Copy the password now',
        description: 'Nobody can see it again, and a new one can be set at any time.',
        content: <CopyField value={set} what="password" />,
        close: 'I have copied it',
      })}
    >
      <TextField
        name="password"
        label="Password"
        value={password}
        onValueChange={setPassword}
        required
        minLength={10}
        maxLength={200}
        autoComplete="off"
        autoCapitalize="none"
        hint="10 characters at least."
      />
    </FormDialog>
  );
}
