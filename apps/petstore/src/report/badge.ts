import { escaped } from '@petstore/http/html.ts';
import { type Report, summaryOf } from './report.ts';

/** Widths of letters in the badge's font at 11 px, roughly: badges are read, not measured. */
const LETTER_PX = 6.4;

const COLORS = { kept: '#1a7f37', broken: '#b42318', not_seen: '#5a5d66' } as const;

/** What became of a challenge, as a small picture. */
export function badge(report: Report): string {
  const left = report.challenge ? `petstore ${report.challenge.code}` : 'petstore report';
  const right = summaryOf(report);
  const [leftWidth, rightWidth] = [left, right].map((text) =>
    Math.round(text.length * LETTER_PX + 14),
  ) as [number, number];
  const width = leftWidth + rightWidth;
  const text = (x: number, value: string) =>
    `<text x="${x}" y="14" text-anchor="middle">${escaped(value)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${escaped(`${left}: ${right}`)}">
<title>${escaped(`${left}: ${right}`)}</title>
<clipPath id="r"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${leftWidth}" height="20" fill="#33353d"/><rect x="${leftWidth}" width="${rightWidth}" height="20" fill="${COLORS[report.verdict]}"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">${text(leftWidth / 2, left)}${text(leftWidth + rightWidth / 2, right)}</g>
</svg>
`;
}
