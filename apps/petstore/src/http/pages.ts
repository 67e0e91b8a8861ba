import { Type } from '@petstore/service/schema-builders.ts';
import { jsonResponse, NOT_MODIFIED, READ_FAILURES, TAGGED } from '../openapi/responses.ts';
import type { Named } from '../schema-types.ts';
import type { Page } from '../store/store.ts';
import { type Representation, tagged } from './conditional.ts';
import { decodeCursor, encodeCursor, nextLink } from './pagination.ts';

const DEFAULT_LIMIT = 20;

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

/** Which page a request is for, by its query parameters. Throws ApiError `invalid_cursor`. */
export function pageQuery<Status = undefined>({
  limit = DEFAULT_LIMIT,
  cursor,
  status,
}: {
  limit?: number;
  cursor?: string;
  status?: Status;
}) {
  return { limit, after: cursor === undefined ? undefined : decodeCursor(cursor), status };
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
    304: NOT_MODIFIED,
  };
}

/** The errors of a request for a list. */
export const PAGE_FAILURES = {
  ...READ_FAILURES,
  invalid_request: 'limit must be an integer from 1 to 100.',
  invalid_cursor:
    'cursor must be one that a Link header of this service gave; leave it out to start over.',
} as const;

/**
 * The response for a page. An engine returns the same object while a page is unchanged, so its response is built once.
 * `url` is the list's address.
 */
export function representPage(
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
