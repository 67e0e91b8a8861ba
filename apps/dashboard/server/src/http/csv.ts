type Cells = readonly (string | number | null)[];

/** Rows as CSV (RFC 4180), the names of the columns first. */
export function csvOf(columns: readonly string[], rows: Iterable<Cells>): string {
  return [columns, ...rows].map(csvLine).join('');
}

/** One row, with CR LF at its end. A cell that a spreadsheet takes for a formula begins with an apostrophe. */
export function csvLine(cells: Cells): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** What a spreadsheet takes for a formula, also behind white space (OWASP, "CSV Injection"). */
const FORMULA = /^\s*[=+\-@|%]|^[\t\r\n]/;

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // With an apostrophe in front of it a spreadsheet shows it as text.
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
