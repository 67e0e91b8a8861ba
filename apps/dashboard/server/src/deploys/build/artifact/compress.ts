import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from '../../artifact.ts';

/** A content's compressed forms: only those that are smaller. */
export type Compressed = Partial<Record<Coding, Uint8Array>>;

/** What is smaller travels in one packet anyway. */
const MIN_BYTES = 1_000;

/** Scripts of 4 MB take 0.3 s at 9, and 4 s at 10; pages by the thousand must not take longer than their making. */
const QUALITY = { shared: { brotli: 9, gzip: 9 }, own: { brotli: 5, gzip: 6 } } as const;

/** Images, fonts and archives are compressed already. */
const COMPRESSIBLE =
  /^text\/|^image\/svg|^application\/(?:json|yaml|xml|javascript|manifest\+json|wasm)/;

/** Compresses a content in each way that makes it smaller. `isShared` means many sites have it: slower, smaller. */
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

// Every site has the same scripts and styles, of which the largest takes half a second to compress: once for all
// builds, in whatever process they are.

const CODINGS: readonly Coding[] = ['br', 'gzip'];

let folder: string | undefined;

/** Says in which folder builds share what they compressed. Until then each build compresses for itself. */
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
  // An entry that is being written counts as missing; so does a content that no coding makes smaller, which takes little time.
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
    // Whole or not at all: other builds read meanwhile.
    await writeFile(`${path}.${process.pid}`, bytes, { mode: 0o600 });
    await rename(`${path}.${process.pid}`, path);
  }
}
