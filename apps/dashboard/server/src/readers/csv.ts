/** Rows as CSV (RFC 4180), the names of the columns first: each line ends with CR LF. */
export function csvOf(
  columns: readonly string[],
  rows: Iterable<readonly (string | number)[]>,
): string {
  const line = (cells: readonly (string | number)[]) => `${cells.map(cellOf).join(',')}\r\n`;
  return [columns, ...rows].map(line).join('');
}

/** What a spreadsheet takes for a formula, also behind white space (OWASP, "CSV Injection"). */
const FORMULA = /^\s*[=+\-@|%]|^[\t\r\n]/;

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // With an apostrophe in front of it a spreadsheet shows it as text.
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
