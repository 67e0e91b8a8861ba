import { useMutation } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { messageOf } from '../api.ts';
import { Alert } from './alert.tsx';
import { Button } from './button.tsx';
import { Dialog, DialogActions, DialogClose } from './dialog.tsx';

interface ConfirmProps {
  readonly trigger: ReactElement;
  readonly title: string;
  readonly description: ReactNode;
  /** The verb on the button. */
  readonly action: string;
  readonly danger?: boolean;
  /** Does it; the dialog stays, and says why, when this rejects. */
  readonly run: () => Promise<unknown>;
}

/** Asks before something is done that is not undone with one click. */
export function Confirm({
  trigger,
  title,
  description,
  action,
  danger = false,
  run,
}: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  const mutation = useMutation({ mutationFn: run, onSuccess: () => setOpen(false) });
  const change = (open: boolean) => {
    if (open) mutation.reset();
    setOpen(open);
  };
  return (
    <Dialog
      title={title}
      description={description}
      trigger={trigger}
      open={isOpen}
      onOpenChange={change}
    >
      {mutation.error && <Alert tone="negative">{messageOf(mutation.error)}</Alert>}
      <DialogActions>
        <DialogClose render={<Button />}>Cancel</DialogClose>
        <Button
          variant={danger ? 'danger' : 'primary'}
          pending={mutation.isPending}
          onClick={() => mutation.mutate()}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
