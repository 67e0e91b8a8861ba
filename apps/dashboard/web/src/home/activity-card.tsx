import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';
import { deedInWords } from '../audit/audit-list.tsx';
import { activityQuery } from '../queries/home.ts';
import { Card } from '../ui/card.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';

/** What happened in the reader's projects. */
export function ActivityCard() {
  const query = useInfiniteQuery(activityQuery);
  return (
    <Card title="Activity" flush>
      <ListView
        query={query}
        empty={
          <p className="px-4 py-6 text-muted sm:px-5">
            Nothing happened in the last 30 days in the projects whose audit log you may read.
          </p>
        }
      >
        {(entry) => <ActivityRow key={entry.id} entry={entry} />}
      </ListView>
      <LoadMore query={query}>Show more</LoadMore>
    </Card>
  );
}

function ActivityRow({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, project, target } = entry;
  return (
    <li className="px-4 py-3 sm:px-5">
      <p className="wrap-anywhere">
        {deedInWords(entry)}{' '}
        <Link to={placeOf(entry)} className={TEXT_LINK}>
          {target}
        </Link>
        {project !== null && project !== target && (
          <span className="text-muted"> in {project}</span>
        )}
      </p>
      <p className="wrap-anywhere mt-0.5 text-[0.8125rem] text-muted">
        {actor} · <Ago at={at} />
      </p>
    </li>
  );
}

/** The page of what an entry is about, or else of its project. */
function placeOf({ action, project, target, details }: AuditEntry): string {
  const here = `/projects/${encodeURIComponent(project ?? '')}`;
  const { id } = details;
  if (action.startsWith('deploy.') && typeof id === 'string') return `${here}/deploys/${id}`;
  if (action === 'domain.remove') return `${here}/settings/domains`;
  if (action.startsWith('domain.')) return `${here}/settings/domains/${encodeURIComponent(target)}`;
  if (action.startsWith('member.') || action.startsWith('invitation.'))
    return `${here}/settings/members`;
  if (action === 'repository.connect') return `${here}/settings/repository`;
  return here;
}
