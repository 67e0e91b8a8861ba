import { TextField } from '../ui/field.tsx';

/** The code of an authenticator app: phones fill it in, and show digits to type it. */
export function CodeField({ hint }: { readonly hint: string }) {
  return (
    <TextField
      name="code"
      label="Code"
      hint={hint}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus
      required
      maxLength={20}
    />
  );
}
