import { useMutation } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions, DialogClose } from './dialog.tsx';
import { Form, type FormValues, SubmitButton } from './form.tsx';

export interface FormDialogProps<Result> {
  /** The button that opens the dialog. */
  readonly trigger?: ReactElement;
  /** Whether the dialog is open, for a caller whose button may disappear while it is; instead of `trigger`. */
  readonly openState?: readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void];
  /** Called when the trigger opens the dialog, so that the caller can reset its state of the fields. */
  readonly onOpen?: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly fields?: readonly string[];
  readonly conflictField?: string;
  /** The verb on the button. */
  readonly action: string;
  readonly danger?: boolean;
  /** A required value is missing. */
  readonly disabled?: boolean;
  /** The action. If it rejects, the dialog stays and shows the reason. */
  readonly run: (values: FormValues) => Promise<Result>;
  /** What follows the action. Without a `result` the dialog is closed by then. */
  readonly onDone?: (done: Result) => unknown;
  /** Replaces the form after the action, such as a secret to copy. */
  readonly result?: (done: Result) => DialogResult;
  readonly className?: string | undefined;
  /** The fields. Those without a value from the caller are empty each time the dialog opens. */
  readonly children?: ReactNode;
}

interface DialogResult {
  readonly title: string;
  readonly description: ReactNode;
  readonly content: ReactNode;
  /** On the button that closes the dialog. */
  readonly close: string;
}

/** A form in a dialog: it opens empty, stays while the server refuses, and closes when it is done. */
export function FormDialog<Result>({
  trigger,
  openState,
  onOpen,
  title,
  description,
  action,
  danger = false,
  disabled = false,
  run,
  onDone,
  result,
  children,
  ...form
}: FormDialogProps<Result>) {
  const ownState = useState(false);
  const [isOpen, setOpen] = openState ?? ownState;
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: (done) => {
      if (!result) setOpen(false);
      return onDone?.(done);
    },
  });
  const shown = mutation.isSuccess ? result?.(mutation.data) : undefined;
  const change = (open: boolean) => {
    // The result stays until the dialog has closed.
    if (!shown || open) mutation.reset();
    if (open) onOpen?.();
    setOpen(open);
  };
  return (
    <Dialog
      title={shown?.title ?? title}
      description={shown?.description ?? description}
      trigger={trigger}
      open={isOpen}
      onOpenChange={change}
    >
      {shown ? (
        <>
          {shown.content}
          <DialogActions>
            <DialogClose render={<Button variant="primary" />}>{shown.close}</DialogClose>
          </DialogActions>
        </>
      ) : (
        <Form mutation={mutation} {...form}>
          {children}
          <DialogActions>
            <DialogClose render={<Button />}>Cancel</DialogClose>
            <SubmitButton variant={danger ? 'danger' : 'primary'} disabled={disabled}>
              {action}
            </SubmitButton>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}
