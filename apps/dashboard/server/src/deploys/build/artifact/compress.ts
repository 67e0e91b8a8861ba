import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from '../../artifact.ts';

/** The compressed forms of a content, as far as they are smaller. */
export type Compressed = Partial<Record<Coding, Uint8Array>>;

/** Smaller contents fit into one packet anyway. */
const MIN_BYTES = 1_000;

/**
 * Scripts of 4 MB take 0.3 s at level 9, and 4 s at level 10. Compressing thousands of pages must not take longer than
 * generating them.
 */
const QUALITY = { shared: { brotli: 9, gzip: 9 }, own: { brotli: 5, gzip: 6 } } as const;

/** Images, fonts and archives are compressed already. */
const COMPRESSIBLE =
  /^text\/|^image\/svg|^application\/(?:json|yaml|xml|javascript|manifest\+json|wasm)/;

/**
 * Compresses a content in each coding that makes it smaller. `isShared` means that many sites have it: compressed more
 * slowly, and smaller.
 */
export async function compress(
  content: Uint8Array,
  type: string,
  isShared: boolean,
): Promise<Compressed> {
  if (content.length < MIN_BYTES || !COMPRESSIBLE.test(type)) return {};
  const { brotli, gzip: level } = QUALITY[isShared ? 'shared' : 'own'];
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotli,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
    promisify(gzip)(content, { level }),
  ]);
  return {
    ...(br.length < content.length && { br }),
    ...(gz.length < content.length && { gzip: gz }),
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
export async function cachedCompression(contentHash: string): Promise<Compressed | undefined> {
  if (folder === undefined) return undefined;
  const made = join(folder, contentHash);
  const forms = await Promise.all(
    CODINGS.map((coding) => readFile(`${made}.${coding}`).catch(() => undefined)),
  );
  // An entry that is still being written counts as missing. So does a content that no coding makes smaller, which takes
  // little time.
  if (forms.includes(undefined)) return undefined;
  return Object.fromEntries(CODINGS.map((coding, at) => [coding, forms[at]])) as Compressed;
}

/** Caches compressed forms for later builds. */
export async function cacheCompression(contentHash: string, compressed: Compressed): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const coding of CODINGS) {
    const bytes = compressed[coding];
    if (!bytes) continue;
    const path = join(folder, `${contentHash}.${coding}`);
    // Written as a whole or not at all, since other builds read it meanwhile.
    await writeFile(`${path}.${process.pid}`, bytes, { mode: 0o600 });
    await rename(`${path}.${process.pid}`, path);
  }
}
