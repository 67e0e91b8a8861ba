import type { ReactNode } from 'react';
import type { Deploy, DeployChanges } from '../../../server/src/deploys/deploy.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { ExternalLink } from '../ui/external-link.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { WithCode } from '../ui/with-code.tsx';
import { AllowButton } from './allow-button.tsx';
import type { ChangeGroup } from './group-changes.ts';

export type Verdict = DeployChanges['changes'][number]['verdict'];

/** How verdicts are shown. */
export const VERDICTS = {
  breaking: { label: 'Breaking', tone: 'negative' },
  risky: { label: 'Risky', tone: 'warning' },
  compatible: { label: 'Compatible', tone: 'positive' },
  documentation: { label: 'Documentation', tone: 'neutral' },
} as const satisfies Record<Verdict, object>;

interface ChangeRowProps {
  readonly group: ChangeGroup;
  readonly deploy: Deploy;
  readonly list: DeployChanges;
}

/** How many operations are named of a change that is of many. */
const NAMED = 4;

/** A change with what was there before and after, and a button for owners to allow it. */
export function ChangeRow({ group, deploy, list }: ChangeRowProps) {
  const { change, operations } = group;
  const { verdict, code, message, old, new: now, pages } = change;
  const named = operations.slice(0, NAMED);
  const more = operations.length - named.length;
  const before = list.comparedWith?.url ?? null;
  const after = deploy.isPruned ? null : deploy.url;
  return (
    <li className="grid gap-3 px-4 py-4 sm:px-5">
      <div className="grid min-w-0 gap-1.5">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].label}</Badge>
          {named.map((name) => (
            <code key={name} className="wrap-anywhere font-medium font-mono text-[0.8125rem]">
              {name}
            </code>
          ))}
          {more > 0 && <span className="text-[0.8125rem] text-muted">and {more} more</span>}
          <span className="ml-auto">
            <AllowButton group={group} deploy={deploy} />
          </span>
        </div>
        <p className="min-w-0 wrap-anywhere">
          <WithCode>{message}</WithCode>
        </p>
        <p className="font-mono text-muted text-xs">{code}</p>
      </div>
      <div className="grid min-w-0 gap-px overflow-hidden rounded-md border border-line bg-line md:grid-cols-2">
        <Side title="Before" side={old} nothing="Did not exist">
          <PageLink site={before} page={pages.old} what="before" />
        </Side>
        <Side title="After" side={now} nothing="Removed">
          <PageLink site={after} page={pages.new} what="after" />
        </Side>
      </div>
    </li>
  );
}

type ChangeSide = DeployChanges['changes'][number]['old'];

interface SideProps {
  readonly title: string;
  readonly side: ChangeSide;
  /** What is said where there is nothing. */
  readonly nothing: string;
  readonly children: ReactNode;
}

function Side({ title, side, nothing, children }: SideProps) {
  return (
    <div className="grid min-w-0 content-start gap-1.5 bg-surface px-3 py-2.5">
      <div className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-3">
        <span className="text-muted text-xs">
          <span className="font-medium">{title}</span>
          {side && (
            <span title={side.pointer} className="wrap-anywhere font-mono">
              {' '}
              {side.file}
              {side.line === null ? '' : `:${side.line}`}
            </span>
          )}
        </span>
        {children}
      </div>
      {side === null ? (
        <p className="text-[0.8125rem] text-muted">{nothing}</p>
      ) : (
        side.value !== undefined && (
          <pre className="whitespace-pre-wrap wrap-anywhere font-mono text-[0.8125rem]">
            {typeof side.value === 'string' ? side.value : JSON.stringify(side.value, null, 2)}
          </pre>
        )
      )}
    </div>
  );
}

interface PageLinkProps {
  /** The address of a deploy; null where its files are gone. */
  readonly site: string | null;
  readonly page: string | null;
  readonly what: string;
}

function PageLink({ site, page, what }: PageLinkProps) {
  if (site === null || page === null) return null;
  return (
    <ExternalLink href={site + page} className={cx(TEXT_LINK, 'text-xs')}>
      Open page<span className="sr-only"> {what}</span>
    </ExternalLink>
  );
}
