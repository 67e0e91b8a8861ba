import { DARK, escapeXml, STYLE } from '../chart.ts';
import { whole } from '../table.ts';
import { type Figure, MAKERS, type Maker, type SitesComparison } from './site-results.ts';
import { fewestRuns } from './sites-report.ts';

// Sizes are those of the other chart: a phone shows it whole.
const WIDTH = 480;
const MARGIN = 20;
const BAR_LEFT = 166;
const BAR_RIGHT = 396;
const BAR_HEIGHT = 12;
const ROW_HEIGHT = 18;
const GROUP_GAP = 10;
const PANEL_HEAD = 34;
const PANEL_GAP = 18;
const TOP = 96;
const FOOT = 46;

const PANELS: readonly {
  readonly title: string;
  readonly figure: Figure;
  readonly unit: string;
}[] = [
  { title: 'Transferred', figure: 'kB', unit: 'kB' },
  { title: 'Readable after', figure: 'readableMs', unit: 'ms' },
];

const CLASSES: Readonly<Record<Maker, string>> = {
  own: 'service',
  redoc: 'bar',
  scalar: 'constant',
};

/** Draws what a page costs a reader with an empty cache, by document and by who made it. */
export function sitesChartSvg(sites: SitesComparison): string {
  const { documents, machine } = sites;
  const runs = fewestRuns(sites);
  const parts: string[] = [];
  let y = TOP;
  for (const panel of PANELS) {
    const drawn = drawPanel(sites, panel, y);
    parts.push(...drawn.parts);
    y = drawn.bottom + PANEL_GAP;
  }
  const height = y + FOOT - PANEL_GAP;
  const described = PANELS.map((panel) => describe(sites, panel)).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">An operation in the middle of ${documents.length} published documents, opened with an empty cache</title>
  <desc id="desc">${escapeXml(described)}</desc>
  <style>${STYLE}
    @media (prefers-color-scheme: dark) {${DARK}
    }
  </style>
  <rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
  <text class="title" x="${MARGIN}" y="38">An operation's page, with an empty cache</text>
  <text class="quiet" x="${MARGIN}" y="60">An operation in the middle of each document. Shorter is better.</text>
${parts.join('\n')}
  <text class="quiet" x="${MARGIN}" y="${height - 36}">Medians of ${runs} ${runs === 1 ? 'run' : 'runs'}, no throttling.</text>
  <text class="quiet" x="${MARGIN}" y="${height - 18}">${escapeXml(`${machine.cpu}, ${machine.cores} cores; Node ${machine.node.slice(1)}`)}</text>
</svg>
`;
}

function drawPanel(
  { documents }: SitesComparison,
  { title, figure, unit }: (typeof PANELS)[number],
  top: number,
) {
  const most = Math.max(1, ...documents.flatMap((one) => valuesOf(one, figure)));
  const parts = [`  <text class="panel" x="${MARGIN}" y="${top}">${title}</text>`];
  let y = top + PANEL_HEAD;
  for (const { label, pages } of documents) {
    parts.push(`  <text class="own" x="${MARGIN}" y="${y}">${escapeXml(label)}</text>`);
    y += ROW_HEIGHT;
    for (const maker of Object.keys(MAKERS) as Maker[]) {
      const value = pages[maker]?.[figure]?.median;
      const width = Math.max(1, ((value ?? 0) / most) * (BAR_RIGHT - BAR_LEFT));
      const text = value === undefined ? '–' : `${whole(value)} ${unit}`;
      parts.push(`  <text class="quiet" x="${MARGIN}" y="${y}">${MAKERS[maker]}</text>
  <rect class="track" x="${BAR_LEFT}" y="${y - 10.5}" width="${BAR_RIGHT - BAR_LEFT}" height="${BAR_HEIGHT}" rx="2"/>
  <rect class="${CLASSES[maker]}" x="${BAR_LEFT}" y="${y - 10.5}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>
  <text class="value quiet" x="${WIDTH - MARGIN}" y="${y}" text-anchor="end">${text}</text>`);
      y += ROW_HEIGHT;
    }
    y += GROUP_GAP;
  }
  return { parts, bottom: y };
}

function valuesOf({ pages }: SitesComparison['documents'][number], figure: Figure): number[] {
  return Object.values(pages).flatMap((page) => page[figure]?.median ?? []);
}

/** The panel in words, for those who don't see it. */
function describe(
  { documents }: SitesComparison,
  { title, figure, unit }: (typeof PANELS)[number],
) {
  const rows = documents.map(({ label, pages }) => {
    const values = (Object.keys(MAKERS) as Maker[]).flatMap((maker) => {
      const value = pages[maker]?.[figure]?.median;
      return value === undefined ? [] : [`${MAKERS[maker]} ${whole(value)} ${unit}`];
    });
    return `${label}: ${values.join(', ')}`;
  });
  return `${title}: ${rows.join('; ')}.`;
}
