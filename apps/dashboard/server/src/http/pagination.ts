import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { Page } from '../schema-types.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The query of a list: `?limit=20&cursor=…`. */
export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before.' })),
});

/**
 * Reads a page: one row more than the limit shows whether there is a next page. `read` gets the position after which to
 * start; `position` returns a row's position.
 */
export async function readPage<Row, Item>(
  { limit = DEFAULT_LIMIT, cursor }: { limit?: number; cursor?: string },
  read: (after: string | undefined, limit: number) => Promise<Row[]>,
  position: (row: Row) => string | number,
  present: (row: Row) => Item | Promise<Item>,
): Promise<Page<Item>> {
  const rows = await read(cursor === undefined ? undefined : decode(cursor), limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: await Promise.all(shown.map(present)),
    nextCursor: rows.length > limit && last ? encode(`${position(last)}`) : null,
  };
}

function encode(position: string): string {
  return Buffer.from(position).toString('base64url');
}

function decode(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString();
  // No position has a NUL, and PostgreSQL takes no text with one.
  if (encode(position) !== cursor || position === '' || position.includes('\0')) {
    throw invalidCursor();
  }
  return position;
}

/** A numeric position, `max` at most. Throws ApiError `invalid_cursor` for any other. */
export function numericPosition(
  position: string | undefined,
  max: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (position === undefined) return undefined;
  if (!/^[0-9]{1,16}$/.test(position) || Number(position) > max) throw invalidCursor();
  return Number(position);
}

/** The error for a cursor that is not from a page of the list. */
export function invalidCursor(): ApiError {
  return new ApiError('invalid_cursor', 'cursor must be the nextCursor of a page of this list.');
}

/** A short list as one page. */
export function singlePage<T>(items: T[]): Page<T> {
  return { items, nextCursor: null };
}
