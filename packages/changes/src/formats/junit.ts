import type { Change, ChangeList } from '../change.ts';
import type { Verdict } from '../rules.ts';
import { sideOf } from './grouped.ts';
import { oneLine } from './one-line.ts';

/** JUnit's XML: each change is a test case, and those of the verdicts `failing` have failed. */
export function changesJunit({ changes }: ChangeList, failing: readonly Verdict[]): string {
  const shown = changes.filter(({ verdict }) => verdict !== 'documentation');
  const failed = shown.filter(({ verdict }) => failing.includes(verdict)).length;
  const cases = shown.map((change) => testCase(change, failing));
  // Without any test case some readers take a report for a broken one.
  if (cases.length === 0) cases.push('    <testcase name="no changes" classname="api"/>');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="API changes" tests="${cases.length}" failures="${failed}" errors="0">`,
    `  <testsuite name="API changes" tests="${cases.length}" failures="${failed}" errors="0">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>\n',
  ].join('\n');
}

function testCase(change: Change, failing: readonly Verdict[]): string {
  const { code, verdict, operation, message } = change;
  const side = sideOf(change);
  const place = side ? `${side.file}${side.line === null ? '' : `:${side.line}`}` : '';
  // Jenkins' schema knows no attribute for a file.
  const inside = failing.includes(verdict)
    ? `<failure type="${code}" message="${escaped(`${verdict}: ${message}`)}">${escaped(place)}</failure>`
    : `<system-out>${escaped(place)}</system-out>`;
  return `    <testcase name="${escaped(message)}" classname="${escaped(operation ?? 'api')}">\n      ${inside}\n    </testcase>`;
}

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** XML has no control characters, not even escaped. */
const escaped = (text: string): string =>
  oneLine(text)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (mark) => MARKS[mark] ?? mark);
