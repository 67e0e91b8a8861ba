import { table } from '@petstore/service/table.ts';
import { countsOf, type Report, summaryOf, toldOf } from './report.ts';
import { placeOf } from './report-junit.ts';

const WORDS = { kept: 'kept', broken: 'BROKEN', not_seen: 'not seen' } as const;

/** A report for the terminal. */
export function reportTable(report: Report): string {
  const { rules, requests, challenge } = report;
  const { kept, broken, not_seen } = countsOf(report);
  const title = challenge ? `${challenge.title} (${challenge.code})` : `Sandbox ${report.sandbox}`;
  const rows = rules.map(({ code, verdict, title }) => [WORDS[verdict], code, title]);
  const notes = rules.flatMap(({ code, verdict, evidence, standard }) => {
    const told = toldOf({ verdict, evidence });
    if (told.length === 0) return [];
    const pieces = told.flatMap(({ requests, seen, expected }, index) => [
      `  ${placeOf(requests)}${seen}`,
      // Said once, behind the last of those that it is for.
      ...(told[index + 1]?.expected === expected ? [] : [`  ${expected}`]),
    ]);
    return [[code, ...pieces, `  ${standard.title}: ${standard.url}`].join('\n')];
  });
  const unseen = rules.filter(({ verdict }) => verdict === 'not_seen');
  const hints = unseen.map(({ code, advice }) => [`  ${code}`, advice]);
  return [
    `${title}: ${summaryOf(report)}.`,
    `Requests: ${requests.count}${requests.isWhole ? '' : ', the newest ones'}. Rules: ${kept} kept, ${broken} broken, ${not_seen} not seen.`,
    '',
    table([['VERDICT', 'RULE', 'WHAT IT ASKS FOR'], ...rows]),
    ...notes.map((note) => `\n${note}`),
    ...(hints.length > 0
      ? [`\nWhat to do for the rules that were not seen:\n${table(hints)}`]
      : []),
  ].join('\n');
}
