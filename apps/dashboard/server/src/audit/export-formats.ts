import { csvLine } from '../http/csv.ts';
import type { AuditEntry } from './audit-entry.ts';

interface ExportFormat {
  readonly type: string;
  /** Before the entries. */
  readonly head: string;
  readonly line: (entry: AuditEntry) => string;
}

const COLUMNS = [
  'id',
  'at',
  'actor',
  'via',
  'token',
  'ip',
  'action',
  'project',
  'target',
  'details',
] as const;

/** The formats of an exported log: JSON Lines, and CSV (RFC 4180). */
export const EXPORT_FORMATS = {
  jsonl: {
    type: 'application/jsonl; charset=utf-8',
    head: '',
    line: (entry) => `${JSON.stringify(entry)}\n`,
  },
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    head: csvLine(COLUMNS),
    line: (entry) => csvLine(COLUMNS.map((column) => textOf(entry[column]))),
  },
} as const satisfies Record<string, ExportFormat>;
export type ExportFormatName = keyof typeof EXPORT_FORMATS;

function textOf(value: AuditEntry[(typeof COLUMNS)[number]]): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}
