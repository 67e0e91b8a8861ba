import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';
import { auditQuery } from '../queries.ts';
import { Ago } from '../ui/ago.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadMore } from '../ui/load-more.tsx';
import { QueryView } from '../ui/query-view.tsx';

/** Who did what, when, from where: in a project, or in the whole installation without one. */
export function AuditList({ slug }: { readonly slug?: string }) {
  const query = useInfiniteQuery(auditQuery(slug));
  return (
    <Card flush>
      <QueryView query={query}>
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items);
          return entries.length === 0 ? (
            <Empty icon={ScrollText} title="Nothing has been changed yet" />
          ) : (
            <ul className="divide-y divide-line">
              {entries.map((entry) => (
                <AuditRow key={entry.id} entry={entry} />
              ))}
            </ul>
          );
        }}
      </QueryView>
      <LoadMore query={query}>Show older entries</LoadMore>
    </Card>
  );
}

function AuditRow({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, via, ip, action, target, details } = entry;
  const facts = Object.entries(details).filter(([, value]) => value !== null);
  return (
    <li className="grid gap-x-6 gap-y-0.5 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto] sm:px-5">
      <p className="min-w-0 break-words">
        <span className="font-mono text-[0.8125rem] font-medium">{action}</span>{' '}
        <span className="text-muted">{target}</span>
      </p>
      <p className="text-[0.8125rem] text-muted sm:text-right">
        <Ago at={at} />
      </p>
      <p className="min-w-0 break-words text-[0.8125rem] text-muted sm:col-span-2">
        {actor}
        {via !== 'none' && via !== actor && <> · {via}</>}
        {ip !== '' && <> · {ip}</>}
        {facts.map(([name, value]) => (
          <span key={name}>
            {' '}
            · {`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`}
          </span>
        ))}
      </p>
    </li>
  );
}
