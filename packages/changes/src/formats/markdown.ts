import type { ChangeList } from '../change.ts';
import type { Verdict } from '../rules.ts';
import {
  type ChangeGroup,
  grouped,
  HEADINGS,
  operationsInWords,
  sideOf,
  summaryInWords,
} from './grouped.ts';
import { oneLine } from './one-line.ts';

/** Of all rows. A comment on GitHub has 65,536 letters at most; headings take some hundred. */
const MAX_LETTERS = 59_000;

const FOLDED: ReadonlySet<Verdict> = new Set(['compatible', 'documentation']);

/** Tables for a comment on a pull request, 60,000 letters at most: the gravest changes are there. */
export function changesMarkdown({ changes, summary }: ChangeList): string {
  const parts = [`**API changes:** ${summaryInWords(summary)}.`];
  let left = MAX_LETTERS;
  for (const [verdict, groups] of grouped(changes)) {
    const rows = groups.map(rowOf);
    const kept: string[] = [];
    for (const row of rows) {
      if (row.length + 1 > left) break;
      left -= row.length + 1;
      kept.push(row);
    }
    const missing = rows.length - kept.length;
    const table = ['| Operation | Change | Place |', '| --- | --- | --- |', ...kept].join('\n');
    const more = missing > 0 ? `\n\nAnd ${missing} more.` : '';
    const title = `${HEADINGS[verdict]} (${summary[verdict]})`;
    parts.push(
      FOLDED.has(verdict)
        ? `<details>\n<summary>${title}</summary>\n\n${table}${more}\n\n</details>`
        : `### ${title}\n\n${table}${more}`,
    );
  }
  return `${parts.join('\n\n')}\n`;
}

function rowOf({ change, operations }: ChangeGroup): string {
  const side = sideOf(change);
  const place = side ? `${side.file}${side.line === null ? '' : `:${side.line}`}` : '';
  const of = operationsInWords(operations);
  const cells = [of && code(of), message(change.message), place && code(place)];
  return `| ${cells.join(' | ')} |`;
}

/** Text of the document's author as code, in which nothing is a mention, a link or HTML. */
function code(text: string): string {
  return `\`${oneLine(text).replaceAll('`', '′').replaceAll('|', '\\|')}\``;
}

/** Between the marks of code a message has only words of ours. */
function message(text: string): string {
  const parts = oneLine(text).split('`');
  return parts
    .map((part, at) => (at % 2 === 1 && at < parts.length - 1 ? code(part) : escaped(part)))
    .join('');
}

const escaped = (text: string): string => text.replace(/[\\*_<>[\]#@&|~]/g, (mark) => `\\${mark}`);
