import type { ReactNode } from 'react';

export interface FactRow {
  readonly term: string;
  readonly value: ReactNode;
}

/** Terms and their values, one below the other. */
export function Facts({ rows }: { readonly rows: readonly FactRow[] }) {
  return (
    <dl className="grid gap-x-6 sm:gap-y-2 sm:grid-cols-[7rem_minmax(0,1fr)]">
      {rows.map(({ term, value }) => (
        <div key={term} className="sm:contents max-sm:not-first:mt-2.5">
          <dt className="text-muted max-sm:text-[0.8125rem]">{term}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
