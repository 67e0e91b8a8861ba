import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { installationQuery } from '../queries/installation.ts';
import { TextField } from '../ui/field.tsx';
import { siteHost } from './site-address.ts';

interface SlugFieldProps {
  readonly value: string;
  readonly onChange: (slug: string) => void;
  readonly hint?: ReactNode;
}

/** A project's slug, shown within its address. */
export function SlugField({ value, onChange, hint }: SlugFieldProps) {
  const { data } = useQuery(installationQuery);
  return (
    <TextField
      name="slug"
      label="Address"
      value={value}
      onValueChange={(next) => onChange(next.toLowerCase())}
      required
      autoComplete="off"
      autoCapitalize="none"
      validate={slugProblem}
      hint={hint}
      after={data ? siteHost(data.siteUrlTemplate, '') : '…'}
    />
  );
}

const MAX_LENGTH = 40;

/** A slug for a project's name: a DNS label of a-z, 0-9 and single inner dashes, or nothing. */
export function slugFor(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
}

/** What is wrong with a slug, as far as the browser can know before the server checks it; null: nothing. */
export function slugProblem(slug: string): string | null {
  if (slug === '') return null;
  if (slug.length > MAX_LENGTH) return `At most ${MAX_LENGTH} characters; this has ${slug.length}.`;
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug)) {
    return 'Small letters (a-z), digits and single dashes between them.';
  }
  return null;
}
