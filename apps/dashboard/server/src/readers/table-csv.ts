import { csvOf } from '../http/csv.ts';
import type { ReaderRow, TableName } from './reader-report.ts';

/** What the names of each table are, and the details that have a column of their own. */
const COLUMNS: Record<TableName, { readonly name: string; readonly details: readonly string[] }> = {
  pages: { name: 'page', details: [] },
  sources: { name: 'source', details: [] },
  searches: { name: 'search', details: ['all', 'some', 'nothing'] },
  'missed-searches': { name: 'search', details: ['some', 'nothing'] },
  missing: { name: 'path', details: [] },
  feedback: { name: 'page', details: ['yes', 'no'] },
  calls: { name: 'page', details: ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] },
  agents: { name: 'program', details: ['page', 'markdown', 'llms'] },
  tools: { name: 'tool', details: [] },
};

/** A table as CSV. What is not kept by itself is named `(others)`. */
export function tableCsv(table: TableName, rows: readonly ReaderRow[]): string {
  const named = (name: string) => (name === '' ? '(others)' : name);
  if (table === 'missing') {
    const columns = ['path', 'count', 'from', 'state', 'redirect_to', 'line'];
    return csvOf(
      columns,
      rows.map(({ name, count, details, redirect }) => [
        ...[named(name), count, details.map((one) => one.name).join(' ')],
        ...[redirect?.state ?? '', redirect?.to ?? '', redirect?.line ?? ''],
      ]),
    );
  }
  const { name: column, details } = COLUMNS[table];
  return csvOf(
    [column, 'count', ...details],
    rows.map((row) => [
      ...[named(row.name), row.count],
      ...details.map((name) => row.details.find((one) => one.name === name)?.count ?? 0),
    ]),
  );
}
