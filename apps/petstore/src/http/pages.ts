import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import { jsonResponse, PAGE_NOT_MODIFIED, READ_FAILURES, TAGGED } from '../openapi/responses.ts';
import type { Named } from '../schema-types.ts';
import type { Page } from '../store/contract/page.ts';
import type { ResourceStore } from '../store/store.ts';
import { type Representation, represent, tagged } from './conditional.ts';

const DEFAULT_LIMIT = 20;

/** The limit of a request, which may have none. */
export function readLimit(limit: number = DEFAULT_LIMIT): number {
  return limit;
}

/** The query parameters of every list; `noun` is the kind of item, in the plural. */
export function pageParameters(noun: string) {
  return {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: DEFAULT_LIMIT,
        description: `Maximum number of ${noun} returned.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Where the page starts, taken from a `Link` header. Opaque: do not make one.',
      }),
    ),
  };
}

/** The successful responses of a list. `path` is the list's own, such as `/pets`. */
export function pageResponses(schema: Named, example: unknown[], path: string) {
  return {
    200: jsonResponse(schema, 'List returned.', example, {
      ...TAGGED,
      Link: {
        description: 'The next page (RFC 8288, `rel="next"`); absent on the last one.',
        type: 'string',
        examples: [
          `<https://petstore.example.com/v1${path}?limit=2&cursor=AQAAAAAAAAAC>; rel="next"`,
        ],
      },
    }),
    304: PAGE_NOT_MODIFIED,
  };
}

/** The message of ApiError `invalid_cursor`. */
export const UNKNOWN_CURSOR =
  'cursor must be one that a Link header of this service gave; leave it out to start over.';

/** The errors of a request for a list. */
export const PAGE_FAILURES = {
  ...READ_FAILURES,
  invalid_request: 'limit must be an integer from 1 to 100.',
  invalid_cursor: UNKNOWN_CURSOR,
} as const;

/** The page that a request is for. */
interface PageQuery<Status> {
  readonly limit: number;
  /** The id after which the page starts. */
  readonly after: bigint | undefined;
  readonly status: Status | undefined;
}

/** The `read` of a list's route, whose query parameters are validated. Throws ApiError `invalid_cursor`. */
export function readList<Status = undefined>(
  list: (query: PageQuery<Status>, store: ResourceStore) => Page | Promise<Page>,
  url: () => string,
) {
  return (
    { query }: { query: { limit?: number; cursor?: string; status?: Status } },
    store: ResourceStore,
  ) => {
    const { limit = DEFAULT_LIMIT, cursor, status } = query;
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const page = list({ limit, after, status }, store);
    return represent(page, (page) => representPage(page, url, { limit, status: status as string }));
  };
}

/**
 * The response for a page. An engine returns the same object while a page is unchanged, so its response is built once.
 * `url` is the list's address.
 */
function representPage(
  page: Page,
  url: () => string,
  { limit, status }: { limit: number; status?: string | undefined },
): Representation {
  page.derived ??=
    page.next === undefined
      ? tagged(page.json)
      : tagged(
          page.json,
          nextLink(url(), { limit: `${limit}`, status, cursor: encodeCursor(page.next) }),
        );
  return page.derived as Representation;
}

// Usage:
//
//   GET /v1/pets?limit=20                  -> 200, Link: <…/v1/pets?limit=20&cursor=AQ…>; rel="next"
//   GET /v1/pets?limit=20&cursor=AQ…       -> 200, the next 20; no Link when nothing follows
//
// The cursor is a position in the order of the ids, not a count of rows, so pages neither repeat nor
// skip an animal while others are added.

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
  throw new ApiError('invalid_cursor', UNKNOWN_CURSOR);
}

/** The `Link` header (RFC 8288) of a page that is followed by another. */
export function nextLink(url: string, parameters: Record<string, string | undefined>): string {
  let query = '';
  for (const name in parameters) {
    const value = parameters[name];
    if (value !== undefined) query += `${query && '&'}${name}=${encodeURIComponent(value)}`;
  }
  return linkTo(`${url}?${query}`);
}

/** The same for the address of the next page. */
export function linkTo(address: string): string {
  return `<${address}>; rel="next"`;
}
