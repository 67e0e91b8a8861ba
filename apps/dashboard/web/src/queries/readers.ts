import { queryOptions } from '@tanstack/react-query';
import type { PeriodName } from '../../../server/src/readers/period.ts';
import type {
  ReaderReport,
  ReaderSentence,
  ReaderTable,
  TableName,
} from '../../../server/src/readers/reader-report.ts';
import { path } from '../api.ts';
import { get, pagedList } from './get.ts';
import { keys } from './keys.ts';

/** What readers of a project's site did, in sums. */
export const readersQuery = (slug: string, period: PeriodName) =>
  queryOptions({
    queryKey: [...keys.readers(slug), period],
    queryFn: get<ReaderReport>(`${path`/projects/${slug}/readers`}?period=${period}`),
  });

/** The same by name: of pages, hosts, searches and so on. */
export const readerTableQuery = (slug: string, table: TableName, period: PeriodName) =>
  queryOptions({
    queryKey: [...keys.readers(slug), period, table],
    queryFn: get<ReaderTable>(`${path`/projects/${slug}/readers/${table}`}?period=${period}`),
    select: ({ items }) => items,
  });

/** What readers wrote, the newest first. */
export const sentencesQuery = (slug: string) =>
  pagedList<ReaderSentence>(
    [...keys.readers(slug), 'sentences'],
    path`/projects/${slug}/readers/sentences`,
  );
