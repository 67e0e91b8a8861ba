import { type ChangeEvent, type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button, buttonClass } from '../ui/button.tsx';
import { CONTROL } from '../ui/field.tsx';
import { ArrowDown } from '../ui/icons.tsx';
import { ACTIONS } from './actions.ts';
import { type AuditFilter, auditFilter } from './audit-filter.ts';

interface AuditFiltersProps {
  /** The project whose log it is; undefined in the installation's. */
  readonly slug: string | undefined;
  readonly filter: AuditFilter;
  readonly setFilter: (filter: AuditFilter) => void;
}

/** What the log is narrowed by, and the ways to take it along. */
export function AuditFilters({ slug, filter, setFilter }: AuditFiltersProps) {
  const form = useRef<HTMLFormElement>(null);
  // What the address says, also after Back. Fields keep the focus, and what is being typed in others meanwhile.
  const shown = JSON.stringify(filter);
  const before = useRef<AuditFilter>({});
  useEffect(() => {
    const values: AuditFilter = JSON.parse(shown);
    for (const field of form.current?.elements ?? []) {
      if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
      const name = field.name as keyof AuditFilter;
      if (values[name] !== before.current[name]) field.value = values[name] ?? '';
    }
    before.current = values;
  }, [shown]);
  const apply = () => {
    if (!form.current) return;
    const values = [...new FormData(form.current)].map(([name, value]) => [name, `${value}`]);
    setFilter(auditFilter(Object.fromEntries(values)));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply();
  };
  const text = { type: 'text', spellCheck: false, autoComplete: 'off', maxLength: 300 } as const;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <form
      ref={form}
      onSubmit={submit}
      onReset={() => setFilter({})}
      aria-label="Filter the log"
      className="grid grid-cols-2 items-end gap-3 md:grid-cols-3"
    >
      <Labelled label="Who">
        {(id) => (
          <input {...text} id={id} name="actor" placeholder="E-mail address" className={FIELD} />
        )}
      </Labelled>
      <Labelled label="Action">
        {(id) => (
          <select id={id} name="action" className={`${FIELD} pr-8`} onChange={apply}>
            <option value="">All</option>
            {groupsOfActions().map(({ group, actions }) => (
              <optgroup key={group} label={group}>
                <option value={group}>All of {group}</option>
                {actions.map((action) => (
                  <option key={action} value={action}>
                    {action}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        )}
      </Labelled>
      {slug === undefined && (
        <Labelled label="Project">
          {(id) => <input {...text} id={id} name="project" placeholder="Slug" className={FIELD} />}
        </Labelled>
      )}
      <Labelled label="Target">
        {(id) => (
          <input
            {...text}
            id={id}
            name="target"
            placeholder="Exactly as in the log"
            className={FIELD}
          />
        )}
      </Labelled>
      <Labelled label="From (UTC)">
        {(id) => (
          <input type="date" id={id} name="from" className={FIELD} onChange={onDay(apply)} />
        )}
      </Labelled>
      <Labelled label="To (UTC)">
        {(id) => <input type="date" id={id} name="to" className={FIELD} onChange={onDay(apply)} />}
      </Labelled>
      <div className="col-span-full flex flex-wrap items-center gap-2">
        <Button type="submit">Filter</Button>
        {isFiltered && (
          <Button type="reset" variant="ghost">
            Clear
          </Button>
        )}
        <div className="ml-auto flex gap-2">
          {(['csv', 'jsonl'] as const).map((format) => (
            <a
              key={format}
              href={exportAddress(slug, filter, format)}
              download
              className={buttonClass('secondary', 'medium')}
            >
              <ArrowDown />
              <span className="sr-only">Download as </span>
              {format === 'csv' ? 'CSV' : 'JSON Lines'}
            </a>
          ))}
        </div>
      </div>
    </form>
  );
}

const FIELD = `${CONTROL} h-9`;

/** A day that is being typed has no value yet. */
const onDay = (apply: () => void) => (event: ChangeEvent<HTMLInputElement>) => {
  if (!event.currentTarget.validity.badInput) apply();
};

function exportAddress(slug: string | undefined, filter: AuditFilter, format: string): string {
  const log = slug === undefined ? '' : `/projects/${encodeURIComponent(slug)}`;
  return `/api${log}/audit/export?${new URLSearchParams({ format, ...filter })}`;
}

/** The actions by what is before their dot. */
function groupsOfActions() {
  const byGroup = Object.groupBy(Object.keys(ACTIONS), (action) => action.replace(/\..*/, ''));
  return Object.entries(byGroup).map(([group, actions = []]) => ({ group, actions }));
}

interface LabelledProps {
  readonly label: string;
  readonly children: (id: string) => ReactNode;
}

function Labelled({ label, children }: LabelledProps) {
  const id = useId();
  return (
    <div className="grid min-w-0 gap-1">
      <label htmlFor={id} className="font-medium text-[0.8125rem]">
        {label}
      </label>
      {children(id)}
    </div>
  );
}
