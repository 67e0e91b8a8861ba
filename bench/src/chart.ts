import { BARE, isOwn, type Load } from './contenders.ts';
import { type Cell, type Comparison, findCell, isTrial } from './results.ts';
import { whole } from './table.ts';

// Sizes are those of a phone: at 360 pixels of width the smallest letters are still 9 pixels high.
const WIDTH = 480;
const MARGIN = 20;
const BAR_LEFT = 166;
const BAR_RIGHT = 366;
const BAR_HEIGHT = 14;
const ROW_HEIGHT = 24;
const PANEL_HEAD = 36;
const PANEL_GAP = 16;
const TOP = 104;
const FOOT = 46;

interface Panel {
  readonly title: string;
  readonly load: Load;
  readonly connections: number;
}

const PANELS: readonly Panel[] = [
  { title: 'List 20 pets', load: 'list', connections: 32 },
  { title: 'Get one by random id', load: 'get', connections: 32 },
  { title: 'Create', load: 'create', connections: 64 },
  { title: 'Nine lists to one create', load: 'mix', connections: 64 },
];

/** Names of contenders, in the order of the rows, with what stands beside their bars. */
const ROWS: Readonly<Record<string, string>> = {
  petstore: 'Petstore',
  'petstore-uncached': 'Petstore, no cache',
  fastify: 'Fastify, constant',
  express: 'Express 5',
  nestjs: 'NestJS',
  hono: 'Hono',
  'json-server': 'json-server',
  prism: 'Prism mock',
  go: 'Go, net/http',
  rust: 'Rust, axum',
};

/** Of all charts. */
export const STYLE = `
    text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; font-size: 13px; fill: #1f2328; }
    .card { fill: #ffffff; stroke: #d1d9e0; }
    .title { font-size: 18px; font-weight: 600; }
    .panel { font-weight: 600; }
    .quiet { font-size: 12px; fill: #59636e; }
    .own { font-weight: 600; }
    .value { font-variant-numeric: tabular-nums; }
    .track { fill: #f1f3f5; }
    .bar { fill: #8c959f; }
    .constant { fill: #c4cad1; }
    .service { fill: #0969da; }
    .range { stroke: #1f2328; stroke-opacity: 0.55; }`;

export const DARK = `
      text { fill: #f0f6fc; }
      .card { fill: #0d1117; stroke: #3d444d; }
      .quiet { fill: #9198a1; }
      .track { fill: #1c2129; }
      .bar { fill: #757e89; }
      .constant { fill: #464d57; }
      .service { fill: #4493f8; }
      .range { stroke: #f0f6fc; }`;

/** Draws requests a second as a part of the bare server's, a panel for each of the main loads. */
export function chartSvg(comparison: Comparison): string {
  const { rounds, seconds, machine } = comparison;
  const parts: string[] = [];
  let y = TOP;
  for (const panel of PANELS) {
    const rows = rowsOf(comparison, panel);
    parts.push(drawPanel(comparison, panel, rows, y));
    y += PANEL_HEAD + rows.length * ROW_HEIGHT + PANEL_GAP;
  }
  const height = y + FOOT - PANEL_GAP;
  const lengths =
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s` +
    (isTrial(comparison) ? ', a trial' : '');
  const description = PANELS.map((panel) => describe(comparison, panel)).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">Requests per second, as a part of a bare Node server's</title>
  <desc id="desc">${escapeXml(description)}</desc>
  <style>${STYLE}
    @media (prefers-color-scheme: dark) {${DARK}
    }
  </style>
  <rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
  <text class="title" x="${MARGIN}" y="38">Requests per second</text>
  <text class="quiet" x="${MARGIN}" y="60">The full width is what bare node:http does with a constant</text>
  <text class="quiet" x="${MARGIN}" y="77">answer of the same size. Numbers: part of it, requests/s.</text>
${parts.join('\n')}
  <text class="quiet" x="${MARGIN}" y="${height - 36}">Medians of ${escapeXml(lengths)}; thin lines: least and most.</text>
  <text class="quiet" x="${MARGIN}" y="${height - 18}">${escapeXml(`${machine.cpu}, one core for the server; Node ${machine.node.slice(1)}`)}</text>
</svg>
`;
}

interface Row {
  readonly name: string;
  readonly label: string;
  readonly cell: Cell;
}

function rowsOf(comparison: Comparison, { load, connections }: Panel): Row[] {
  return Object.entries(ROWS).flatMap(([name, label]) => {
    const own = name === 'petstore-uncached' && load === 'list' ? 'list-uncached' : load;
    const cell = findCell(comparison, own, connections, name);
    return cell ? [{ name, label, cell }] : [];
  });
}

function drawPanel(
  comparison: Comparison,
  panel: Panel,
  rows: readonly Row[],
  top: number,
): string {
  const { title, load, connections } = panel;
  const bare = findCell(comparison, load, connections, BARE);
  const limit = bare ? ` · node:http ${whole(bare.requestsPerSecond.median)}/s` : '';
  // A ratio may exceed 1 (docs/performance.md says why); the bar then ends at the edge and the number tells.
  const x = (ratio: number) => BAR_LEFT + Math.min(1, ratio) * (BAR_RIGHT - BAR_LEFT);
  const head = `  <text class="panel" x="${MARGIN}" y="${top + 14}">${escapeXml(title)}</text>
  <text class="quiet" x="${WIDTH - MARGIN}" y="${top + 14}" text-anchor="end">${connections} connections${escapeXml(limit)}</text>`;
  const lines = rows.map(({ name, label, cell }, at) => {
    const y = top + PANEL_HEAD + at * ROW_HEIGHT;
    const { ratio, requestsPerSecond } = cell;
    const isService = isOwn(name);
    const kind = isService ? 'service' : name === 'fastify' ? 'constant' : 'bar';
    const middle = y - 4.5;
    const width = Math.max(1, x(ratio.median) - BAR_LEFT);
    const range =
      ratio.max > ratio.min
        ? `\n  <line class="range" x1="${round(x(ratio.min))}" x2="${round(x(ratio.max))}" y1="${middle}" y2="${middle}"/>`
        : '';
    return `  <text${isService ? ' class="own"' : ''} x="${MARGIN}" y="${y}">${escapeXml(label)}</text>
  <rect class="track" x="${BAR_LEFT}" y="${y - 11.5}" width="${BAR_RIGHT - BAR_LEFT}" height="${BAR_HEIGHT}" rx="2"/>
  <rect class="${kind}" x="${BAR_LEFT}" y="${y - 11.5}" width="${round(width)}" height="${BAR_HEIGHT}" rx="2"/>${range}
  <text class="value${isService ? ' own' : ''}" x="${BAR_RIGHT + 36}" y="${y}" text-anchor="end">${ratio.median.toFixed(2)}</text>
  <text class="value quiet" x="${WIDTH - MARGIN}" y="${y}" text-anchor="end">${whole(requestsPerSecond.median)}</text>`;
  });
  return [head, ...lines].join('\n');
}

/** The panel in words, for those who don't see it. */
function describe(comparison: Comparison, panel: Panel): string {
  const rows = rowsOf(comparison, panel).map(
    ({ label, cell }) => `${label} ${cell.ratio.median.toFixed(2)}`,
  );
  return `${panel.title}, ${panel.connections} connections: ${rows.join('; ')}.`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
