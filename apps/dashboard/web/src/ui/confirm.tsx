import { useState } from 'react';
import { TextField } from './field.tsx';
import { FormDialog, type FormDialogProps } from './form-dialog.tsx';

type ConfirmProps = Pick<
  FormDialogProps<unknown>,
  'trigger' | 'title' | 'description' | 'action' | 'danger' | 'run' | 'onDone'
>;

/** Asks before an action that one click cannot undo. */
export function Confirm(props: ConfirmProps) {
  // Not a grid, in which the buttons would be further away from the question.
  return <FormDialog {...props} className="block" />;
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
