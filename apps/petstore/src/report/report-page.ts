import { type Html, html } from '@petstore/http/html.ts';
import type { Judgement } from './judge.ts';
import { countsOf, type Report, summaryOf, toldOf } from './report.ts';
import { placeOf } from './report-junit.ts';
import type { Evidence, Verdict } from './rule.ts';

/** What the page needs beyond the style of all pages. */
export const REPORT_STYLE = `
:root { --kept: #1a7f37; --broken: #b42318; --unseen: #6b6e78; --notice: #9a6700; --panel: #f8f8fa; }
@media (prefers-color-scheme: dark) { :root { --kept: #4ac26b; --broken: #ff7b72; --unseen: #9a9da8; --notice: #d29922; --panel: #1a1c21; } }
main { max-width: 52rem; }
.counts { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0 0 2.5rem; padding: 0; list-style: none; }
.counts li { flex: 1 1 5.5rem; border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; }
.counts b { display: block; font-size: 1.9rem; line-height: 1.15; font-variant-numeric: tabular-nums; }
.counts span { color: var(--soft); }
.kept b, .kept .mark { color: var(--kept); } .broken b, .broken .mark { color: var(--broken); }
.not_seen .mark { color: var(--unseen); }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
article { border-top: 1px solid var(--line); padding: 1rem 0 1.1rem; display: grid;
  grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 1rem; break-inside: avoid; }
article > * { grid-column: 2; margin: 0; }
article .mark { grid-column: 1; grid-row: 1; font-weight: 600; white-space: nowrap; }
article h3 { grid-row: 1; font-size: 1rem; line-height: 1.5; }
article .standard { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
article ol { list-style: none; padding: 0; margin: .6rem 0 .3rem; display: grid; gap: .5rem; }
article li { background: var(--panel); border-left: 3px solid var(--line); border-radius: 0 .4rem .4rem 0;
  padding: .6rem .9rem; overflow-wrap: anywhere; }
.broken li { border-left-color: var(--broken); } li.notice { border-left-color: var(--notice); }
article li p { margin: 0; } article li p + p { margin-top: .2rem; color: var(--soft); }
article .advice { color: var(--soft); margin-top: .2rem; }
@media (max-width: 36rem) { article { display: block; } article .standard { margin-top: .2rem; } }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --line: #ccc; --paper: #fff; --panel: #fff;
  --kept: #10652a; --broken: #9a1b12; --unseen: #555; } main { max-width: none; padding: 0; }
  body { font-size: 10.5pt; } .standard a { color: inherit; } }
`;

const MARKS: Readonly<Record<Verdict, string>> = {
  kept: '✓ Kept',
  broken: '✗ Broken',
  not_seen: '– Not seen',
};

const GROUPS: readonly { verdict: Verdict; title: string }[] = [
  { verdict: 'broken', title: 'Broken' },
  { verdict: 'kept', title: 'Kept' },
  { verdict: 'not_seen', title: 'Not seen' },
];

export function reportTitle({ challenge, sandbox }: Report): string {
  return challenge ? `Challenge: ${challenge.title}` : `Client report of ${sandbox}`;
}

/** A report for people, to read and to print. */
export function reportPage(report: Report): Html {
  const counts = countsOf(report);
  const cards = GROUPS.map(
    ({ verdict, title }) =>
      html`<li class="${verdict}"><b>${counts[verdict]}</b><span>${title.toLowerCase()}</span></li>
`,
  );
  const groups = GROUPS.map(({ verdict, title }) => {
    const rules = report.rules.filter((rule) => rule.verdict === verdict);
    return rules.length === 0
      ? html``
      : html`<section><h2>${title}</h2>\n${rules.map(ruleOf)}</section>\n`;
  });
  const title = report.challenge?.title ?? 'How the client behaved';
  return html`<h1>${title}</h1>
<p class="lead">${sentenceOf(report)}</p>
<ul class="counts">
${cards}</ul>
${groups}`;
}

function sentenceOf(report: Report): string {
  const { count, isWhole, from, to } = report.requests;
  const summary = summaryOf(report);
  const verdict = `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`;
  if (from === undefined || to === undefined) return `${verdict} No request has come yet.`;
  const which = isWhole ? `${count} requests` : `The newest ${count} requests`;
  const [begin, end] = [from, to].map(moment) as [string, string];
  const day = begin.slice(0, 10);
  const until = end.startsWith(day) ? end.slice(11) : end;
  return `${verdict} ${which} in ${report.sandbox}, from ${begin} to ${until} UTC.`;
}

function moment(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

function ruleOf({ code, title, verdict, evidence, standard, advice }: Judgement): Html {
  const pieces =
    evidence.length === 0
      ? html``
      : html`<ol>${evidence.map((piece) => pieceOf(piece, verdict))}</ol>`;
  const unseen =
    verdict === 'not_seen' ? html`<p class="advice">To have it seen: ${advice}</p>` : html``;
  return html`<article class="${verdict}" id="${code}"><h3>${title}</h3><p class="mark">${MARKS[verdict]}</p>
<p class="standard"><code>${code}</code> · <a href="${standard.url}">${standard.title}</a></p>
${pieces}${unseen}</article>
`;
}

function pieceOf(piece: Evidence, verdict: Verdict): Html {
  const { requests, seen, expected } = piece;
  // Who keeps a rule need not be told how.
  const isTold = toldOf({ verdict, evidence: [piece] }).length > 0;
  const advice = isTold ? html`<p>${expected}</p>` : html``;
  return html`<li${piece.isNotice ? html` class="notice"` : html``}><p>${placeOf(requests)}${seen}</p>${advice}</li>`;
}
