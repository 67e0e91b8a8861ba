import type { StoredTerm } from './format.ts';

/** Letters of JSON in a file of terms: at least, and at most unless one term has more. */
const MIN_SIZE = 20_000;
const MAX_SIZE = 60_000;

/** How many files of terms there may be before they grow, and how many times larger they get. */
const MAX_FILES = 40;
const MAX_SCALE = 10;

/** Between these sizes a file ends before one of this many terms. */
const ONE_OF = 32;

/**
 * Cuts terms into files. Where a file ends depends on the terms around it alone, so that a new term changes one file
 * and not all after it.
 */
export function termFiles(terms: StoredTerm[]): StoredTerm[][] {
  terms.sort(([a], [b]) => (a < b ? -1 : 1));
  const sizes = terms.map((term) => JSON.stringify(term).length + 1);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const scale = Math.min(MAX_SCALE, Math.max(1, Math.ceil(total / (MIN_SIZE * MAX_FILES))));
  const files: StoredTerm[][] = [];
  let size = Infinity;
  for (const [at, term] of terms.entries()) {
    const own = sizes[at] ?? 0;
    const isEnd = size >= MIN_SIZE * scale && checksum(term[0]) % ONE_OF === 0;
    if (isEnd || size + own > MAX_SIZE * scale) {
      files.push([]);
      size = 0;
    }
    files.at(-1)?.push(term);
    size += own;
  }
  return files;
}

/** FNV-1a of the code units: spreads terms evenly, and is the same everywhere. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return sum;
}

/** A list in parts of `size` items. */
export function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}
