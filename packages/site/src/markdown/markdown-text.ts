/** Text for a table's cell: it can end neither the cell nor its row, and cannot begin HTML. */
export function cell(text: string): string {
  return inline(text).replaceAll('|', '\\|');
}

/** Text on one line that cannot begin HTML. */
export function inline(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('<', '&lt;').trim();
}

/** Plain text, such as a title, to stand in Markdown. */
export function literal(text: string): string {
  return inline(text.replace(/[\\`*_[\]#]/g, '\\$&'));
}

/** Code on one line, whatever backticks it has (CommonMark, section 6.1). */
export function code(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A block of code. Nothing in the code can end it. */
export function codeBlock(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** The longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
