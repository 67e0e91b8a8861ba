import type { Change, ChangeList } from '../change.ts';
import { grouped, operationsInWords, sideOf, summaryInWords } from './grouped.ts';
import { oneLine } from './one-line.ts';

/** Of each level GitHub shows ten for a step: the rest is in the log. */
const LEVELS = { breaking: 'error', risky: 'warning' } as const;

/** Workflow commands, which GitHub Actions shows beside the lines of a pull request. */
export function changesGithub({ changes, summary }: ChangeList): string {
  const lines = grouped(changes).flatMap(([verdict, groups]) => {
    if (verdict !== 'breaking' && verdict !== 'risky') return [];
    return groups.map(({ change, operations }) => {
      const of = operationsInWords(operations);
      return `::${LEVELS[verdict]} ${properties(change)}::${data(`${of && `${oneLine(of)}: `}${oneLine(change.message)}`)}`;
    });
  });
  return `${[...lines, `::notice title=API changes::${data(summaryInWords(summary))}`].join('\n')}\n`;
}

function properties(change: Change): string {
  const side = sideOf(change);
  const of = {
    ...(side && { file: side.file }),
    ...(side && side.line !== null && { line: String(side.line) }),
    title: change.code,
  };
  return Object.entries(of)
    .map(([name, value]) => `${name}=${property(value)}`)
    .join(',');
}

const data = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
