import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type {
  AccountQuotas,
  ProjectQuotas,
  QuotaUse,
} from '../../../server/src/quotas/quota-use.ts';
import { PlanBadge } from '../projects/plan-badge.tsx';
import { quotaHoldersQuery } from '../queries/quotas.ts';
import { QuotaCell } from '../quotas/quota-cell.tsx';
import { QUOTA_WORDS } from '../quotas/quota-words.ts';
import { UsageBar } from '../quotas/usage-bar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { cx } from '../ui/class-names.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';

const KINDS = [
  { value: 'projects', label: 'Projects' },
  { value: 'accounts', label: 'Accounts' },
] as const;
type Kind = (typeof KINDS)[number]['value'];

/** Who uses what, the largest first, with exceptions for single accounts and projects. */
export function QuotaHoldersCard() {
  const [kind, setKind] = useState<Kind>('projects');
  const [search, setSearch] = useState('');
  const [onlyExceptions, setOnlyExceptions] = useState(false);
  const wanted = useDeferredValue(search.trim());
  const query = useInfiniteQuery(quotaHoldersQuery(kind, wanted, onlyExceptions));
  return (
    <Card
      title="Who uses what"
      description="Those that hold the most come first. What is set here holds for this one alone."
      flush
    >
      <search className="grid gap-x-4 gap-y-3 border-line border-b px-4 py-4 sm:grid-cols-[9rem_minmax(0,1fr)_auto] sm:items-end sm:px-5">
        <SelectField
          name="kind"
          label="Show"
          options={KINDS}
          value={kind}
          onValueChange={(value) => setKind(value as Kind)}
        />
        <TextField
          name="search"
          label="Search"
          type="search"
          placeholder="Part of a name, an address or a slug"
          autoComplete="off"
          value={search}
          onValueChange={setSearch}
        />
        <div className="flex min-h-9 items-center">
          <CheckBox label="Only exceptions" checked={onlyExceptions} onChange={setOnlyExceptions} />
        </div>
      </search>
      <ListView
        query={query}
        empty={
          <p className="px-4 py-4 text-muted sm:px-5">
            {nothingFound(kind, wanted, onlyExceptions)}
          </p>
        }
      >
        {(holder) => <Holder key={holder.target} holder={holder} />}
      </ListView>
      <LoadMore query={query}>Show more</LoadMore>
    </Card>
  );
}

function nothingFound(kind: Kind, wanted: string, onlyExceptions: boolean): string {
  if (onlyExceptions) return 'No exceptions are set.';
  if (wanted !== '') return 'No matches.';
  return kind === 'projects' ? 'There are no projects yet.' : 'There are no accounts yet.';
}

function Holder({ holder }: { readonly holder: AccountQuotas | ProjectQuotas }) {
  const { target, name, plan, quotas } = holder;
  const other = 'slug' in holder ? holder.slug : holder.email;
  return (
    <li className="px-4 py-4 sm:px-5">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <h3 className="min-w-0 truncate font-medium">{name}</h3>
        <span className="min-w-0 truncate text-[0.8125rem] text-muted">{other}</span>
        <PlanBadge plan={plan} />
      </div>
      <div
        className={cx(
          'mt-3 grid gap-x-6 gap-y-3',
          quotas.length === 2 ? 'sm:grid-cols-2' : 'sm:grid-cols-3',
        )}
      >
        {quotas.map((use) => (
          <UseCell key={use.quota} use={use} target={target} of={other} />
        ))}
      </div>
    </li>
  );
}

interface UseCellProps {
  readonly use: QuotaUse;
  readonly target: string;
  readonly of: string;
}

function UseCell({ use, target, of }: UseCellProps) {
  const { label } = QUOTA_WORDS[use.quota];
  const isSet = use.from === 'one';
  return (
    <QuotaCell
      {...{ quota: use.quota, unit: use.unit, most: use.most, target, isSet }}
      name={`${label} of ${of}`}
      label={
        <>
          {label}
          {isSet && <Badge tone="accent">Exception</Badge>}
        </>
      }
    >
      <UsageBar use={use} />
    </QuotaCell>
  );
}
