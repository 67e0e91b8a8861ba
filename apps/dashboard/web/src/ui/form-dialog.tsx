import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Form, type FormValues, SubmitButton } from './form.tsx';

export interface FormDialogProps<Made> {
  /** The button that opens the dialog. */
  readonly trigger?: ReactElement;
  /** Whether the dialog is open, for a caller whose button may go while it is; instead of `trigger`. */
  readonly openState?: readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void];
  /** Called when the trigger opens the dialog: what a caller holds for the fields begins anew. */
  readonly onOpen?: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly fields?: readonly string[];
  readonly conflictField?: string;
  /** The verb on the button. */
  readonly action: string;
  readonly danger?: boolean;
  /** Something is missing yet. */
  readonly disabled?: boolean;
  /** Does it; the dialog stays, and says why, when this rejects. */
  readonly run: (values: FormValues) => Promise<Made>;
  /** What follows. Without a `result` the dialog has closed by then. */
  readonly onDone?: (made: Made) => unknown;
  /** What takes the form's place once it is done, such as a secret to copy. */
  readonly result?: (made: Made) => DialogResult;
  readonly className?: string | undefined;
  /** The fields. Those without a value of the caller's are empty each time that the dialog opens. */
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
export function FormDialog<Made>({
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
}: FormDialogProps<Made>) {
  const ownState = useState(false);
  const [isOpen, setOpen] = openState ?? ownState;
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: (made) => {
      if (!result) setOpen(false);
      return onDone?.(made);
    },
  });
  const shown = mutation.isSuccess ? result?.(mutation.data) : undefined;
  const change = (open: boolean) => {
    // What is shown stays until the dialog is gone.
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

interface DialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly trigger?: ReactElement | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A question in front of the page; Escape and a click beside it close it, and focus goes back. */
function Dialog({ title, description, trigger, open, onOpenChange, children }: DialogProps) {
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
  'trigger' | 'title' | 'description' | 'action' | 'danger' | 'run' | 'onDone'
>;

/** Asks before something is done that is not undone with one click. */
export function Confirm(props: ConfirmProps) {
  // Not a grid: in one, the buttons would stand further away from the question.
  return <FormDialog {...props} className="block" />;
}

interface ConfirmedButtonProps extends Omit<ConfirmProps, 'trigger' | 'danger'> {
  /** What stands on the button; the dialog's verb unless said otherwise. */
  readonly text?: string;
  /** The button in words, where its text alone does not tell it from others. */
  readonly label?: string;
  readonly disabled?: boolean;
}

/** A row's small button that ends something, once it was confirmed. */
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
  /** The name of what will be gone, to be typed. */
  readonly name: string;
  /** Whether what was typed is the name; letter for letter unless said otherwise. */
  readonly isName?: (typed: string) => boolean;
}

/** Asks for the name of something before it is gone for good. */
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
