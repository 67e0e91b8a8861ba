import { LogResponseError } from './log-client.ts';
import { readDataTile } from './log-entry.ts';
import type { CtLog } from './log-list.ts';
import type { Get, LogReader } from './log-reader.ts';
import {
  consistencyRanges,
  largestPowerBelow,
  nodeHash,
  type Subtree,
  subtreesOf,
} from './merkle.ts';
import { readCheckpoint, type TreeHead } from './tree-head.ts';

const MAX_CHECKPOINT_BYTES = 262_144;

/** 256 entries, of some kilobytes as a rule. */
const MAX_DATA_BYTES = 64_000_000;

const HASH_BYTES = 32;
const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;

/** A log of c2sp.org/static-ct-api: a tree in tiles, each of 256 hashes that the tile above has one hash of. */
export function staticLog(log: CtLog, get: Get): LogReader {
  const kept = new Map<string, Promise<Buffer>>();

  /** The hashes of a tile. Where the partial one is gone, the full one has them as well. */
  async function tile(level: number, n: number, { size }: TreeHead): Promise<Buffer> {
    const width = widthOf(Math.floor(size / TILE_WIDTH ** level), n);
    const path = `tile/${level}/${tilePath(n, width)}`;
    const reading =
      kept.get(path) ??
      withFallback(get, path, TILE_WIDTH * HASH_BYTES).then((bytes) => {
        if (bytes.length >= width * HASH_BYTES) return bytes;
        throw new LogResponseError(`${log.url}${path} has less than ${width} hashes`);
      });
    kept.set(path, reading);
    return reading;
  }

  /** The hash of a perfect subtree. */
  async function subtree({ level, index }: Subtree, head: TreeHead): Promise<Buffer> {
    const tileLevel = Math.floor(level / TILE_HEIGHT);
    const leaves = 2 ** (level % TILE_HEIGHT);
    const first = index * leaves;
    const bytes = await tile(tileLevel, Math.floor(first / TILE_WIDTH), head);
    const at = (first % TILE_WIDTH) * HASH_BYTES;
    return rootOf(bytes.subarray(at, at + leaves * HASH_BYTES));
  }

  /** The root of the leaves from `begin` to `end`, in the order of a tree that begins there. */
  async function range(begin: number, end: number, head: TreeHead): Promise<Buffer> {
    const width = end - begin;
    const [whole, ...rest] = subtreesOf(width);
    if (whole && rest.length === 0)
      return subtree({ level: whole.level, index: begin / width }, head);
    const middle = begin + largestPowerBelow(width);
    return nodeHash(await range(begin, middle, head), await range(middle, end, head));
  }

  return {
    async head() {
      return readCheckpoint((await get('checkpoint', MAX_CHECKPOINT_BYTES)).toString(), log);
    },
    async edge(head) {
      const hashes: Buffer[] = [];
      for (const one of subtreesOf(head.size)) hashes.push(await subtree(one, head));
      return hashes;
    },
    async entries(begin, end, { size }) {
      const n = Math.floor(begin / TILE_WIDTH);
      const first = n * TILE_WIDTH;
      const path = `tile/data/${tilePath(n, widthOf(size, n))}`;
      const entries = readDataTile(await withFallback(get, path, MAX_DATA_BYTES), first);
      const wanted = entries.slice(begin - first, end - first);
      if (wanted.length > 0) return wanted;
      throw new LogResponseError(`${log.url}${path} has no entry ${begin}`);
    },
    async consistency(size, head) {
      const hashes: Buffer[] = [];
      for (const [begin, end] of consistencyRanges(size, head.size))
        hashes.push(await range(begin, end, head));
      return hashes;
    },
  };
}

/** How many hashes, or entries, the tile has where there are `count` of its level. */
function widthOf(count: number, n: number): number {
  return Math.min(count - n * TILE_WIDTH, TILE_WIDTH);
}

/** The end of a tile's path: `x001/x234/067`, and `.p/17` where it has 17 of 256. */
export function tilePath(n: number, width: number): string {
  const groups: string[] = [];
  for (let rest = n; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1_000))
    groups.unshift(`${groups.length > 0 ? 'x' : ''}${String(rest % 1_000).padStart(3, '0')}`);
  return groups.join('/') + (width < TILE_WIDTH ? `.p/${width}` : '');
}

/** A log need not keep a partial tile once the full one is there. */
async function withFallback(get: Get, path: string, maxBytes: number): Promise<Buffer> {
  try {
    return await get(path, maxBytes);
  } catch (error) {
    const full = path.replace(/\.p\/\d+$/, '');
    const isGone = error instanceof LogResponseError && [403, 404, 410].includes(error.status ?? 0);
    if (!isGone || full === path) throw error;
    return get(full, maxBytes);
  }
}

/** The root of hashes that lie one behind another, a power of two of them. */
function rootOf(hashes: Buffer): Buffer {
  if (hashes.length === HASH_BYTES) return hashes;
  const middle = hashes.length / 2;
  return nodeHash(rootOf(hashes.subarray(0, middle)), rootOf(hashes.subarray(middle)));
}
