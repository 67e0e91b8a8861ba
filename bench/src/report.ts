// Shows the results of a run, and writes the chart and every figure of docs/performance.md from bench/results.
// Writes by itself too: `node bench/src/report.ts`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chartSvg } from './chart.ts';
import { LOADS, type Load } from './contenders.ts';
import { documentsSection } from './documents/documents-report.ts';
import type { Machine } from './machine.ts';
import { RESULTS, ROOT } from './paths.ts';
import {
  type Comparison,
  CROWDS,
  type Crowd,
  EDGE_LOADS,
  findCell,
  type Growth,
  isTrial,
  OPERATIONS,
  type Operation,
  type Results,
  type SandboxEngine,
  type SideBySide,
  type SoakSlice,
  TLS_LOADS,
} from './results.ts';
import { sitesChartSvg } from './sites/sites-chart.ts';
import { sitesSection } from './sites/sites-report.ts';
import { type Spread, spread } from './statistics.ts';
import { markdownTable, precise, table, whole } from './table.ts';
import { verdicts } from './targets.ts';

const DOCUMENT = `${ROOT}docs/performance.md`;

/** Fewer rounds of the quota are a trial. */
const FULL_QUOTA_ROUNDS = 8;

/** Fewer wrong keys are a trial. */
const FULL_GUESSES = 1_000_000;

/** Fewer sandboxes are a trial. */
const FULL_SANDBOXES = 10_000;

/** A shorter soak is a trial. */
const FULL_MINUTES = 10;

const TITLES: Record<Load, string> = {
  list: 'List 20, unchanged since it was last read',
  'list-uncached': 'List 20, page cache off',
  get: 'Get one by random id',
  create: 'Create',
  mix: 'Nine lists to one create',
};

/** A section of docs/performance.md. */
export interface Section {
  /** What was measured how long, and whether that is too short for figures to quote. */
  readonly extent: string;
  readonly isShort: boolean;
  readonly tables: readonly Table[];
}

export interface Table {
  readonly title?: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const SECTIONS: { [Name in keyof Results]: (results: Results[Name]) => Section } = {
  latest: (comparison) => ({
    extent: extentOf(comparison),
    isShort: isTrial(comparison),
    tables: LOADS.map((load) => loadTable(comparison, load)).filter(({ rows }) => rows.length > 0),
  }),
  workers: (comparison) => ({
    extent: extentOf(comparison),
    isShort: isTrial(comparison),
    tables: LOADS.map((load) => loadTable(comparison, load, 'of one')).filter(
      ({ rows }) => rows.length > 0,
    ),
  }),
  growth: (growth) => ({
    extent: `${lengthOf(growth)}, ${growth.connections} connections`,
    isShort: isTrial(growth),
    tables: growthTables(growth),
  }),
  quota: ({ rounds, pairs, seconds, connections, limited, unlimited, ratio }) => {
    const row = (title: string, { median, min, max }: Spread) => [
      title,
      ...[median, min, max].map(precise),
    ];
    return {
      extent: `${rounds} rounds of ${pairs} turns of ${seconds} s of each, ${connections} connections`,
      isShort: rounds < FULL_QUOTA_ROUNDS,
      tables: [
        {
          head: ['', 'median', 'least', 'most'],
          rows: [
            row('a list with a quota, CPU µs', limited),
            row('a list without, CPU µs', unlimited),
            row('with, to without', ratio),
          ],
        },
      ],
    };
  },
  guessing: ({ pairs, seconds, connections, slices }) => {
    const rows = slices.map((slice) => [
      whole(slice.guesses),
      precise(slice.cpuUs),
      slice.ratio.median.toFixed(3),
      whole(slice.residentMiB),
      whole(slice.quietResidentMiB),
    ]);
    const head = ['wrong keys', 'a list, CPU µs', 'to the quiet one'];
    head.push('resident, MiB', 'quiet, MiB');
    return {
      extent: `${pairs} turns of ${seconds} s of each service at each line, ${connections} connections`,
      isShort: (slices.at(-1)?.guesses ?? 0) < FULL_GUESSES,
      tables: [{ head, rows }],
    };
  },
  sandboxes: ({ sandboxes, seconds, connections, engines }) => {
    const row = (title: string, figure: (engine: SandboxEngine) => string) => [
      title,
      ...engines.map(figure),
    ];
    return {
      extent: `${whole(sandboxes)} sandboxes, loads of ${seconds} s on one of them, lists with ${connections} connections and writes with 16`,
      isShort: sandboxes < FULL_SANDBOXES,
      tables: [
        {
          head: ['', ...engines.map(({ engine }) => engine)],
          rows: [
            row('to make one, median, ms', ({ createMs }) => precise(createMs.median)),
            row('to make one, p99, ms', ({ createMs }) => precise(createMs.p99)),
            row('each in memory, as made, kB', ({ made }) => precise(made.memoryKb)),
            row('each on disk, as made, kB', ({ made }) => precise(made.diskKb)),
            row('each in memory, read and changed, kB', ({ used }) => precise(used.memoryKb)),
            row('each on disk, read and changed, kB', ({ used }) => precise(used.diskKb)),
            row('lists of one a second', ({ listsPerSecond }) => whole(listsPerSecond)),
            row('writes to one a second', ({ writesPerSecond }) => whole(writesPerSecond)),
          ],
        },
      ],
    };
  },
  soak: ({ minutes, connections, slices, petsBefore, petsAfter }) => {
    const tenth = Math.max(1, Math.round(slices.length / 10));
    const parts = [slices.slice(0, tenth), slices.slice(-tenth)];
    const row = (title: string, figure: keyof SoakSlice, show: typeof whole) => [
      title,
      ...parts.map((part) => show(medianOf(part, figure))),
    ];
    return {
      extent: `${minutes} minutes, ${connections} connections, ${whole(petsBefore)} pets before and ${whole(petsAfter)} after`,
      isShort: minutes < FULL_MINUTES,
      tables: [
        {
          head: ['', 'first tenth', 'last tenth'],
          rows: [
            row('requests/s', 'requestsPerSecond', whole),
            row('p99 of lists, ms', 'readsP99', precise),
            row('resident, MiB', 'residentMiB', whole),
          ],
        },
      ],
    };
  },
  edge: (comparison) => {
    const head = ['load', 'server', 'requests/s', 'min–max', 'of nginx', 'p50 ms', 'p99 ms'];
    head.push('cores', 'CPU µs', 'peak MiB', 'bytes');
    const rows = sideBySide(EDGE_LOADS, comparison.loads, (served) => [
      ...rateColumns(served.requestsPerSecond, served.ratio),
      ...[served.p50, served.p99].map(({ median }) => precise(median)),
      served.cpu.median.toFixed(2),
      precise(served.cpuUs.median),
      whole(served.peakMiB.median),
      whole(served.answerBytes),
    ]);
    return {
      extent: `${lengthOf(comparison)}, ${comparison.connections} connections, ${comparison.nginx}`,
      isShort: isTrial(comparison),
      tables: [{ head, rows }],
    };
  },
  'edge-tls': (comparison) => {
    const head = ['load', 'server', 'a second', 'min–max', 'of nginx', 'CPU µs', 'peak MiB'];
    const rows = sideBySide(TLS_LOADS, comparison.loads, ({ perSecond, ratio, cpuUs, peakMiB }) => [
      ...rateColumns(perSecond, ratio),
      precise(cpuUs.median),
      whole(peakMiB.median),
    ]);
    const crowdHead = ['hosts that clients connect to', 'CPU µs of a handshake'];
    const crowdRows = (Object.keys(CROWDS) as Crowd[]).map((crowd) => {
      const { cpuUs, ofFew, peakMiB } = comparison.crowds[crowd];
      return [
        CROWDS[crowd],
        precise(cpuUs.median),
        `${precise(cpuUs.min)}–${precise(cpuUs.max)}`,
        ofFew.median.toFixed(2),
        whole(peakMiB.median),
      ];
    });
    return {
      extent: `${lengthOf(comparison)}, ${comparison.connections} connections, ${comparison.nginx}`,
      isShort: isTrial(comparison),
      tables: [
        { head, rows },
        { head: [...crowdHead, 'min–max', 'of ten', 'peak MiB'], rows: crowdRows },
      ],
    };
  },
  sites: sitesSection,
  documents: documentsSection,
};

/** Keeps the results of a whole run, shows them, and writes anew what is drawn from them. */
export function publish<Name extends keyof Results>(name: Name, results: Results[Name]): void {
  show(name, results);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}/${name}.json`, `${JSON.stringify(results, null, 2)}\n`);
  writeReport();
  console.log(`\nWrote bench/results/${name}.json, and docs/performance.md anew.`);
}

/** Shows the tables of results at the terminal. */
export function show<Name extends keyof Results>(name: Name, results: Results[Name]): void {
  for (const { title, head, rows } of SECTIONS[name](results).tables) {
    console.log(`\n${title ? `${title}\n\n` : ''}${table(head, rows)}`);
  }
}

/** Writes what the results that are there allow. */
function writeReport(): void {
  const names = Object.keys(SECTIONS) as (keyof Results)[];
  const results: Partial<Results> = Object.fromEntries(
    names.map((name) => [name, readResults(name)]),
  );
  if (results.latest) writeFileSync(`${RESULTS}/chart.svg`, chartSvg(results.latest));
  if (results.sites) writeFileSync(`${RESULTS}/sites.svg`, sitesChartSvg(results.sites));
  let text = readFileSync(DOCUMENT, 'utf8');
  text = replaceFigures(text, 'targets', targetTable(results));
  for (const name of names) {
    const place = name === 'latest' ? 'comparison' : name;
    text = replaceFigures(text, place, markdown(name, results[name]));
  }
  writeFileSync(DOCUMENT, text);
}

function readResults(name: keyof Results): unknown {
  const path = `${RESULTS}/${name}.json`;
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** The document with other figures in their place. */
function replaceFigures(text: string, place: string, figures: string): string {
  const begin = `<!-- figures: ${place} -->`;
  const end = `<!-- end of figures: ${place} -->`;
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`docs/performance.md has no place for ${place}`);
  }
  return `${before}${begin}\n\n${figures}\n\n${end}${after}`;
}

function markdown<Name extends keyof Results>(
  name: Name,
  results: Results[Name] | undefined,
): string {
  if (!results) return 'Not measured yet.';
  const { extent, isShort, tables } = SECTIONS[name](results);
  const blocks = tables.map(({ title, head, rows }) => {
    const heading = title ? `### ${title}\n\n` : '';
    return heading + markdownTable(head, rows);
  });
  return [provenance(results.machine, extent, isShort), ...blocks].join('\n\n');
}

function provenance(machine: Machine, extent: string, isShort: boolean): string {
  const { cpu, cores, memoryGiB, kernel, node, wrk, commit, date, pinned } = machine;
  const where = [
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, Linux ${kernel}, Node ${node.slice(1)}`,
    wrk,
  ]
    .filter(Boolean)
    .join(', ');
  const how = pinned
    ? 'server and client each on a core of its own'
    : 'server and client not pinned';
  const trial = isShort ? '**A short trial, to show the form: not figures to quote.** ' : '';
  return `${trial}${date.slice(0, 10)}, commit ${commit}: ${where}; ${how}; ${extent}.`;
}

function extentOf(comparison: Comparison): string {
  const { pets, leftOut } = comparison;
  return [`${lengthOf(comparison)}, ${whole(pets)} pets`, ...leftOut].join('; ');
}

function lengthOf({ rounds, seconds }: { rounds: number; seconds: number }): string {
  return `${rounds} rounds of ${seconds} s`;
}

function targetTable(results: Partial<Results>): string {
  return markdownTable(
    ['target', 'wanted', 'measured', 'reached'],
    verdicts(results).map(({ target, wanted, measured, isReached }) => [
      target,
      wanted,
      measured,
      isReached === undefined ? '–' : isReached ? 'yes' : '**no**',
    ]),
  );
}

/** A rate, its least and most, and what it is of another's. */
function rateColumns(rate: Spread, ratio: Spread): string[] {
  const range = `${whole(rate.min)}–${whole(rate.max)}`;
  return [whole(rate.median), range, ratio.median.toFixed(2)];
}

/** Connections below each other within a contender. */
function loadTable(comparison: Comparison, load: Load, ratio = 'of bare'): Table {
  const isMix = load === 'mix';
  const head = ['contender', 'connections', 'requests/s', 'min–max', ratio];
  head.push('p50 ms', 'p99 ms', 'p99.9 ms');
  if (isMix) head.push('p99 of lists', 'creates');
  head.push('cores', 'CPU µs', 'peak MiB');
  const rows = comparison.contenders.flatMap(({ name, label }) =>
    connectionsOf(comparison, load).flatMap((connections, at) => {
      const cell = findCell(comparison, load, connections, name);
      if (!cell) return [];
      const { readsP99, createShare } = cell;
      return [
        [
          at === 0 ? label : '',
          String(connections),
          ...rateColumns(cell.requestsPerSecond, cell.ratio),
          ...[cell.p50, cell.p99, cell.p999].map(({ median }) => precise(median)),
          ...(isMix ? [readsP99 ? precise(readsP99.median) : '–'] : []),
          ...(isMix ? [`${((createShare?.median ?? 0) * 100).toFixed(1)} %`] : []),
          cell.cpu.median.toFixed(2),
          precise(cell.cpuUs.median),
          whole(cell.peakMiB.median),
        ],
      ];
    }),
  );
  return { title: TITLES[load], head, rows };
}

function connectionsOf({ cells }: Comparison, load: Load): number[] {
  return [...new Set(cells.filter((cell) => cell.load === load).map((cell) => cell.connections))];
}

function growthTables({ sizes }: Growth): Table[] {
  const pets = sizes.map((size) => whole(size.pets));
  const operations = Object.entries(OPERATIONS) as [Operation, string][];
  return [
    {
      head: ['requests/s (cost to the smallest)', ...pets],
      rows: operations.map(([operation, title]) => [
        title,
        ...sizes.map(({ operations: by }) => {
          const { requestsPerSecond, cost } = by[operation];
          return `${whole(requestsPerSecond.median)} (${cost.median.toFixed(2)})`;
        }),
      ]),
    },
    {
      head: ['', ...pets],
      rows: [
        ['start to first 200, ms', ...sizes.map(({ startMs }) => whole(startMs.median))],
        ['peak under the mix, MiB', ...sizes.map(({ peakMiB }) => whole(peakMiB))],
        ['file, MiB', ...sizes.map(({ fileMiB }) => precise(fileMiB))],
      ],
    },
  ];
}

function medianOf(slices: readonly SoakSlice[], figure: keyof SoakSlice): number {
  return spread(slices.map((slice) => slice[figure])).median;
}

/** nginx and the edge below each other within a load. */
function sideBySide<Name extends string, Served>(
  titles: Readonly<Record<Name, string>>,
  loads: Readonly<Partial<Record<Name, SideBySide<Served>>>>,
  columns: (served: Served) => string[],
): string[][] {
  return (Object.keys(titles) as Name[]).flatMap((name) => {
    const load = loads[name];
    if (!load) return [];
    return [
      [titles[name], 'nginx', ...columns(load.nginx)],
      ['', 'edge', ...columns(load.edge)],
    ];
  });
}

if (import.meta.main) writeReport();
