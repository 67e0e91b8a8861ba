import { useState } from 'react';
import { TextField } from './field.tsx';
import { FormDialog, type FormDialogProps } from './form-dialog.tsx';

type ConfirmProps = Pick<
  FormDialogProps<unknown>,
  'trigger' | 'title' | 'description' | 'action' | 'danger' | 'run' | 'onDone'
>;

/** Asks before something is done that is not undone with one click. */
export function Confirm(props: ConfirmProps) {
  // Not a grid: in one, the buttons would stand further away from the question.
  return <FormDialog {...props} className="block" />;
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
