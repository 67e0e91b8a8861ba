import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { installationQuery } from '../queries.ts';
import { TextField } from '../ui/field.tsx';
import { siteHost } from './site-address.ts';
import { slugProblem } from './slug.ts';

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
