// Usage:
//
//   GET /v1/pets?limit=20                  -> 200, Link: <…/v1/pets?limit=20&cursor=AQ…>; rel="next"
//   GET /v1/pets?limit=20&cursor=AQ…       -> 200, the next 20; no Link when nothing follows
//
// The cursor is a position in the order of the ids, not a count of rows, so pages neither repeat nor
// skip an animal while others are added.

import { ApiError } from '@petstore/http/errors.ts';

/** The first byte of every cursor. A later layout gets another number, so the cursors in old links stay readable. */
const CURSOR_VERSION = 1;

const CURSOR_BYTES = 9;

/** The buffer in which cursors are assembled, one at a time. */
const workspace = Buffer.alloc(CURSOR_BYTES);
workspace.writeUInt8(CURSOR_VERSION);

/** Makes the opaque cursor of the page that starts after `lastId`. */
export function encodeCursor(lastId: bigint): string {
  workspace.writeBigInt64BE(lastId, 1);
  return workspace.toString('base64url');
}

/** Reads a cursor. Throws ApiError `invalid_cursor` for anything that encodeCursor does not return. */
export function decodeCursor(cursor: string): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length === CURSOR_BYTES && bytes.readUInt8() === CURSOR_VERSION) {
    const lastId = bytes.readBigInt64BE(1);
    // Buffer.from skips characters that are not base64url; the comparison does not.
    if (encodeCursor(lastId) === cursor) return lastId;
  }
  throw new ApiError(
    'invalid_cursor',
    'cursor must be one that a Link header of this service gave; leave it out to start over.',
  );
}

/** The `Link` header (RFC 8288) of a page that is followed by another. */
export function nextLink(url: string, parameters: Record<string, string | undefined>): string {
  let query = '';
  for (const name in parameters) {
    const value = parameters[name];
    if (value !== undefined) query += `${query && '&'}${name}=${encodeURIComponent(value)}`;
  }
  return `<${url}?${query}>; rel="next"`;
}
