import { useState } from 'react';
import type {
  ComparedPage,
  Comparison,
} from '../../../../server/src/domains/rehearsal/rehearsal.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/class-names.ts';

const STATES = [
  { state: 'missing', label: 'Missing', tone: 'negative' },
  { state: 'redirected', label: 'Redirected', tone: 'accent' },
  { state: 'found', label: 'Found', tone: 'positive' },
] as const;

/** How many are shown before somebody asks for all. */
const SHOWN = 12;

/** Every address of the old site that was looked at, and what is there here. */
export function ComparisonCard({ comparison }: { readonly comparison: Comparison }) {
  const { origin, pages } = comparison;
  const [chosen, setChosen] = useState<ComparedPage['state'] | undefined>();
  const first = STATES.find(({ state }) => comparison[state] > 0)?.state ?? 'found';
  const state = chosen ?? first;
  const shown = pages.filter((page) => page.state === state);
  return (
    <Card
      title="Addresses"
      description={
        <span className="wrap-anywhere">Those of {origin}, and what visitors would find here.</span>
      }
      actions={
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">Which addresses to show</legend>
          {STATES.map((one) => (
            <Button
              key={one.state}
              size="small"
              variant={one.state === state ? 'secondary' : 'ghost'}
              aria-pressed={one.state === state}
              onClick={() => setChosen(one.state)}
            >
              {one.label} {comparison[one.state]}
            </Button>
          ))}
        </fieldset>
      }
      flush
    >
      <Pages key={state} pages={shown} />
    </Card>
  );
}

function Pages({ pages }: { readonly pages: readonly ComparedPage[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll || pages.length <= SHOWN + 2 ? pages : pages.slice(0, SHOWN);
  if (pages.length === 0) return <p className="px-4 py-4 text-muted sm:px-5">None.</p>;
  return (
    <>
      <ul className="divide-y divide-line">
        {shown.map((page) => (
          <PageRow key={page.path} page={page} />
        ))}
      </ul>
      {shown.length < pages.length && (
        <div className="border-line border-t px-4 py-3 sm:px-5">
          <Button size="small" onClick={() => setShowsAll(true)}>
            Show all {pages.length}
          </Button>
        </div>
      )}
    </>
  );
}

function PageRow({
  page: { path, title, state, to, suggestion },
}: {
  readonly page: ComparedPage;
}) {
  const { label, tone } = STATES.find((one) => one.state === state) ?? STATES[0];
  const target = to ?? suggestion;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-0.5 px-4 py-2.5 sm:px-5">
      <div className="min-w-0">
        <code className="font-mono text-[0.8125rem] wrap-anywhere">{path}</code>
        {target !== null && (
          <p className={cx('text-[0.8125rem] wrap-anywhere', to === null && 'text-muted')}>
            <span aria-hidden>→ </span>
            {to === null ? 'Suggested: ' : <span className="sr-only">leads to </span>}
            <code className="font-mono">{target}</code>
          </p>
        )}
        {title !== '' && <p className="text-[0.8125rem] text-muted wrap-anywhere">{title}</p>}
      </div>
      <Badge tone={tone}>{label}</Badge>
    </li>
  );
}
