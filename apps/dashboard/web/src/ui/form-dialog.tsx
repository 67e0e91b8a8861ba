import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Form, type FormValues, SubmitButton } from './form.tsx';

export interface FormDialogProps<Result> {
  /** The button that opens the dialog. */
  readonly trigger?: ReactElement;
  /** Whether the dialog is open, for a caller whose button may disappear while it is, or who opens it unasked. */
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

/** A form in a dialog: it opens empty, stays until the server has responded, and while it refuses. */
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
  // From the moment in which the form is sent: `isPending` comes some milliseconds later.
  const isUnderWay = useRef(false);
  useEffect(() => {
    isUnderWay.current = mutation.isPending;
  });
  const mutate = (values: FormValues) => {
    isUnderWay.current = true;
    mutation.mutate(values);
  };
  const shown = mutation.isSuccess ? result?.(mutation.data) : undefined;
  const change = (open: boolean) => {
    // What was sent is carried out all the same, and its result would be shown to nobody.
    if (!open && isUnderWay.current) return;
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
        <Form mutation={{ ...mutation, mutate }} {...form}>
          {children}
          <DialogActions>
            <DialogClose disabled={mutation.isPending} render={<Button />}>
              Cancel
            </DialogClose>
            <SubmitButton variant={danger ? 'danger' : 'primary'} disabled={disabled}>
              {action}
            </SubmitButton>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  );
}

interface DialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly trigger?: ReactElement | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A dialog in front of the page. Escape and a click beside it close it, and the focus returns. */
export function Dialog({ title, description, trigger, open, onOpenChange, children }: DialogProps) {
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => onOpenChange(isOpen)}>
      {trigger && <BaseDialog.Trigger render={trigger} />}
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-[#0008] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Viewport className="fixed inset-0 z-40 grid place-items-center overflow-y-auto p-4">
          <BaseDialog.Popup className="w-full max-w-115 rounded-xl border border-line bg-surface p-5 shadow-float outline-none transition-all duration-150 data-ending-style:scale-97 data-starting-style:scale-97 data-ending-style:opacity-0 data-starting-style:opacity-0 sm:p-6">
            <BaseDialog.Title className="font-semibold text-base tracking-[-0.01em]">
              {title}
            </BaseDialog.Title>
            {description && (
              <BaseDialog.Description className="mt-1.5 text-muted" render={<div />}>
                {description}
              </BaseDialog.Description>
            )}
            <div className="mt-5">{children}</div>
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** The row of buttons at a dialog's end. */
function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>;
}

const DialogClose = BaseDialog.Close;

type ConfirmProps = Pick<
  FormDialogProps<unknown>,
  'trigger' | 'openState' | 'title' | 'description' | 'action' | 'danger' | 'run' | 'onDone'
>;

/** Asks before an action that one click cannot undo. */
export function Confirm(props: ConfirmProps) {
  // Not a grid, in which the buttons would be further away from the question.
  return <FormDialog {...props} className="block" />;
}

interface ConfirmedButtonProps extends Omit<ConfirmProps, 'trigger' | 'danger'> {
  /** The text of the button; by default the verb of the dialog. */
  readonly text?: string;
  /** The name of the button for screen readers, where its text does not distinguish it from others. */
  readonly label?: string;
  readonly disabled?: boolean;
}

/** A row's small button that ends something, after a confirmation. */
export function ConfirmedButton({
  text,
  label,
  disabled = false,
  ...confirm
}: ConfirmedButtonProps) {
  return (
    <Confirm
      danger
      {...confirm}
      trigger={
        <Button variant="ghost" size="small" disabled={disabled} aria-label={label}>
          {text ?? confirm.action}
        </Button>
      }
    />
  );
}

interface ConfirmByTypingProps extends ConfirmProps {
  /** The name of the thing to delete, to be typed. */
  readonly name: string;
  /** Whether the typed text is the name; by default it must match exactly. */
  readonly isName?: (typed: string) => boolean;
}

/** Asks for the name of something before it is deleted for good. */
export function ConfirmByTyping({
  name,
  isName = (typed) => typed === name,
  ...props
}: ConfirmByTypingProps) {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      {...props}
      danger
      onOpen={() => setTyped('')}
      fields={['confirm']}
      disabled={!isName(typed)}
    >
      <TextField
        name="confirm"
        label={`Type ${name} to confirm`}
        value={typed}
        onValueChange={setTyped}
        autoComplete="off"
        autoCapitalize="none"
        required
      />
    </FormDialog>
  );
}
