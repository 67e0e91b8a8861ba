import { TextField } from '../ui/field.tsx';
import { PasswordField } from '../ui/password-field.tsx';

// The bounds that the server checks (accounts/account.ts), said before anything is sent.
const MIN_PASSWORD_LENGTH = 10;
const MAX_PASSWORD_LENGTH = 200;

export function EmailField({ fixed }: { readonly fixed?: string }) {
  return (
    <TextField
      name="email"
      label="E-mail address"
      type="email"
      autoComplete="username"
      required
      maxLength={254}
      autoFocus={fixed === undefined}
      {...(fixed !== undefined && { value: fixed, readOnly: true })}
    />
  );
}

export function CurrentPasswordField({
  name = 'password',
  label = 'Password',
}: {
  readonly name?: string;
  readonly label?: string;
}) {
  return (
    <PasswordField
      name={name}
      label={label}
      autoComplete="current-password"
      required
      maxLength={1_000}
    />
  );
}

export function NewPasswordField({
  name = 'password',
  label = 'Password',
}: {
  readonly name?: string;
  readonly label?: string;
}) {
  return (
    <PasswordField
      name={name}
      label={label}
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
      {...(defaultValue !== undefined && { defaultValue })}
    />
  );
}
