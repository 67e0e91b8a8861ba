import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PeriodName } from '../../../server/src/readers/period.ts';
import type { ReaderRow, TableName } from '../../../server/src/readers/reader-report.ts';
import { useProject } from '../projects/project-context.tsx';
import { readerTableQuery } from '../queries/readers.ts';
import { Card } from '../ui/card.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { CsvLink } from './csv-link.tsx';
import { ShowMore } from './show-more.tsx';

interface CountsCardProps {
  readonly table: TableName;
  readonly period: PeriodName;
  readonly title: string;
  readonly description?: string;
  /** What the names are, for the table's head. */
  readonly noun: string;
  /** What to do to see something here. */
  readonly empty: ReactNode;
  readonly name?: (row: ReaderRow) => ReactNode;
  /** What else is to be said of a row. */
  readonly details?: (row: ReaderRow) => ReactNode;
  readonly footer?: ReactNode;
}

/** The most frequent names of a kind, each with a bar for its share. What readers sent is shown as text alone. */
export function CountsCard({
  table,
  period,
  title,
  description,
  noun,
  empty,
  name = ({ name: text }) => text,
  details = () => null,
  footer,
}: CountsCardProps) {
  const { slug } = useProject();
  const query = useQuery(readerTableQuery(slug, table, period));
  const isEmpty = query.data?.length === 0;
  return (
    <Card
      title={title}
      description={description}
      flush
      actions={!isEmpty && <CsvLink slug={slug} table={table} period={period} what={title} />}
      footer={footer}
    >
      <QueryView query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="max-w-prose px-4 py-6 text-muted sm:px-5">{empty}</p>
          ) : (
            <ShowMore items={rows}>
              {(shown) => (
                <table className="w-full table-fixed text-left">
                  <caption className="sr-only">{title}</caption>
                  {/* The head is out of sight, and so sets no widths. */}
                  <colgroup>
                    <col />
                    <col className="w-22" />
                  </colgroup>
                  <thead className="sr-only">
                    <tr>
                      <th scope="col">{noun}</th>
                      <th scope="col">Count</th>
                    </tr>
                  </thead>
                  <tbody className="divide-y divide-line">
                    {shown.map((row) => (
                      <tr key={row.name} className="align-top">
                        <th scope="row" className="relative px-4 py-2 font-normal sm:pl-5">
                          <span
                            aria-hidden
                            className="absolute inset-y-1 left-2 rounded-sm bg-accent-soft sm:left-3"
                            style={{ width: `calc(${share(row, rows)}% - 0.75rem)` }}
                          />
                          <span className="relative block wrap-anywhere">
                            {row.name === '' ? (
                              <span className="text-muted">Others</span>
                            ) : (
                              name(row)
                            )}
                          </span>
                          <span className="relative block text-[0.8125rem] text-muted wrap-anywhere empty:hidden">
                            {details(row)}
                          </span>
                        </th>
                        <td className="px-4 py-2 text-right tabular-nums sm:pr-5">
                          {row.count.toLocaleString('en')}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </ShowMore>
          )
        }
      </QueryView>
    </Card>
  );
}

/** Of the most frequent one, in percent. */
function share({ count }: ReaderRow, rows: readonly ReaderRow[]): number {
  return (count / Math.max(1, ...rows.map((row) => row.count))) * 100;
}
