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
    head: `${COLUMNS.join(',')}\r\n`,
    line: (entry) => `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`,
  },
} as const satisfies Record<string, ExportFormat>;
export type ExportFormatName = keyof typeof EXPORT_FORMATS;

function cell(value: AuditEntry[(typeof COLUMNS)[number]]): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : `${value}`;
  // Spreadsheets run what begins so as a formula; the apostrophe makes it text.
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
