import type { Change, ChangeList } from '../change.ts';
import type { Verdict } from '../rules.ts';
import { grouped, HEADINGS, operationsInWords, summaryInWords } from './grouped.ts';
import { oneLine } from './one-line.ts';

/** Colours a part of the text: a verdict's heading, or what is of less weight. */
export type Paint = (part: Verdict | 'faint', text: string) => string;

const plain: Paint = (_part, text) => text;

/** A list for a terminal. */
export function changesText({ changes, summary }: ChangeList, paint: Paint = plain): string {
  const lines: string[] = [];
  for (const [verdict, groups] of grouped(changes)) {
    lines.push(paint(verdict, `${HEADINGS[verdict]} (${summary[verdict].toLocaleString('en')})`));
    for (const { change, operations } of groups) {
      const where = operationsInWords(operations);
      lines.push(`  ${where === '' ? '' : `${oneLine(where)}: `}${oneLine(change.message)}`);
      lines.push(paint('faint', `    ${oneLine(placesOf(change))} [${change.code}]`));
    }
    lines.push('');
  }
  return `${lines.join('\n')}${lines.length > 0 ? '\n' : ''}${summaryInWords(summary)}\n`;
}

/** `old.yaml:12 → new.yaml:14` */
function placesOf({ old, new: now }: Change): string {
  const places = [old, now].map(
    (side) => side && `${side.file}${side.line === null ? '' : `:${side.line}`}`,
  );
  if (old && now) return places.join(' → ');
  return `${places.filter(Boolean).join('')}${now ? '' : ', gone'}`;
}
