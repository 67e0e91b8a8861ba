import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeToken } from '../../../server/src/accounts/account.ts';
import { request } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy.tsx';
import { Dialog, DialogActions, DialogClose } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Plus } from '../ui/icons.tsx';
import type { TokensPlace } from './token-list.tsx';

const NO_END = 'never';
const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: NO_END, label: 'Never' },
] as const;

interface NewTokenDialogProps {
  readonly where: TokensPlace;
}

/** Makes a token, then shows it this once. */
export function NewTokenDialog({ where }: NewTokenDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const mutation = useMutation({
    mutationFn: ({ name = '', expires = NO_END }: Record<string, string>) =>
      request<MadeToken>('POST', where.path, {
        name: name.trim(),
        ...(expires !== NO_END && { expiresInDays: Number(expires) }),
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: where.queryKey }),
  });
  const made = mutation.data;
  const change = (open: boolean) => {
    if (open) mutation.reset();
    setOpen(open);
  };
  return (
    <Dialog
      open={isOpen}
      onOpenChange={change}
      title={made ? 'Copy the token now' : 'New token'}
      description={
        made
          ? 'It is shown this once: only its fingerprint is kept. Anyone who has it can do what you can.'
          : 'It has your rights. Give it a name that says where it is used.'
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
