import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Deploy, DeployChanges } from '../../../server/src/deploys/deploy.ts';
import { useProject } from '../projects/project-context.tsx';
import { deployChangesQuery } from '../queries/deploys.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { count } from '../ui/format.ts';
import { QueryView } from '../ui/query-view.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { ChangeRow, VERDICTS, type Verdict } from './change-row.tsx';
import { groupChanges } from './group-changes.ts';

/** What a deploy changes in the API that is live where it will be. */
export function ChangesCard({ deploy }: { readonly deploy: Deploy }) {
  const { changes, comparedWith, changesProblem } = deploy;
  if (comparedWith === null || (changes === null && changesProblem === null)) return null;
  const description = `Compared with deploy #${comparedWith.number}, which was live when this one was built.`;
  if (changes === null)
    return (
      <Card title="Changes of the API" description={description}>
        <p>
          They are not known. <WithCode>{changesProblem ?? ''}</WithCode>
        </p>
      </Card>
    );
  if (Object.values(changes).every((number) => number === 0))
    return <Card title="No changes of the API" description={description} />;
  return (
    <Card title="Changes of the API" description={description} flush>
      <Changes deploy={deploy} />
    </Card>
  );
}

function Changes({ deploy }: { readonly deploy: Deploy }) {
  const { slug } = useProject();
  const query = useQuery(deployChangesQuery(slug, deploy.id));
  return (
    <QueryView query={query} skeleton={<p className="px-4 py-4 text-muted sm:px-5">Loading …</p>}>
      {(changes) => <ChangeList deploy={deploy} list={changes} />}
    </QueryView>
  );
}

interface ChangeListProps {
  readonly deploy: Deploy;
  readonly list: DeployChanges;
}

/** How many are shown before somebody asks for more. */
const SHOWN = 10;

function ChangeList({ deploy, list }: ChangeListProps) {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [operation, setOperation] = useState('');
  const [most, setMost] = useState(SHOWN);
  const wanted = operation.trim().toLowerCase();
  const matching = list.changes.filter(
    (change) =>
      (verdict === null || change.verdict === verdict) &&
      (wanted === '' || (change.operation ?? '').toLowerCase().includes(wanted)),
  );
  const groups = groupChanges(matching);
  const choose = (next: Verdict | null) => {
    setVerdict(next);
    setMost(SHOWN);
  };
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 border-line border-b px-4 py-3 sm:px-5">
        <VerdictFilter list={list} chosen={verdict} onChoose={choose} />
        <input
          type="search"
          aria-label="Filter by operation"
          placeholder="Filter by operation"
          value={operation}
          onChange={({ target }) => {
            setOperation(target.value);
            setMost(SHOWN);
          }}
          className="h-8 w-full min-w-0 rounded-md border border-outline bg-surface px-2.5 text-[0.8125rem] placeholder:text-muted/80 sm:w-52"
        />
      </div>
      {groups.length === 0 && <p className="px-4 py-4 text-muted sm:px-5">No matching changes.</p>}
      <ul className="divide-y divide-line" aria-label="Changes of the API">
        {groups.slice(0, most).map((group) => (
          <ChangeRow key={group.key} group={group} deploy={deploy} list={list} />
        ))}
      </ul>
      {groups.length > most && (
        <div className="border-line border-t px-4 py-2.5 sm:px-5">
          <Button onClick={() => setMost(most + 100)}>
            Show {Math.min(100, groups.length - most)} more of {groups.length}
          </Button>
        </div>
      )}
      {list.leftOut > 0 && (
        <p className="border-line border-t px-4 py-2.5 text-muted sm:px-5">
          {count(list.leftOut, 'more change')} of least weight {list.leftOut === 1 ? 'is' : 'are'}{' '}
          counted and not listed.
        </p>
      )}
    </>
  );
}

interface VerdictFilterProps {
  readonly list: DeployChanges;
  readonly chosen: Verdict | null;
  readonly onChoose: (verdict: Verdict | null) => void;
}

/** The counts, each a filter. */
function VerdictFilter({ list: { summary }, chosen, onChoose }: VerdictFilterProps) {
  const verdicts = (Object.keys(VERDICTS) as Verdict[]).filter((one) => (summary?.[one] ?? 0) > 0);
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">Verdict</legend>
      {[null, ...verdicts].map((one) => (
        <button
          key={one ?? 'all'}
          type="button"
          aria-pressed={chosen === one}
          onClick={() => onChoose(one)}
          className={cx(
            'inline-flex h-8 items-center gap-1.5 rounded-md border px-2.5 text-[0.8125rem]',
            chosen === one
              ? 'border-ink bg-subtle font-medium'
              : 'border-line text-muted hover:text-ink',
          )}
        >
          {one === null ? 'All' : VERDICTS[one].label}
          {one !== null && (
            <Badge tone={VERDICTS[one].tone}>{summary?.[one].toLocaleString('en')}</Badge>
          )}
        </button>
      ))}
    </fieldset>
  );
}
