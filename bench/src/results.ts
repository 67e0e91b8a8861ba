import type { Contender, Load } from './contenders.ts';
import type { DocumentsPublished } from './documents/documents-report.ts';
import type { Machine } from './machine.ts';
import type { SitesComparison } from './sites/site-results.ts';
import type { Spread } from './statistics.ts';

/** What the files of bench/results hold, each under its name. */
export interface Results {
  readonly latest: Comparison;
  readonly growth: Growth;
  readonly quota: QuotaCost;
  readonly guessing: Guessing;
  readonly soak: Soak;
  readonly sandboxes: Sandboxes;
  readonly workers: Comparison;
  readonly edge: EdgeComparison;
  readonly 'edge-tls': EdgeTlsComparison;
  readonly sites: SitesComparison;
  readonly documents: DocumentsPublished;
}

interface Measured {
  readonly machine: Machine;
  readonly connections: number;
}

/** Rounds, each with a load of so many seconds. */
interface InRounds {
  readonly rounds: number;
  readonly seconds: number;
}

/** One contender under one load at one number of connections, in one round. */
export interface Sample {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** To the first contender, under the same load in the same round. */
  readonly ratio: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly readsP99: number | undefined;
  /** Of a mix: the part of the requests that were creates. */
  readonly createShare: number | undefined;
  /** Busy cores, on average. */
  readonly cpu: number;
  /** Processor time of a request, in microseconds. */
  readonly cpuUs: number;
  readonly peakMiB: number;
}

type OfMix = 'readsP99' | 'createShare';

/** All rounds of a contender under a load. */
export interface Cell
  extends Readonly<Record<Exclude<keyof Sample, OfMix>, Spread>>,
    Readonly<Partial<Record<OfMix, Spread>>> {
  readonly load: Load;
  readonly connections: number;
  readonly contender: string;
}

export interface Comparison extends InRounds {
  readonly machine: Machine;
  readonly pets: number;
  readonly contenders: readonly {
    readonly name: string;
    readonly label: string;
    readonly commitsEach: boolean;
    readonly runsOn: Contender['runsOn'];
  }[];
  /** A sentence for each contender that could not run there. */
  readonly leftOut: readonly string[];
  readonly cells: readonly Cell[];
}

export function findCell(
  { cells }: Pick<Comparison, 'cells'>,
  load: Load,
  connections: number,
  contender: string,
): Cell | undefined {
  return cells.find(
    (cell) =>
      cell.load === load && cell.connections === connections && cell.contender === contender,
  );
}

/** Runs of fewer rounds are trials, whose figures are not to be quoted. */
const FULL_ROUNDS = 5;

export function isTrial({ rounds }: Pick<InRounds, 'rounds'>): boolean {
  return rounds < FULL_ROUNDS;
}

export const OPERATIONS = {
  first: 'list, first page',
  middle: 'list, from the middle',
  rare: 'list, rarest status',
  get: 'get by id',
  create: 'create',
} as const;
export type Operation = keyof typeof OPERATIONS;

export interface Operated {
  readonly requestsPerSecond: Spread;
  /** Milliseconds. */
  readonly p99: Spread;
  /** Time a request to that with the fewest pets, in the same round. */
  readonly cost: Spread;
  /** Mean size of an answer, in bytes. */
  readonly answerBytes: number;
}

export interface Growth extends Measured, InRounds {
  readonly sizes: readonly {
    /** Before any create of the run. */
    readonly pets: number;
    readonly fileMiB: number;
    /** From the start of the process to its first 200, in milliseconds. */
    readonly startMs: Spread;
    /** The most that was resident under the mix, with the default settings. */
    readonly peakMiB: number;
    readonly operations: Readonly<Record<Operation, Operated>>;
  }[];
}

interface QuotaCost extends Measured, InRounds {
  /** Turns of each service in a round. */
  readonly pairs: number;
  /** Processor time of the service for a list, in microseconds: the medians of the rounds. */
  readonly limited: Spread;
  readonly unlimited: Spread;
  /** The first as a part of the second, of turns that followed each other. */
  readonly ratio: Spread;
}

/** What is measured each time that some of the guesses have been made. */
export interface GuessingSlice {
  /** Wrong keys so far. */
  readonly guesses: number;
  /** Processor time of a list with the right key, in microseconds, at the service that was guessed at. */
  readonly cpuUs: number;
  /** That, as a part of the same at a service that nobody guessed at. */
  readonly ratio: Spread;
  /** What is resident at either, in MiB. */
  readonly residentMiB: number;
  readonly quietResidentMiB: number;
}

export interface Guessing extends Measured {
  readonly pairs: number;
  readonly seconds: number;
  /** The first is from before any guess. */
  readonly slices: readonly GuessingSlice[];
  /** How often each status answered a guess. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** What one of many sandboxes takes, on average, in kB. */
interface SandboxSize {
  readonly memoryKb: number;
  readonly diskKb: number;
}

export interface SandboxEngine {
  readonly engine: string;
  /** To make one over HTTP, one after the other. */
  readonly createMs: { readonly median: number; readonly p99: number };
  /** While nobody uses them: as they were made, and after each was read and changed once. */
  readonly made: SandboxSize;
  readonly used: SandboxSize;
  /** Of one sandbox. */
  readonly listsPerSecond: number;
  readonly writesPerSecond: number;
}

interface Sandboxes extends Measured {
  readonly sandboxes: number;
  /** Of each load on one. */
  readonly seconds: number;
  readonly engines: readonly SandboxEngine[];
}

export interface SoakSlice {
  readonly requestsPerSecond: number;
  /** Of the lists alone, in milliseconds. */
  readonly readsP99: number;
  readonly residentMiB: number;
}

interface Soak extends Measured {
  readonly minutes: number;
  readonly sliceSeconds: number;
  readonly slices: readonly SoakSlice[];
  readonly petsBefore: number;
  readonly petsAfter: number;
  /** The database with its log, in MiB. */
  readonly fileMiBAfter: number;
}

export const EDGE_LOADS = {
  page: 'a page of 10 kB',
  compressed: 'the same, compressed',
  unchanged: 'the same, unchanged: 304',
  hosts: 'the page of 1,000 hosts in turn',
} as const;
export type EdgeLoad = keyof typeof EDGE_LOADS;

/** nginx and the edge under one load. */
export type SideBySide<Served> = Readonly<Record<'nginx' | 'edge', Served>>;

export interface Served {
  readonly requestsPerSecond: Spread;
  /** To nginx under the same load in the same round. */
  readonly ratio: Spread;
  /** Milliseconds. */
  readonly p50: Spread;
  readonly p99: Spread;
  /** Busy cores, on average. */
  readonly cpu: Spread;
  /** Processor time of a request, in microseconds: what is left where the client is the slower half. */
  readonly cpuUs: Spread;
  readonly peakMiB: Spread;
  /** Mean size of an answer with its head, in bytes. */
  readonly answerBytes: number;
}

interface EdgeComparison extends Measured, InRounds {
  readonly nginx: string;
  readonly loads: Readonly<Record<EdgeLoad, SideBySide<Served>>>;
}

export const TLS_LOADS = {
  requests: 'a page of 10 kB, connections kept',
  http2: 'the same over HTTP/2, ten streams a connection',
  handshakes: 'the same, a connection for each page',
} as const;
export type TlsLoad = keyof typeof TLS_LOADS;

/** Who the handshakes go to. */
export const CROWDS = {
  few: 'ten, of ten',
  inUse: 'a thousand, of 100,000',
  any: 'any, of 100,000',
} as const;
export type Crowd = keyof typeof CROWDS;

export interface TlsServed {
  readonly perSecond: Spread;
  /** To nginx under the same load in the same round. */
  readonly ratio: Spread;
  /** Processor time of one, in microseconds. */
  readonly cpuUs: Spread;
  readonly peakMiB: Spread;
}

interface CrowdServed extends Pick<TlsServed, 'cpuUs' | 'peakMiB'> {
  /** The processor time as a multiple of that of ten hosts in the same round. */
  readonly ofFew: Spread;
}

export interface EdgeTlsComparison extends Measured, InRounds {
  readonly nginx: string;
  /** Without HTTP/2 where h2load is not installed. */
  readonly loads: Readonly<Partial<Record<TlsLoad, SideBySide<TlsServed>>>>;
  readonly crowds: Readonly<Record<Crowd, CrowdServed>>;
}
