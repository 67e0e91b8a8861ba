import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';

/**
 * A body of a kilobyte may ask for a window of 128 MB. Browsers take 8 MB (RFC 9659, section 3), which is also what
 * encoders use.
 */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/** What undoes each content coding (RFC 9110, section 8.4.1; RFC 8878). */
export const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress(ZSTD),
} as const;

export type ContentCoding = keyof typeof DECODERS;

/** Whether an error is of a body that is not coded as it says, and not of a file or a connection. */
export const isCodingError = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  /^(?:Z_|ZSTD_|ERR_(?!STREAM))/.test(code);
