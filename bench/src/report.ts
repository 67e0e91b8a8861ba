// Writes the chart and every figure of docs/performance.md from bench/results. Runs by itself too:
// `node bench/src/report.ts`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Comparison, findCell, isTrial } from './cells.ts';
import { chartSvg } from './chart.ts';
import { LOADS, type Load } from './contenders.ts';
import { EDGE_LOADS, type EdgeComparison, type EdgeLoad } from './edge-results.ts';
import {
  CROWDS,
  type Crowd,
  type EdgeTlsComparison,
  TLS_LOADS,
  type TlsLoad,
} from './edge-tls-results.ts';
import { type Growth, OPERATIONS, type Operation } from './growth-results.ts';
import type { Guessing } from './guessing-results.ts';
import type { Machine } from './machine.ts';
import { RESULTS, ROOT } from './paths.ts';
import type { QuotaCost } from './quota-results.ts';
import { ends, type Soak } from './soak-results.ts';
import type { Spread } from './statistics.ts';
import { markdownTable, precise, whole } from './table.ts';
import { type Verdict, verdicts } from './targets.ts';

const DOCUMENT = `${ROOT}docs/performance.md`;

/** Fewer rounds of the quota are a trial. */
const FULL_QUOTA_ROUNDS = 8;

/** Fewer wrong keys are a trial. */
const FULL_GUESSES = 1_000_000;

/** A shorter soak is a trial. */
const FULL_MINUTES = 10;

const TITLES: Record<Load, string> = {
  list: 'List 20, unchanged since it was last read',
  'list-uncached': 'List 20, page cache off',
  get: 'Get one by random id',
  create: 'Create',
  mix: 'Nine lists to one create',
};

/** Writes what the results that are there allow. */
export function writeReport(): void {
  const comparison = results<Comparison>('latest');
  const growth = results<Growth>('growth');
  const quota = results<QuotaCost>('quota');
  const guessing = results<Guessing>('guessing');
  const soak = results<Soak>('soak');
  const edge = results<EdgeComparison>('edge');
  const edgeTls = results<EdgeTlsComparison>('edge-tls');
  if (comparison) writeFileSync(`${RESULTS}/chart.svg`, chartSvg(comparison));

  const sections: Record<string, string> = {
    targets: targetTable(verdicts(comparison, growth, edge, edgeTls, quota, guessing)),
    comparison: comparison ? comparisonTables(comparison) : MISSING,
    growth: growth ? growthTables(growth) : MISSING,
    quota: quota ? quotaTable(quota) : MISSING,
    guessing: guessing ? guessingTable(guessing) : MISSING,
    soak: soak ? soakTable(soak) : MISSING,
    edge: edge ? edgeTable(edge) : MISSING,
    'edge-tls': edgeTls ? edgeTlsTables(edgeTls) : MISSING,
  };
  let text = readFileSync(DOCUMENT, 'utf8');
  for (const [name, content] of Object.entries(sections)) {
    const begin = `<!-- figures: ${name} -->`;
    const end = `<!-- end of figures: ${name} -->`;
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) {
      throw new Error(`docs/performance.md has no place for ${name}`);
    }
    text = `${before}${begin}\n\n${content}\n\n${end}${after}`;
  }
  writeFileSync(DOCUMENT, text);
}

const MISSING = 'Not measured yet.';

function results<T>(name: string): T | undefined {
  const path = `${RESULTS}/${name}.json`;
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}

function provenance(machine: Machine, extent: string, isShort: boolean): string {
  const { cpu, cores, memoryGiB, kernel, node, wrk, commit, date, pinned } = machine;
  const where = `${cpu}, ${cores} cores, ${memoryGiB} GiB, Linux ${kernel}, Node ${node.slice(1)}, ${wrk}`;
  const how = pinned
    ? 'server and client each on a core of its own'
    : 'server and client not pinned';
  const trial = isShort ? '**A short trial, to show the form: not figures to quote.** ' : '';
  return `${trial}${date.slice(0, 10)}, commit ${commit}: ${where}; ${how}; ${extent}.`;
}

function targetTable(all: readonly Verdict[]): string {
  return markdownTable(
    ['target', 'wanted', 'measured', 'reached'],
    all.map(({ target, wanted, measured, isReached }) => [
      target,
      wanted,
      measured,
      isReached === undefined ? '–' : isReached ? 'yes' : '**no**',
    ]),
  );
}

function comparisonTables(comparison: Comparison): string {
  const { machine, rounds, seconds, pets } = comparison;
  const extent = `${rounds} rounds of ${seconds} s, ${whole(pets)} pets`;
  const tables = LOADS.map((load) => `### ${TITLES[load]}\n\n${loadTable(comparison, load)}`);
  return [provenance(machine, extent, isTrial({ rounds })), ...tables].join('\n\n');
}

/** Connections below each other within a contender. */
function loadTable(comparison: Comparison, load: Load): string {
  const isMix = load === 'mix';
  const head = ['contender', 'connections', 'requests/s', 'min–max', 'of bare'];
  head.push('p50 ms', 'p99 ms', 'p99.9 ms');
  if (isMix) head.push('p99 of lists', 'creates');
  head.push('cores', 'peak MiB');
  const rows = comparison.contenders.flatMap(({ name, label }) =>
    connectionsOf(comparison, load).flatMap((connections, at) => {
      const cell = findCell(comparison, load, connections, name);
      if (!cell) return [];
      const { requestsPerSecond: rate, readsP99, createShare } = cell;
      return [
        [
          at === 0 ? label : '',
          String(connections),
          whole(rate.median),
          `${whole(rate.min)}–${whole(rate.max)}`,
          cell.ratio.median.toFixed(2),
          ...[cell.p50, cell.p99, cell.p999].map(({ median }) => precise(median)),
          ...(isMix ? [readsP99 ? precise(readsP99.median) : '–'] : []),
          ...(isMix ? [`${((createShare?.median ?? 0) * 100).toFixed(1)} %`] : []),
          cell.cpu.median.toFixed(2),
          whole(cell.peakMiB.median),
        ],
      ];
    }),
  );
  return markdownTable(head, rows);
}

function connectionsOf({ cells }: Comparison, load: Load): number[] {
  return [...new Set(cells.filter((cell) => cell.load === load).map((cell) => cell.connections))];
}

function growthTables({ machine, rounds, seconds, connections, sizes }: Growth): string {
  const operations = Object.entries(OPERATIONS) as [Operation, string][];
  const costs = markdownTable(
    ['requests/s (cost to the smallest)', ...sizes.map(({ pets }) => whole(pets))],
    operations.map(([operation, title]) => [
      title,
      ...sizes.map(({ operations: by }) => {
        const { requestsPerSecond, cost } = by[operation];
        return `${whole(requestsPerSecond.median)} (${cost.median.toFixed(2)})`;
      }),
    ]),
  );
  const weights = markdownTable(
    ['', ...sizes.map(({ pets }) => whole(pets))],
    [
      ['start to first 200, ms', ...sizes.map(({ startMs }) => whole(startMs.median))],
      ['peak under the mix, MiB', ...sizes.map(({ peakMiB }) => whole(peakMiB))],
      ['file, MiB', ...sizes.map(({ fileMiB }) => precise(fileMiB))],
    ],
  );
  const extent = `${rounds} rounds of ${seconds} s, ${connections} connections`;
  return [provenance(machine, extent, isTrial({ rounds })), costs, weights].join('\n\n');
}

function quotaTable({
  machine,
  rounds,
  pairs,
  seconds,
  connections,
  ...figures
}: QuotaCost): string {
  const { limited, unlimited, ratio } = figures;
  const row = (title: string, { median, min, max }: Spread) => [
    title,
    ...[median, min, max].map(precise),
  ];
  const extent = `${rounds} rounds of ${pairs} turns of ${seconds} s of each, ${connections} connections`;
  return [
    provenance(machine, extent, rounds < FULL_QUOTA_ROUNDS),
    markdownTable(
      ['', 'median', 'least', 'most'],
      [
        row('a list with a quota, CPU µs', limited),
        row('a list without, CPU µs', unlimited),
        row('with, to without', ratio),
      ],
    ),
  ].join('\n\n');
}

function guessingTable({ machine, pairs, seconds, connections, slices }: Guessing): string {
  const guesses = slices.at(-1)?.guesses ?? 0;
  const extent = `${pairs} turns of ${seconds} s of each service at each line, ${connections} connections`;
  const rows = slices.map((slice) => [
    whole(slice.guesses),
    precise(slice.cpuUs),
    slice.ratio.median.toFixed(3),
    whole(slice.residentMiB),
    whole(slice.quietResidentMiB),
  ]);
  const head = ['wrong keys', 'a list, CPU µs', 'to the quiet one', 'resident, MiB', 'quiet, MiB'];
  return [provenance(machine, extent, guesses < FULL_GUESSES), markdownTable(head, rows)].join(
    '\n\n',
  );
}

function soakTable(soak: Soak): string {
  const { start, end } = ends(soak);
  const row = (title: string, show: (slice: typeof start) => string) => [
    title,
    show(start),
    show(end),
  ];
  const extent = `${soak.minutes} minutes, ${soak.connections} connections, ${whole(soak.petsBefore)} pets before and ${whole(soak.petsAfter)} after`;
  return [
    provenance(soak.machine, extent, soak.minutes < FULL_MINUTES),
    markdownTable(
      ['', 'first tenth', 'last tenth'],
      [
        row('requests/s', ({ requestsPerSecond }) => whole(requestsPerSecond)),
        row('p99 of lists, ms', ({ readsP99 }) => precise(readsP99)),
        row('resident, MiB', ({ residentMiB }) => whole(residentMiB)),
      ],
    ),
  ].join('\n\n');
}

function edgeTable({
  machine,
  nginx,
  rounds,
  seconds,
  connections,
  loads,
}: EdgeComparison): string {
  const head = ['load', 'server', 'requests/s', 'min–max', 'of nginx', 'p50 ms', 'p99 ms'];
  head.push('cores', 'CPU µs', 'peak MiB', 'bytes');
  const rows = (Object.keys(EDGE_LOADS) as EdgeLoad[]).flatMap((load) =>
    (['nginx', 'edge'] as const).map((name) => {
      const served = loads[load][name];
      const { requestsPerSecond: rate, ratio, p50, p99, cpu, cpuUs, peakMiB, answerBytes } = served;
      return [
        name === 'nginx' ? EDGE_LOADS[load] : '',
        name,
        whole(rate.median),
        `${whole(rate.min)}–${whole(rate.max)}`,
        ratio.median.toFixed(2),
        precise(p50.median),
        precise(p99.median),
        cpu.median.toFixed(2),
        precise(cpuUs.median),
        whole(peakMiB.median),
        whole(answerBytes),
      ];
    }),
  );
  const extent = `${rounds} rounds of ${seconds} s, ${connections} connections, ${nginx}`;
  return [provenance(machine, extent, isTrial({ rounds })), markdownTable(head, rows)].join('\n\n');
}

function edgeTlsTables(results: EdgeTlsComparison): string {
  const { machine, nginx, rounds, seconds, connections, loads, crowds } = results;
  const head = ['load', 'server', 'a second', 'min–max', 'of nginx', 'CPU µs', 'peak MiB'];
  const rows = (Object.keys(TLS_LOADS) as TlsLoad[]).flatMap((load) =>
    (['nginx', 'edge'] as const).flatMap((name) => {
      const served = loads[load]?.[name];
      if (!served) return [];
      const { perSecond, ratio, cpuUs, peakMiB } = served;
      return [
        [
          name === 'nginx' ? TLS_LOADS[load] : '',
          name,
          whole(perSecond.median),
          `${whole(perSecond.min)}–${whole(perSecond.max)}`,
          ratio.median.toFixed(2),
          precise(cpuUs.median),
          whole(peakMiB.median),
        ],
      ];
    }),
  );
  const crowdRows = (Object.keys(CROWDS) as Crowd[]).map((crowd) => {
    const { cpuUs, ofFew, peakMiB } = crowds[crowd];
    return [
      CROWDS[crowd],
      precise(cpuUs.median),
      `${precise(cpuUs.min)}–${precise(cpuUs.max)}`,
      ofFew.median.toFixed(2),
      whole(peakMiB.median),
    ];
  });
  const extent = `${rounds} rounds of ${seconds} s, ${connections} connections, ${nginx}`;
  return [
    provenance(machine, extent, isTrial({ rounds })),
    markdownTable(head, rows),
    markdownTable(
      ['hosts that clients connect to', 'CPU µs of a handshake', 'min–max', 'of ten', 'peak MiB'],
      crowdRows,
    ),
  ].join('\n\n');
}

if (import.meta.main) writeReport();
