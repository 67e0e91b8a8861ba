import type { PeriodName } from '../../../server/src/readers/period.ts';
import type { TableName } from '../../../server/src/readers/reader-report.ts';
import { path } from '../api.ts';
import { buttonClass } from '../ui/button.tsx';

interface CsvLinkProps {
  readonly slug: string;
  readonly table: TableName | 'sentences';
  readonly period?: PeriodName;
  readonly what: string;
}

/** Downloads a table. */
export function CsvLink({ slug, table, period, what }: CsvLinkProps) {
  const query = period === undefined ? '' : `?period=${period}`;
  return (
    <a
      href={`/api${path`/projects/${slug}/readers/${table}/csv`}${query}`}
      download
      aria-label={`CSV: ${what}`}
      className={buttonClass('ghost', 'small')}
    >
      CSV
    </a>
  );
}
