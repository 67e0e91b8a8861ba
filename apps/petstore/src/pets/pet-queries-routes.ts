import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendTagged, tagged } from '../http/conditional.ts';
import { ACCEPT_QUERY } from '../http/methods.ts';
import { linkTo } from '../http/pages.ts';
import { headerLines } from '../http/service-response.ts';
import {
  BODY_FAILURES,
  jsonResponse,
  PAGE_NOT_MODIFIED,
  Preconditions,
  READ_FAILURES,
  responses,
  TAGGED,
} from '../openapi/responses.ts';
import { Ref } from '../schema-types.ts';
import { Pets } from './pet.ts';
import {
  canonicalFilter,
  decodeQuery,
  encodeQuery,
  PetFilter,
  type PetQuery,
  searchFor,
} from './pet-filter.ts';

/**
 * How many animals a request looks at, at most. A filter that few animals meet is answered with a page that has fewer
 * than were asked for, or none, and a link to go on: to look at so many takes SQLite three milliseconds.
 */
const MAX_EXAMINED = 20_000;

const PATH = '/pets/queries';

const QueryParams = Type.Object({
  query: Type.String({
    description: 'A filter and a page, taken from `Location` or `Link`. Opaque: do not make one.',
  }),
});

const example = [{ id: 1, name: 'Bold Rex', categoryId: 1, status: 'available' }];
const EXAMPLE_ADDRESS =
  'https://petstore.example.com/v1/pets/queries/eyJuYW1lIjp7InByZWZpeCI6IkJvbGQifSwibGltaXQiOjF9';
const NEXT_ADDRESS =
  'https://petstore.example.com/v1/pets/queries/eyJuYW1lIjp7InByZWZpeCI6IkJvbGQifSwibGltaXQiOjEsImFmdGVyIjoxfQ';

function linkHeader(description: string) {
  return { description, type: 'string', examples: [`<${NEXT_ADDRESS}>; rel="next"`] } as const;
}

const PAGE_HEADERS = {
  ...TAGGED,
  Link: linkHeader('The next page (RFC 8288, `rel="next"`), for GET; absent on the last one.'),
} as const;

const ACCEPTED = {
  'Accept-Query': {
    description: 'The media types of a query (RFC 10008, section 3).',
    type: 'string',
    examples: [ACCEPT_QUERY],
  },
} as const;

const OF_QUERY = {
  ...ACCEPTED,
  Link: linkHeader(
    'The next page (RFC 8288, `rel="next"`), for GET; absent on the last one. A page may have fewer animals than the ' +
      'limit, or none, and still be followed by others.',
  ),
  Location: {
    description: 'Where GET repeats this query without its body (RFC 10008, section 2.4).',
    type: 'string',
    format: 'uri',
    examples: [EXAMPLE_ADDRESS],
  },
} as const;

const NO_SUCH_QUERY =
  'This address names no query of this service. Send the filter with QUERY /v1/pets again.';

interface PetQueriesDeps {
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
}

/** Animals by a filter: the method QUERY (RFC 10008), and the addresses that repeat a query and lead on. */
export const petQueriesRoutes: FastifyPluginCallbackTypebox<PetQueriesDeps> = (
  app,
  { baseUrl },
  done,
) => {
  const addressOf = (query: PetQuery) => `${baseUrl()}${PATH}/${encodeQuery(query)}`;

  /** `extra`: lines of the head of a 200. */
  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    { query, extra = '' }: { query: PetQuery; extra?: string },
  ) {
    const { json, next } = await request.store.pets.query(searchFor(query, MAX_EXAMINED));
    const link = next === undefined ? undefined : linkTo(addressOf({ ...query, after: next }));
    // The query counts: a cache that knows the address alone must not take one empty page for another.
    const page = tagged(json, link, encodeQuery(query));
    sendTagged(request, reply, { ...page, lines: page.lines + extra });
  }

  app.route({
    method: 'QUERY',
    url: '/pets',
    config: { scope: 'pets:read', stability: 'experimental', hasNestedIntegers: true },
    schema: {
      operationId: 'queryPets',
      summary: 'Find animals by a filter',
      description:
        'Returns the animals that meet a filter, in ascending order of id (RFC 10008). The request is safe, and may be ' +
        'sent again at any time. `Location` is an address at which GET repeats the query, and `Link` leads to the next ' +
        'page, also for GET; following it shows every animal that meets the filter once, also while others are added. A ' +
        `request looks at ${MAX_EXAMINED.toLocaleString('en')} animals at most, so a page may have fewer animals than the ` +
        'limit and still be followed by others. A cache must take the body for a part of what it keeps the response under.',
      tags: ['pets'],
      headers: Preconditions,
      body: Ref(PetFilter),
      response: responses(
        {
          200: jsonResponse(Pets, 'The animals that meet the filter.', example, {
            ...PAGE_HEADERS,
            ...OF_QUERY,
          }),
          304: PAGE_NOT_MODIFIED,
        },
        {
          ...BODY_FAILURES,
          ...READ_FAILURES,
          invalid_request: 'status must be a list of 1 to 3, each one of available, pending, sold.',
        },
        { unsupported_media_type: ACCEPTED },
      ),
    },
    async handler(request, reply) {
      const query = { filter: canonicalFilter(request.body), after: undefined };
      const extra = headerLines(['location', addressOf(query), 'accept-query', ACCEPT_QUERY]);
      await respond(request, reply, { query, extra });
    },
  });

  app.get(
    `${PATH}/:query`,
    {
      config: { scope: 'pets:read', stability: 'experimental' },
      schema: {
        operationId: 'repeatPetQuery',
        summary: 'Repeat a query, or go on with it',
        description:
          'Returns what QUERY /pets returned at first, or the page that comes next, as it is now. Its address comes from ' +
          '`Location` or `Link` of such a response. It works with every key that may read animals, and with no other filter.',
        tags: ['pets'],
        params: QueryParams,
        headers: Preconditions,
        response: responses(
          {
            200: jsonResponse(Pets, 'The animals that meet the filter.', example, PAGE_HEADERS),
            304: PAGE_NOT_MODIFIED,
          },
          { ...READ_FAILURES, not_found: NO_SUCH_QUERY },
        ),
      },
    },
    async (request, reply) => {
      const query = decodeQuery(request.params.query);
      if (!query) throw new ApiError('not_found', NO_SUCH_QUERY);
      await respond(request, reply, { query });
    },
  );

  done();
};
