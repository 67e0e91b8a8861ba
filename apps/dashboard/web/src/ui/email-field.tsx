import { TextField } from './field.tsx';

/** The address of somebody else, which no browser fills in. */
export function EmailField({ defaultValue }: { readonly defaultValue?: string }) {
  return (
    <TextField
      name="email"
      label="E-mail address"
      type="email"
      required
      maxLength={254}
      autoComplete="off"
      {...(defaultValue !== undefined && { defaultValue })}
    />
  );
}
