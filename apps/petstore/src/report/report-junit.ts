import { type Report, summaryOf, toldOf } from './report.ts';
import type { Evidence } from './rule.ts';

/** A report as JUnit XML, which continuous integration shows as tests: a rule is a test, one not seen is skipped. */
export function reportJunit(report: Report): string {
  const { rules, challenge } = report;
  const failures = rules.filter(({ verdict }) => verdict === 'broken').length;
  const skipped = rules.filter(({ verdict }) => verdict === 'not_seen').length;
  const name = challenge ? `petstore challenge ${challenge.code}` : 'petstore report';
  const cases = rules.map(({ code, title, verdict, evidence, standard, advice }) => {
    const head = `    <testcase classname="${xml(name)}" name="${xml(`${code}: ${title}`)}" time="0"`;
    if (verdict === 'not_seen') {
      return `${head}>\n      <skipped message="${xml(`Not seen. ${advice}`)}"/>\n    </testcase>`;
    }
    const told = toldOf({ verdict, evidence });
    const text = [...told.map(sentence), `${standard.title}: ${standard.url}`].join('\n');
    if (verdict === 'kept') {
      if (told.length === 0) return `${head}/>`;
      return `${head}>\n      <system-out>${xml(text)}</system-out>\n    </testcase>`;
    }
    const message = evidence[0]?.seen ?? title;
    return `${head}>\n      <failure type="${xml(code)}" message="${xml(message)}">${xml(text)}</failure>\n    </testcase>`;
  });
  const counts = `tests="${rules.length}" failures="${failures}" errors="0" skipped="${skipped}" time="0"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${xml(name)}" ${counts}>
  <testsuite name="${xml(name)}" ${counts}>
    <properties>
      <property name="sandbox" value="${xml(report.sandbox)}"/>
      <property name="requests" value="${report.requests.count}"/>
      <property name="verdict" value="${xml(summaryOf(report))}"/>
    </properties>
${cases.join('\n')}
  </testsuite>
</testsuites>
`;
}

function sentence({ requests, seen, expected }: Evidence): string {
  return `${placeOf(requests)}${seen} ${expected}`;
}

/** Which requests a piece of evidence is about: `Requests 3, 4: `. */
export function placeOf(requests: readonly number[]): string {
  if (requests.length === 0) return '';
  return `${requests.length === 1 ? 'Request' : 'Requests'} ${requests.join(', ')}: `;
}

/** What XML 1.0 cannot hold. */
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

function xml(text: string): string {
  return text.replace(NO_XML, '\ufffd').replace(/[&<>"\n]/g, (char) => ESCAPES[char] ?? char);
}
