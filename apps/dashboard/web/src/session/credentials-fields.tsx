import { type ComponentProps, useState } from 'react';
import { TextField } from '../ui/field.tsx';

// The limits that the server checks (accounts/account.ts), shown before anything is sent.
const MIN_PASSWORD_LENGTH = 10;
const MAX_PASSWORD_LENGTH = 200;

/** `fixed`: the only possible address. */
export function EmailField({ fixed }: { readonly fixed: string | undefined }) {
  return (
    <TextField
      name="email"
      label="E-mail address"
      type="email"
      // Browsers offer passkeys in this field, too.
      autoComplete="username webauthn"
      required
      maxLength={254}
      autoFocus={fixed === undefined}
      value={fixed}
      readOnly={fixed !== undefined}
    />
  );
}

type PasswordProps = Partial<Pick<ComponentProps<typeof PasswordField>, 'name' | 'label'>>;

export function CurrentPasswordField(props: PasswordProps) {
  return (
    <PasswordField
      name="password"
      label="Password"
      {...props}
      autoComplete="current-password"
      required
      maxLength={1_000}
    />
  );
}

export function NewPasswordField(props: PasswordProps) {
  return (
    <PasswordField
      name="password"
      label="Password"
      {...props}
      autoComplete="new-password"
      required
      maxLength={MAX_PASSWORD_LENGTH}
      hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
      validate={(value) =>
        value !== '' && value.length < MIN_PASSWORD_LENGTH
          ? `At least ${MIN_PASSWORD_LENGTH} characters; this has ${value.length}.`
          : null
      }
    />
  );
}

export function PersonNameField({ defaultValue }: { readonly defaultValue?: string }) {
  return (
    <TextField
      name="name"
      label="Name"
      autoComplete="name"
      required
      maxLength={100}
      defaultValue={defaultValue}
    />
  );
}

/** A password, with a button that shows it. */
function PasswordField(props: Omit<ComponentProps<typeof TextField>, 'type' | 'button'>) {
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
