import type { LogEntry } from './log-entry.ts';
import type { TreeHead } from './tree-head.ts';

/**
 * What both kinds of logs are asked. Nothing but the head is signed: who reads checks the rest against it. Each rejects
 * with LogResponseError, BadTreeHeadError or BadEntryError.
 */
export interface LogReader {
  /** The newest head, with its signature checked. */
  head(): Promise<TreeHead>;
  /** The perfect subtrees of which the tree consists, the largest first. */
  edge(head: TreeHead): Promise<Buffer[]>;
  /** At least one entry from `begin` on, and none from `end` on. */
  entries(begin: number, end: number, head: TreeHead): Promise<LogEntry[]>;
  /** The proof that the tree of `size` leaves is the beginning of the one of the head. */
  consistency(size: number, head: TreeHead): Promise<Buffer[]>;
}

/** Gets what is at a path of a log, of so many bytes at most. */
export type Get = (path: string, maxBytes: number) => Promise<Buffer>;

/** How many entries are asked for at a time: a data tile, and what most logs of RFC 6962 give. */
export const BATCH = 256;
