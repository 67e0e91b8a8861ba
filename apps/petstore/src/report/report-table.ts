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
  const notes = rules.flatMap(({ code, verdict, evidence, standard, advice }) => {
    if (verdict === 'not_seen') return [`${code}\n  To have it seen: ${advice}`];
    const told = toldOf({ verdict, evidence });
    if (told.length === 0) return [];
    const pieces = told.map(
      ({ requests, seen, expected }) => `  ${placeOf(requests)}${seen}\n  ${expected}`,
    );
    return [[code, ...pieces, `  ${standard.title}: ${standard.url}`].join('\n')];
  });
  return [
    `${title}: ${summaryOf(report)}.`,
    `${requests.count} requests${requests.isWhole ? '' : ', the newest ones'}. ${kept} rules kept, ${broken} broken, ${not_seen} not seen.`,
    '',
    table([['VERDICT', 'RULE', ''], ...rows]),
    ...notes.map((note) => `\n${note}`),
  ].join('\n');
}
