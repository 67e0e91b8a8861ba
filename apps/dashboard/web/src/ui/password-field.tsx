import { type ComponentProps, useState } from 'react';
import { TextField } from './field.tsx';

/** A password, with a button that shows it. */
export function PasswordField(props: Omit<ComponentProps<typeof TextField>, 'type' | 'button'>) {
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      button={
        <button
          type="button"
          onClick={() => setShown(!isShown)}
          className="rounded-md px-2 font-medium text-[0.8125rem] text-muted -outline-offset-2 hover:text-ink"
        >
          {isShown ? 'Hide' : 'Show'}
          <span className="sr-only"> the password</span>
        </button>
      }
    />
  );
}
