import { useQuery } from '@tanstack/react-query';
import type { PeriodName } from '../../../server/src/readers/period.ts';
import type { ReaderRow } from '../../../server/src/readers/reader-report.ts';
import { useProject } from '../projects/project-context.tsx';
import { readerTableQuery } from '../queries/readers.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { CsvLink } from './csv-link.tsx';
import { ShowMore } from './show-more.tsx';

/** Paths without a page, what led there, and the line of `docs.yaml` that leads on. */
export function MissingCard({ period }: { readonly period: PeriodName }) {
  const { slug } = useProject();
  const query = useQuery(readerTableQuery(slug, 'missing', period));
  const isEmpty = query.data?.length === 0;
  return (
    <Card
      title="Not found"
      description="Addresses of this site that people were led to and that have no page, with the redirect to add."
      flush
      actions={!isEmpty && <CsvLink slug={slug} table="missing" period={period} what="Not found" />}
    >
      <QueryView query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="max-w-prose px-4 py-6 text-muted sm:px-5">
              Nobody came to a missing page. When a page moves and a link somewhere still leads to
              its old address, it is listed here.
            </p>
          ) : (
            <ShowMore items={rows}>
              {(shown) => (
                <ul className="divide-y divide-line">
                  {shown.map((row) => (
                    <MissingRow key={row.name} row={row} />
                  ))}
                </ul>
              )}
            </ShowMore>
          )
        }
      </QueryView>
    </Card>
  );
}

function MissingRow({ row }: { readonly row: ReaderRow }) {
  const { name, count, redirect } = row;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
      <p className="min-w-0 font-medium wrap-anywhere">
        {name === '' ? 'Others' : <code className="font-mono text-[0.8125rem]">{name}</code>}{' '}
        {redirect?.state === 'solved' && <Badge tone="positive">Leads somewhere now</Badge>}
      </p>
      <p className="text-right tabular-nums">{count.toLocaleString('en')}</p>
      {name !== '' && (
        <p className="col-span-2 text-[0.8125rem] text-muted wrap-anywhere">{leads(row)}</p>
      )}
      {redirect?.state === 'missing' && (
        <div className="col-span-2 mt-1">
          {redirect.line === null ? (
            <p className="text-[0.8125rem] text-muted">
              No page is like it. Under <code>redirects</code> in <code>docs.yaml</code>, lead it to
              the page that has its content now.
            </p>
          ) : (
            <>
              <p className="text-[0.8125rem] text-muted">
                Under <code>redirects</code> in the <code>docs.yaml</code>
                {redirect.version === null ? '' : ` of version ${redirect.version}`}:
              </p>
              <div className="mt-1 flex items-start gap-2 rounded-md border border-line bg-subtle py-0.5 pr-0.5 pl-3">
                <code className="min-w-0 flex-1 select-all self-center py-1 font-mono text-[0.8125rem] wrap-anywhere">
                  {redirect.line}
                </code>
                <CopyButton value={redirect.line} what={`redirect of ${name}`} />
              </div>
            </>
          )}
        </div>
      )}
    </li>
  );
}

const SHOWN_LEADS = 4;

/** `From /guides/start (3), news.example (1), and an address that was typed or not said (2).` */
function leads({ count, details }: ReaderRow): string {
  const known = details.slice(0, SHOWN_LEADS).map((one) => `${one.name} (${one.count})`);
  const more = details.length - known.length;
  if (more > 0) known.push(`${more} more`);
  const untold = count - details.reduce((sum, one) => sum + one.count, 0);
  if (known.length === 0) return 'Nothing says from where.';
  return `From ${known.join(', ')}${untold > 0 ? `, not said (${untold})` : ''}.`;
}
