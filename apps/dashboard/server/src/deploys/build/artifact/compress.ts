import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
} from 'node:zlib';
import type { Coding } from '../../artifact.ts';

/** The compressed forms of a content, as far as they are smaller. */
export type Compressed = Partial<Record<Coding, Uint8Array>>;

/** Smaller contents fit into one packet anyway. */
const MIN_BYTES = 1_000;

/**
 * Scripts of 4 MB take 0.3 s at level 9, and 4 s at level 10. Compressing thousands of pages must not take longer than
 * generating them: gzip's level 6 would make them a twentieth smaller, for the few clients that take no Brotli, and
 * take a third longer.
 */
const QUALITY = { shared: { brotli: 9, gzip: 9 }, own: { brotli: 5, gzip: 4 } } as const;

/** Images, fonts and archives are compressed already. */
const COMPRESSIBLE =
  /^text\/|^image\/svg|^application\/(?:json|yaml|xml|javascript|manifest\+json|wasm)/;

const isCompressible = (content: Uint8Array, type: string) =>
  content.length >= MIN_BYTES && COMPRESSIBLE.test(type);

/**
 * Compresses a content in each coding that makes it smaller. `isShared` means that many sites have it: compressed more
 * slowly, and smaller. For threads that have nothing else to do: half of the work of `compress` is its way to others.
 */
export function compressNow(content: Uint8Array, type: string, isShared: boolean): Compressed {
  if (!isCompressible(content, type)) return {};
  const { brotli, gzip: level } = QUALITY[isShared ? 'shared' : 'own'];
  return smaller(content, {
    br: brotliCompressSync(content, brotliOptions(content, brotli)),
    gzip: gzipSync(content, { level }),
  });
}

/** The same beside other work. */
export async function compress(content: Uint8Array, type: string): Promise<Compressed> {
  if (!isCompressible(content, type)) return {};
  const { brotli, gzip: level } = QUALITY.own;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, brotliOptions(content, brotli)),
    promisify(gzip)(content, { level }),
  ]);
  return smaller(content, { br, gzip: gz });
}

/** A window that is larger than the content costs a third of the time, and saves nothing. */
function brotliOptions({ length }: Uint8Array, quality: number): BrotliOptions {
  const window = Math.ceil(Math.log2(length + 16));
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: length,
      [constants.BROTLI_PARAM_LGWIN]: Math.min(
        Math.max(window, SMALLEST_WINDOW),
        constants.BROTLI_DEFAULT_WINDOW,
      ),
    },
  };
}

/** As a power of two. */
const SMALLEST_WINDOW = 16;

function smaller(content: Uint8Array, { br, gzip }: Required<Compressed>): Compressed {
  return {
    ...(br.length < content.length && { br }),
    ...(gzip.length < content.length && { gzip }),
  };
}

// Every site has the same scripts and styles, and the largest takes half a second to compress. So they are compressed
// once for all builds of all processes.

const CODINGS: readonly Coding[] = ['br', 'gzip'];

let folder: string | undefined;

/** Sets the folder in which builds share compressed contents. Without it each build compresses everything itself. */
export function shareCompressionCache(path: string): void {
  folder = path;
}

/** The compressed forms that an earlier build has cached. */
export function cachedCompression(contentHash: string): Compressed | undefined {
  if (folder === undefined) return undefined;
  const made = join(folder, contentHash);
  try {
    return Object.fromEntries(CODINGS.map((coding) => [coding, readFileSync(`${made}.${coding}`)]));
  } catch {
    // An entry that is still being written counts as missing. So does a content that no coding makes smaller, which
    // takes little time.
    return undefined;
  }
}

/** Caches compressed forms for later builds. */
export function cacheCompression(contentHash: string, compressed: Compressed): void {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const coding of CODINGS) {
    const bytes = compressed[coding];
    if (!bytes) continue;
    const path = join(folder, `${contentHash}.${coding}`);
    // Written as a whole or not at all, since other builds read it meanwhile.
    writeFileSync(`${path}.${process.pid}`, bytes, { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  }
}
