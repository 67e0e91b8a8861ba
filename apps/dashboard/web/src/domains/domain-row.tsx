import { Link } from '@tanstack/react-router';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { useProject } from '../projects/project-context.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { ROW_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { DomainState, standingOf } from './domain-state.tsx';

/** A domain in the list; the whole row leads to it. */
export function DomainRow({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, unicode, primary, checkedAt, movedAwayAt, issuance } = domain;
  const isTrouble = movedAwayAt !== null || issuance?.isOverdue === true;
  return (
    <li className="relative grid gap-x-6 gap-y-1 px-4 py-3.5 transition-colors hover:bg-subtle/60 sm:grid-cols-[minmax(0,1fr)_auto] sm:px-5">
      <div className="min-w-0">
        <div className="flex min-w-0 items-center gap-2">
          <Link
            to="/projects/$slug/settings/domains/$hostname"
            params={{ slug, hostname }}
            className={cx(ROW_LINK, 'min-w-0 font-semibold')}
          >
            {unicode}
          </Link>
          {primary && <Badge tone="accent">Primary</Badge>}
        </div>
        <p
          className={cx(
            'mt-0.5 line-clamp-2 break-words text-[0.8125rem]',
            isTrouble ? 'text-warning' : 'text-muted',
          )}
        >
          {standingOf(domain)}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 text-[0.8125rem] sm:flex-col sm:items-end sm:justify-center">
        <DomainState domain={domain} />
        <span className="text-muted">
          {checkedAt === null ? (
            'not checked yet'
          ) : (
            <>
              checked <Ago at={checkedAt} />
            </>
          )}
        </span>
      </div>
    </li>
  );
}
