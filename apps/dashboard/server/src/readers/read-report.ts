import type { Deps } from '../deps.ts';
import { instant } from '../schema-types.ts';
import type { ProjectRow } from '../store/projects.ts';
import {
  firstCounted,
  listReaderNames,
  listReaderSums,
  monthOf,
  type NameCount,
  sumDetails,
} from '../store/readers.ts';
import type { CountKind } from './counted.ts';
import { type PeriodName, periodOf } from './period.ts';
import type { ReaderReport, ReaderRow, TableName } from './reader-report.ts';

/** The kind that a table is of, and which of its details; undefined: all. */
const KIND_OF: Record<
  TableName,
  { readonly kind: CountKind; readonly details?: readonly string[] }
> = {
  pages: { kind: 'view' },
  sources: { kind: 'source' },
  searches: { kind: 'search' },
  'missed-searches': { kind: 'search', details: ['nothing', 'some'] },
  missing: { kind: 'missing' },
  feedback: { kind: 'helpful' },
  calls: { kind: 'try' },
  agents: { kind: 'agent' },
  tools: { kind: 'tool' },
};

/** Rows that are read for a table: names with their details. */
const MAX_READ = 5_000;

/** What readers of a project did in a period, in sums. */
export async function readReport(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { id, count_readers }: ProjectRow,
  name: PeriodName,
): Promise<ReaderReport> {
  const { unit, from, starts } = periodOf(name, now());
  const [sums, details, since] = await Promise.all([
    listReaderSums(db, id, { from, unit }),
    sumDetails(db, id, from),
    firstCounted(db, id),
  ]);
  const stepOf = unit === 'month' ? monthOf : (at: number) => at;
  const sumAt = (kind: CountKind) => {
    const byStep = new Map<number, number>();
    for (const one of sums)
      if (one.kind === kind)
        byStep.set(stepOf(one.start), (byStep.get(stepOf(one.start)) ?? 0) + one.count);
    return (at: number) => byStep.get(at) ?? 0;
  };
  const [views, agents] = [sumAt('view'), sumAt('agent')];
  const total = (kind: CountKind, ...wanted: string[]) =>
    details
      .filter((one) => one.kind === kind && (wanted.length === 0 || wanted.includes(one.detail)))
      .reduce((sum, { count }) => sum + count, 0);
  return {
    isCounted: count_readers === 1,
    unit,
    from: instant(from),
    since: since === undefined ? null : instant(since),
    steps: starts.map((at) => ({ at: instant(at), views: views(at), agents: agents(at) })),
    totals: {
      views: total('view'),
      searches: total('search'),
      missedSearches: total('search', 'nothing', 'some'),
      missing: total('missing'),
      helpful: total('helpful', 'yes'),
      unhelpful: total('helpful', 'no'),
      calls: total('try'),
      agents: total('agent'),
      tools: total('tool'),
    },
  };
}

/** The rows of a table in a period: the most frequent names first, all others at the end. */
export async function readTable(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  projectId: string,
  table: TableName,
  { period, limit }: { readonly period: PeriodName; readonly limit: number },
): Promise<ReaderRow[]> {
  const { kind, details } = KIND_OF[table];
  const { from } = periodOf(period, now());
  const names = await listReaderNames(db, projectId, kind, { from, details, limit: MAX_READ });
  return rowsOf(names).slice(0, limit);
}

/** Names with their details; the one without a name, which is all others, comes last. */
function rowsOf(counts: readonly NameCount[]): ReaderRow[] {
  const rows = new Map<string, { name: string; count: number; details: ReaderRow['details'] }>();
  for (const { name, detail, count } of counts) {
    const row = rows.get(name) ?? { name, count: 0, details: [] };
    rows.set(name, row);
    row.count += count;
    if (detail !== '') row.details.push({ name: detail, count });
  }
  return [...rows.values()].sort(
    (one, other) => Number(one.name === '') - Number(other.name === '') || other.count - one.count,
  );
}
