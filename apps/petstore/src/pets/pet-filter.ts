import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { parseJsonBody } from '../http/json-body.ts';
import { readLimit } from '../http/pages.ts';
import { validator } from '../http/validation.ts';
import { Int64, named, PlainText, Ref } from '../schema-types.ts';
import type { PetSearch } from '../store/contract/pet-store.ts';
import { PetStatus } from './pet.ts';

/** The filter of a QUERY. Its bounds keep the address of the next page, which carries the filter, well below 8 KiB. */
const MAX_CATEGORIES = 50;
const MAX_STATUSES = 3;

const limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    default: readLimit(),
    description: 'Maximum number of animals returned.',
  }),
);

export type PetFilter = Static<typeof PetFilter>;
export const PetFilter = named(
  'PetFilter',
  Type.Object(
    {
      name: Type.Optional(
        Type.Object(
          {
            prefix: PlainText({
              minLength: 0,
              maxLength: 255,
              description:
                'How the name begins, to the letter: upper and lower case differ, and so do two spellings of one letter ' +
                'in Unicode. No character stands for others. Every name begins with the empty text.',
              examples: ['Bold'],
            }),
          },
          { description: 'Only animals of such a name.' },
        ),
      ),
      categoryId: Type.Optional(
        Type.Array(Int64({ description: 'Id of a category.', examples: [1n] }), {
          minItems: 1,
          maxItems: MAX_CATEGORIES,
          description: 'Only animals of one of these categories.',
        }),
      ),
      status: Type.Optional(
        Type.Array(Ref(PetStatus), {
          minItems: 1,
          maxItems: MAX_STATUSES,
          description: 'Only animals of one of these availabilities.',
        }),
      ),
      id: Type.Optional(
        Type.Object(
          {
            from: Type.Optional(Int64({ description: 'The first id.', examples: [1n] })),
            to: Type.Optional(Int64({ description: 'The last id.', examples: [1000n] })),
          },
          { description: 'Only animals whose id is in this range, both ends included.' },
        ),
      ),
      limit,
    },
    {
      description:
        'Which animals a query is for: those that meet all of its members. Members that are not listed here are ignored.',
      // It finds something in a sandbox, whatever its seed.
      examples: [{ name: { prefix: 'S' }, status: ['available'] }],
    },
  ),
);

/** A query: its filter, and the page that it is at. */
export interface PetQuery {
  readonly filter: PetFilter;
  /** The id after which the page starts. */
  readonly after: bigint | undefined;
}

/** A filter that was validated, in the one form that all its spellings have in common. Throws ApiError `invalid_request`. */
export function canonicalFilter({
  name,
  categoryId,
  status,
  id = {},
  limit,
}: PetFilter): PetFilter {
  const { from, to } = id;
  if (from !== undefined && to !== undefined && from > to) {
    throw new ApiError('invalid_request', `id.from must be at most id.to, which is ${to}.`);
  }
  const isRange = from !== undefined || to !== undefined;
  return {
    ...(name?.prefix && { name }),
    ...(categoryId && { categoryId: [...new Set(categoryId)].sort((a, b) => (a < b ? -1 : 1)) }),
    ...(status && { status: [...new Set(status)].sort() }),
    ...(isRange && {
      id: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
    }),
    limit: readLimit(limit),
  };
}

/** What the store is asked for. `maxExamined`: see PetSearch. */
export function searchFor({ filter, after }: PetQuery, maxExamined: number): PetSearch {
  const { name, categoryId, status, id, limit } = filter;
  return {
    ...{ prefix: name?.prefix ?? '', categories: categoryId, statuses: status },
    ...{ from: id?.from, to: id?.to, limit: readLimit(limit), after, maxExamined },
  };
}

/**
 * Writes a query as the part of an address. It holds everything that the query says, so the service keeps nothing for
 * it, and is at most 3,100 characters long. `filter` is a canonical one, so equal queries have equal addresses.
 */
export function encodeQuery({ filter, after }: PetQuery): string {
  const text = JSON.stringify({ ...filter, after }, (_name, value) =>
    typeof value === 'bigint' ? JSON.rawJSON(`${value}`) : value,
  );
  return Buffer.from(text).toString('base64url');
}

const readQuery = validator(
  Type.Object({ ...PetFilter.properties, after: Type.Optional(Int64({ description: '' })) }),
  { [PetStatus.$id]: PetStatus },
  { isText: false },
);

/** Reads what encodeQuery wrote; undefined for any other text. */
export function decodeQuery(text: string): PetQuery | undefined {
  try {
    const read = readQuery(parseJsonBody(Buffer.from(text, 'base64url'), true));
    if ('error' in read) return undefined;
    const { after, ...given } = read.value as PetFilter & { after?: bigint };
    const query = { filter: canonicalFilter(given), after };
    return encodeQuery(query) === text ? query : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
