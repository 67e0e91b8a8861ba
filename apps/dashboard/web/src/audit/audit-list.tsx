import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';
import { auditQuery } from '../queries.ts';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ScrollText } from '../ui/icons.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { deedInWords, factsInWords } from './entry-in-words.ts';

/** Who did what, when, from where: in a project, or in the whole installation without one. */
export function AuditList({ slug }: { readonly slug?: string }) {
  const query = useInfiniteQuery(auditQuery(slug));
  return (
    <Card flush>
      <ListView
        query={query}
        empty={<Empty icon={ScrollText} title="Nothing has been changed yet" />}
      >
        {(entry) => <AuditRow key={entry.id} entry={entry} slug={slug} />}
      </ListView>
      <LoadMore query={query}>Show older entries</LoadMore>
    </Card>
  );
}

interface AuditRowProps {
  readonly entry: AuditEntry;
  /** The project whose log it is; undefined in the installation's. */
  readonly slug: string | undefined;
}

function AuditRow({ entry, slug }: AuditRowProps) {
  const { at, actor, via, token, ip, action, project, target } = entry;
  return (
    <li className="grid gap-x-6 gap-y-0.5 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto] sm:px-5">
      <p className="min-w-0 break-words">
        <span title={action}>{deedInWords(entry)}</span>{' '}
        <span className="font-medium">{target}</span>
        {slug === undefined && project !== null && (
          <span className="text-muted"> in {project}</span>
        )}
      </p>
      <p className="text-[0.8125rem] text-muted sm:text-right">
        <Ago at={at} />
      </p>
      <p className="min-w-0 break-words text-[0.8125rem] text-muted sm:col-span-2">
        {actor}
        {token ? (
          <>
            {' '}
            · token “{token.name}” <code className="text-xs">{token.id}</code>
          </>
        ) : (
          via !== 'none' && via !== actor && <> · {via}</>
        )}
        {ip !== '' && <> · {ip}</>}
        {factsInWords(entry).map((fact) => (
          <span key={fact}> · {fact}</span>
        ))}
      </p>
    </li>
  );
}
