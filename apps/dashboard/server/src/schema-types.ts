import { Type } from '@petstore/service/schema-builders.ts';
import type { Static, TSchema } from 'typebox';

/** An instant, as RFC 3339 text in UTC. */
export const Instant = Type.String({ format: 'date-time', examples: ['2026-11-21T08:40:00.000Z'] });

/** An instant of the store, in milliseconds since 1970, as responses have it. */
export const instant = (at: number): string => new Date(at).toISOString();
export const instantOrNull = (at: number | null): string | null =>
  at === null ? null : instant(at);

/** One of some words. It is `Type.Enum` with the additions that document generators need. */
export const OneOf = <const T extends string[]>(words: readonly [...T], options = {}) =>
  Type.Enum(words, { type: 'string', ...options });

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A reference to a schema that the server knows by its `$id`. */
export function ref<T extends TSchema>(schema: T): T {
  return Type.Ref((schema as unknown as { $id: string }).$id) as unknown as T;
}

/** A page of a list: what there is, and the cursor of the next page while there is more. */
export const PageOf = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), nextCursor: Nullable(Type.String()) });

export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'Machine-readable error code.' }),
    message: Type.String({ description: 'What was wrong, where, and what would be right.' }),
    status: Type.Integer({ description: 'The HTTP status code.' }),
  },
  { $id: 'Error' },
);
export type ErrorBody = Static<typeof ErrorBody>;
