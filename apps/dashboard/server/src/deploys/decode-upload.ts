import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@petstore/http/errors.ts';
import { invalidRequest } from '../api-error.ts';
import { type ContentCoding, DECODERS, isCodingError } from '../content-decoders.ts';
import type { Spool } from '../spool.ts';
import { explained } from './receive-upload.ts';
import { type ReceivedFile, uploadTooLarge } from './upload.ts';

/**
 * The coding that a Content-Encoding names; undefined for none. Throws ApiError `unsupported_media_type` for another one
 * and for several.
 */
export function readCoding(header: string | undefined): ContentCoding | undefined {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  if (Object.hasOwn(DECODERS, name)) return name as ContentCoding;
  throw new ApiError(
    'unsupported_media_type',
    `Content-Encoding must be gzip, br, zstd or deflate, and one of them; got “${name.slice(0, 40)}”.`,
    // RFC 9110, section 12.5.3: what would be taken.
    { headers: { 'accept-encoding': 'gzip, br, zstd, deflate' } },
  );
}

/**
 * Writes what was compressed into a file of its own, of at most `maxBytes`, and removes the given one, whatever happens. Throws ApiError
 * `invalid_request` where the body is not compressed like that, `payload_too_large`, and `unavailable` on a full disk.
 */
export async function decodeUpload(
  spool: Spool,
  { path }: ReceivedFile,
  coding: ContentCoding,
  maxBytes: number,
): Promise<ReceivedFile> {
  const decoded = spool.newPath();
  let size = 0;
  try {
    await pipeline(
      createReadStream(path),
      DECODERS[coding](),
      async function* bounded(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length;
          if (size > maxBytes) throw uploadTooLarge(maxBytes);
          yield chunk;
        }
      },
      createWriteStream(decoded, { flags: 'wx', mode: 0o600 }),
    );
    return { path: decoded, size };
  } catch (error) {
    await rm(decoded, { force: true });
    // A body that ends early ends its coding early, too.
    throw isCodingError(error as NodeJS.ErrnoException)
      ? invalidRequest(`The body is not compressed as its Content-Encoding, ${coding}, says.`)
      : explained(error);
  } finally {
    await rm(path, { force: true });
  }
}
