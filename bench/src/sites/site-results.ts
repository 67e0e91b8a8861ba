import type { Machine } from '../machine.ts';
import type { Spread } from '../statistics.ts';
import type { DeploysKept } from './deploys.ts';
import type { PeerName } from './peers.ts';
import type { Recall } from './searching.ts';

/** Who makes a page of a document. */
export type Maker = 'own' | PeerName;

export const MAKERS: Readonly<Record<Maker, string>> = {
  own: 'this product',
  redoc: 'Redoc, prebuilt',
  scalar: 'Scalar',
};

/** What is measured of a page each time that it is opened. A figure that none of the runs has is left out. */
export type Figure =
  | 'kB'
  | 'scriptsKB'
  | 'requests'
  | 'firstPaintMs'
  | 'readableMs'
  | 'blockedMs'
  | 'shift'
  | 'nextMs'
  | 'searchFirstMs'
  | 'searchLaterMs';

export type PageFigures = Readonly<Partial<Record<Figure, Spread>>>;

export interface MeasuredDocument {
  readonly name: string;
  readonly label: string;
  readonly operations: number;
  /** Of 1,000,000 bytes. */
  readonly megabytes: number;
  /** How often each page was opened. */
  readonly runs: number;
  /** The summary of the operation in the middle, which is opened. */
  readonly operation: string;
  readonly pages: Readonly<Partial<Record<Maker, PageFigures>>>;
  readonly build: {
    readonly seconds: number;
    readonly peakMiB: number;
    /** Of the service's answers meanwhile, in milliseconds. */
    readonly p99Ms: number;
    /** New contents in the store when the very same document is deployed again. */
    readonly newBlobs: number;
  };
  readonly recall: Recall | undefined;
  /** What axe finds, a line each. */
  readonly violations: readonly string[];
}

export interface SitesComparison {
  readonly machine: Machine;
  readonly documents: readonly MeasuredDocument[];
  /** Of `--deploys`; undefined until that was run. */
  readonly kept?: DeploysKept | undefined;
}
