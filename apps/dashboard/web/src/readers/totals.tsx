import type { ReaderReport } from '../../../server/src/readers/reader-report.ts';

/** The sums of a period. */
export function Totals({ totals }: Pick<ReaderReport, 'totals'>) {
  const { views, searches, missedSearches, missing, helpful, unhelpful, calls, agents, tools } =
    totals;
  const answers = helpful + unhelpful;
  const number = (value: number) => value.toLocaleString('en');
  const tiles: [label: string, value: string, more: string][] = [
    ['Views', number(views), 'pages that people saw'],
    ['Searches', number(searches), `${number(missedSearches)} without a full match`],
    ['Not found', number(missing), 'views of missing pages'],
    [
      'Helpful',
      answers === 0 ? '–' : `${Math.round((100 * helpful) / answers)} %`,
      `of ${number(answers)} answer${answers === 1 ? '' : 's'}`,
    ],
    ['Try-it calls', number(calls), 'from the pages’ panel'],
    ['Programs', number(agents), `and ${number(tools)} MCP call${tools === 1 ? '' : 's'}`],
  ];
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line shadow-card sm:grid-cols-3 lg:grid-cols-6">
      {tiles.map(([label, value, more]) => (
        <div key={label} className="bg-surface px-4 py-3">
          <dt className="text-[0.8125rem] text-muted">{label}</dt>
          <dd className="font-semibold text-lg tabular-nums leading-7">{value}</dd>
          <dd className="text-[0.75rem] text-muted">{more}</dd>
        </div>
      ))}
    </dl>
  );
}
