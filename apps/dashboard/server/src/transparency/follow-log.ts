import type { LogEntry } from './log-entry.ts';
import type { CtLog } from './log-list.ts';
import { BATCH, type LogReader } from './log-reader.ts';
import { isConsistent, TreeEdge } from './merkle.ts';
import type { TreeHead } from './tree-head.ts';

/** How many entries are read before what was read is checked and stored. */
const MAX_UNCHECKED = 8 * BATCH;

/** And how many bytes of certificates: a few kilobytes each as a rule, and as large as a log likes otherwise. */
const MAX_UNCHECKED_BYTES = 16_000_000;

/** How long the last entries of a log may wait for a full tile, in milliseconds, while others follow. */
const PARTIAL_TILE_MS = 60_000;

/** How far a log was read. */
export interface LogPosition {
  /** The tree of all entries that were read. Its size is the index of the next one. */
  readonly edge: TreeEdge;
  /** When it last grew, in milliseconds since 1970. */
  readonly grewAt: number;
  /** The newest head, of which that tree is the beginning. */
  readonly head: TreeHead;
}

/** A log has signed two trees of which neither is the beginning of the other, or sent what is not in its tree. */
export class SplitViewError extends Error {
  override name = 'SplitViewError';
  /** The two, as the log signed them. */
  readonly heads: readonly [string, string];

  constructor(message: string, before: TreeHead, after: TreeHead) {
    super(message);
    this.heads = [before.signed, after.signed];
  }
}

interface FollowOptions {
  readonly log: Pick<CtLog, 'kind'>;
  readonly reader: LogReader;
  /** undefined: it was not read before, and is read from its end on. */
  readonly position: LogPosition | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Takes entries that are in the log for certain. */
  readonly handle: (entries: readonly LogEntry[]) => Promise<void>;
  /** Stores a position, once all entries before it were handled; false where somebody else reads the log now. */
  readonly save: (position: LogPosition) => Promise<boolean>;
}

/**
 * Reads a log from a position to its end. Each head has to continue the one before, and what is read has to be in the
 * tree of the head, which is computed from the entries themselves. Rejects with SplitViewError where that is not so, and
 * as LogReader does.
 */
export async function followLog(options: FollowOptions): Promise<void> {
  const { reader, position, now, save } = options;
  const latest = await reader.head();
  if (!position) {
    const edge = new TreeEdge(latest.size, await reader.edge(latest));
    if (!edge.root().equals(latest.root))
      throw new SplitViewError('the end of the log is not that of its tree', latest, latest);
    await save({ edge, grewAt: now(), head: latest });
    return;
  }
  const { head: known } = position;
  const head = await newest(reader, known, latest);
  if (head !== known && !(await save({ ...position, head }))) return;
  const isQuiet = head.size === known.size;
  await readOn(options, { ...position, head }, isQuiet);
}

/** The head of the larger tree, once the smaller one is shown to be its beginning. */
async function newest(reader: LogReader, known: TreeHead, latest: TreeHead): Promise<TreeHead> {
  // A cache may give an earlier head, which has to be of the same tree all the same.
  const [first, second] = latest.size < known.size ? [latest, known] : [known, latest];
  if (!isConsistent(first, second, await reader.consistency(first.size, second)))
    throw new SplitViewError(
      `the tree of ${first.size} entries is not the beginning of that of ${second.size}`,
      known,
      latest,
    );
  return latest.size <= known.size ? known : latest;
}

async function readOn(
  { log, reader, now, signal, handle, save }: FollowOptions,
  { edge: from, grewAt, head }: LogPosition,
  isQuiet: boolean,
): Promise<void> {
  const isPartialDue = log.kind === 'rfc6962' || isQuiet || now() - grewAt >= PARTIAL_TILE_MS;
  // What is read of a tile before it is full is read again.
  const end = isPartialDue ? head.size : head.size - (head.size % BATCH);
  let edge = from;
  while (edge.size < end && !signal.aborted) {
    const grown = new TreeEdge(edge.size, edge.subtrees);
    const entries: LogEntry[] = [];
    let bytes = 0;
    while (grown.size < end && entries.length < MAX_UNCHECKED && bytes < MAX_UNCHECKED_BYTES) {
      // To the end of a tile, so that none is read in two parts.
      const next = Math.min(end, grown.size - (grown.size % BATCH) + BATCH);
      for (const entry of await reader.entries(grown.size, next, head)) {
        grown.append(entry.hash);
        entries.push(entry);
        bytes += entry.der.length;
      }
    }
    const read = { size: grown.size, root: grown.root() };
    if (!isConsistent(read, head, await reader.consistency(read.size, head)))
      throw new SplitViewError(
        `the entries from ${edge.size} to ${read.size} are not those of its tree`,
        head,
        head,
      );
    await handle(entries);
    edge = grown;
    if (!(await save({ edge, grewAt: now(), head }))) return;
  }
}
