import { createHash } from 'node:crypto';

// The Merkle tree of RFC 6962, section 2.1.

/** The hash of a leaf, which may come in parts. */
export function leafHash(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256').update(LEAF);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** The root of a tree without leaves. */
const EMPTY_ROOT = createHash('sha256').digest();

/**
 * The first leaves of a tree, as the hashes of the perfect subtrees that they consist of, the largest first. It grows
 * leaf by leaf and knows its root, so that a log is followed without keeping more than some forty hashes of it.
 */
export class TreeEdge {
  #size: number;
  readonly #subtrees: Buffer[];

  /** Throws RangeError unless there is a hash for each bit of the size. */
  constructor(size: number, subtrees: readonly Buffer[]) {
    if (subtrees.length !== subtreesOf(size).length)
      throw new RangeError(`${subtrees.length} subtrees are not ${size} leaves`);
    this.#size = size;
    this.#subtrees = [...subtrees];
  }

  get size(): number {
    return this.#size;
  }

  get subtrees(): readonly Buffer[] {
    return this.#subtrees;
  }

  append(leaf: Buffer): void {
    let hash = leaf;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      hash = nodeHash(this.#subtrees.pop() as Buffer, hash);
    this.#subtrees.push(hash);
    this.#size += 1;
  }

  root(): Buffer {
    return (
      this.#subtrees.reduceRight<Buffer | undefined>(
        (right, left) => (right ? nodeHash(left, right) : left),
        undefined,
      ) ?? EMPTY_ROOT
    );
  }
}

/** A perfect subtree: the leaves from `index * 2^level` on, `2^level` of them. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The perfect subtrees of which the first `size` leaves consist, the largest first. */
export function subtreesOf(size: number): Subtree[] {
  const found: Subtree[] = [];
  let begin = 0;
  while (begin < size) {
    const level = levelBelow(size - begin);
    const width = 2 ** level;
    found.push({ level, index: begin / width });
    begin += width;
  }
  return found;
}

/**
 * Whether a proof shows that the tree of `first` leaves is the beginning of that of `second` (RFC 9162, section 2.1.4.2;
 * the proofs are those of RFC 6962).
 */
export function isConsistent(
  first: { readonly size: number; readonly root: Buffer },
  second: { readonly size: number; readonly root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return proof.length === 0 && first.root.equals(second.root);
  // The empty tree is the beginning of every other one.
  if (first.size === 0) return proof.length === 0;
  const path = [...proof];
  if (isPowerOfTwo(first.size)) path.unshift(first.root);
  let [left, right] = [first.size - 1, second.size - 1];
  while (left % 2 === 1) [left, right] = [Math.floor(left / 2), Math.floor(right / 2)];
  const start = path.shift();
  if (!start) return false;
  let [old, young] = [start, start];
  for (const hash of path) {
    if (right === 0) return false;
    if (left % 2 === 1 || left === right) {
      [old, young] = [nodeHash(hash, old), nodeHash(hash, young)];
      while (left !== 0 && left % 2 === 0) [left, right] = [left / 2, Math.floor(right / 2)];
    } else {
      young = nodeHash(young, hash);
    }
    [left, right] = [Math.floor(left / 2), Math.floor(right / 2)];
  }
  return right === 0 && old.equals(first.root) && young.equals(second.root);
}

/**
 * What a proof of consistency consists of, as ranges of leaves (RFC 6962, section 2.1.2).
 */
export function consistencyRanges(first: number, second: number): [begin: number, end: number][] {
  if (first === 0 || first === second) return [];
  const ranges: [number, number][] = [];
  let [begin, end, isWhole] = [0, second, true];
  while (first !== end) {
    const middle = begin + largestPowerBelow(end - begin);
    if (first <= middle) {
      ranges.unshift([middle, end]);
      end = middle;
    } else {
      ranges.unshift([begin, middle]);
      begin = middle;
      isWhole = false;
    }
  }
  return isWhole ? ranges : [[begin, end], ...ranges];
}

/** The largest power of two that is smaller than a size of two or more. */
export function largestPowerBelow(size: number): number {
  return 2 ** levelBelow(size - 1);
}

/** The level of the largest perfect subtree with no more leaves. Not by Math.log2, which rounds. */
function levelBelow(size: number): number {
  let level = 0;
  while (2 ** (level + 1) <= size) level += 1;
  return level;
}

function isPowerOfTwo(size: number): boolean {
  return 2 ** levelBelow(size) === size;
}
