import { formatBytes } from '@petstore/service/text.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AuditAction } from '../../../server/src/audit/action.ts';
import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';
import { useProject } from '../projects/project-context.tsx';
import { auditQuery } from '../queries/audit.ts';
import { SettingsPage } from '../settings/settings-layout.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ScrollText } from '../ui/icons.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { ACTIONS } from './actions.ts';
import { type AuditFilter, auditFilterIn } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';

/** Who did what, when, from where: in a project, or in the whole installation without one. */
function AuditList({ slug }: { readonly slug?: string }) {
  const navigate = useNavigate();
  const filter = auditFilterIn(useSearch({ strict: false }));
  // An entry of the browser's history for each, so that Back leads to what was shown before.
  const setFilter = (next: AuditFilter) => void navigate({ to: '.', search: next });
  const query = useInfiniteQuery(auditQuery(slug, filter));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div className="grid gap-4">
      <AuditFilters slug={slug} filter={filter} setFilter={setFilter} />
      <Card flush>
        <ListView
          query={query}
          empty={
            <Empty
              icon={ScrollText}
              title={isFiltered ? 'No matching entries' : 'Nothing has been changed yet'}
            />
          }
        >
          {(entry) => <AuditRow key={entry.id} entry={entry} slug={slug} />}
        </ListView>
        <LoadMore query={query}>Show older entries</LoadMore>
      </Card>
    </div>
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

type Told = Pick<AuditEntry, 'action' | 'target' | 'details'>;

/** The action and its object: `Rolled back from #5 to` `#4`, `Created the project` `pets`. */
export function deedInWords({ action, target, details }: Told): string {
  if (action === 'quota.set' && details.value === null) return 'Unset the quota';
  if (action !== 'deploy.activate') return actionInWords(action);
  const { from } = details;
  if (typeof from !== 'string' || from === target) return actionInWords(action);
  return numberOf(from) > numberOf(target)
    ? `Rolled back from ${from} to`
    : `Rolled forward from ${from} to`;
}

/** The rest of an entry, without ids, which mean something to programs only. */
function factsInWords({ action, target, details }: Told): string[] {
  const { id: _id, before: _before, from, to, live, problems, ...rest } = details;
  const { held, breaking, allowBreaking, ...others } = rest;
  const facts: string[] = [];
  if (isRecord(from) && isRecord(to)) {
    const changed = Object.keys(to).filter((name) => from[name] !== to[name]);
    facts.push(...changed.map((name) => `${name} from ${text(from[name])} to ${text(to[name])}`));
  } else if (from !== undefined && to !== undefined)
    facts.push(`from ${text(from)} to ${text(to)}`);
  if (typeof live === 'boolean') facts.push(live ? 'live at once' : 'not put live');
  if (typeof problems === 'number') facts.push(`${problems} problem${problems === 1 ? '' : 's'}`);
  if (typeof held === 'string')
    facts.push(action === 'deploy.activate' ? 'was held back' : 'held back');
  if (typeof breaking === 'number' && breaking > 0)
    facts.push(`${breaking} breaking change${breaking === 1 ? '' : 's'}`);
  if (typeof allowBreaking === 'string') facts.push(`may break: “${allowBreaking}”`);
  for (const [name, value] of Object.entries(others)) {
    if (Array.isArray(value) && value.length === 0) continue;
    if (action === 'quota.set' && name === 'value' && typeof value === 'number')
      facts.push(`value: ${target.endsWith('bytes') ? formatBytes(value) : value}`);
    else if (value !== null) facts.push(`${name}: ${text(value)}`);
    else if (action === 'domain.update') facts.push(`${name}: off`);
  }
  return facts;
}

function numberOf(target: string): number {
  return Number(target.replace('#', ''));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  if (Array.isArray(value) && value.every((part) => typeof part === 'string'))
    return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An action in words. One that this page does not know yet is shown by its code. */
function actionInWords(action: string): string {
  return action in ACTIONS ? ACTIONS[action as AuditAction] : action;
}

export function AuditPage() {
  const { slug } = useProject();
  return (
    <SettingsPage
      title="Audit log"
      permission="audit.read"
      description="Every change to this project: who, what, when, from where."
    >
      <AuditList slug={slug} />
    </SettingsPage>
  );
}

export function InstallationAuditPage() {
  return (
    <Page
      title="Audit log"
      documentTitle="Installation’s audit log"
      description="Every change to every account and project: who, what, when, from where."
    >
      <AuditList />
    </Page>
  );
}
