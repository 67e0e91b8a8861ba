import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from '../artifact.ts';

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
