import type { ComponentProps } from 'react';
import { TextField } from '../ui/field.tsx';
import { PasswordField } from '../ui/password-field.tsx';

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
      autoComplete="username"
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
