import type { Section, Table } from '../report.ts';
import type { Spread } from '../statistics.ts';
import { precise, whole } from '../table.ts';
import { type Figure, MAKERS, type Maker, type SitesComparison } from './site-results.ts';

/** Fewer are a trial. */
const FULL_RUNS = 5;

const COLUMNS: readonly (readonly [title: string, figure: Figure, show: typeof whole])[] = [
  ['kB', 'kB', whole],
  ['of it scripts', 'scriptsKB', whole],
  ['requests', 'requests', whole],
  ['first paint', 'firstPaintMs', whole],
  ['readable', 'readableMs', whole],
  ['blocked', 'blockedMs', whole],
  ['shift', 'shift', (value) => value.toFixed(3)],
  ['next page', 'nextMs', whole],
  ['search', 'searchFirstMs', whole],
  ['next key', 'searchLaterMs', whole],
];

/** The section of docs/performance.md about published sites. Times are in milliseconds. */
export function sitesSection(sites: SitesComparison): Section {
  const runs = fewestRuns(sites);
  const count = runs === 1 ? 'once' : `${runs} times`;
  return {
    extent: `each page opened ${count} with an empty cache, medians, times in milliseconds`,
    isShort: runs < FULL_RUNS,
    tables: [pageTable(sites), buildTable(sites), ...deploysTables(sites)],
  };
}

/** Documents can be measured at several times. */
export function fewestRuns({ documents }: SitesComparison): number {
  return Math.min(...documents.map(({ runs }) => runs));
}

function pageTable({ documents }: SitesComparison): Table {
  const rows = documents.flatMap(({ label, operations, pages }) =>
    (Object.keys(MAKERS) as Maker[]).map((maker, at) => [
      at === 0 ? `${label} (${whole(operations)})` : '',
      MAKERS[maker],
      ...COLUMNS.map(([, figure, show]) => shown(pages[maker]?.[figure], show)),
    ]),
  );
  return { head: ['document (operations)', 'pages by', ...COLUMNS.map(([title]) => title)], rows };
}

function buildTable({ documents }: SitesComparison): Table {
  const head = ['document', 'MB', 'built in s', 'peak MiB', "service's answers, p99 ms"];
  head.push('new contents when deployed again', 'first by its summary', 'or one that shares it');
  head.push('found by axe');
  const rows = documents.map(({ label, megabytes, build, recall, violations }) => [
    label,
    precise(megabytes),
    precise(build.seconds),
    whole(build.peakMiB),
    whole(build.p99Ms),
    whole(build.newBlobs),
    recall?.itself === undefined ? '–' : `${recall.itself} of ${recall.asked}`,
    recall ? `${recall.first} of ${recall.asked}` : '–',
    whole(violations.length),
  ]);
  return { head, rows };
}

function deploysTables({ kept }: SitesComparison): Table[] {
  if (!kept) return [];
  const { deploys, operations, sameMiB, changedMiB } = kept;
  const head = [`${whole(deploys)} deploys of ${operations} operations`, 'MiB more'];
  const rows = [
    ['the very same document', precise(sameMiB)],
    ['one description changed each time', precise(changedMiB)],
  ];
  return [{ head, rows }];
}

function shown(figure: Spread | undefined, show: typeof whole): string {
  return figure ? show(figure.median) : '–';
}
