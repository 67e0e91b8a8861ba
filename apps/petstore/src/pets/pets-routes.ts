import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { ApiError } from '../http/api-error.ts';
import { JSON_TYPE, type Representation, sendTagged, tagged } from '../http/conditional.ts';
import {
  type Deprecation,
  deprecationHeaders,
  isRemoved,
  removalMessage,
} from '../http/deprecation.ts';
import { MAX_BODY_BYTES } from '../http/limits.ts';
import { decodeCursor, encodeCursor, nextLink } from '../http/pagination.ts';
import type { ShortWay } from '../http/short-way.ts';
import { parseInt64 } from '../int64.ts';
import { answers, jsonAnswer, NOT_MODIFIED, TAGGED } from '../openapi/answers.ts';
import { Int64, Ref, RefWith } from '../schema-types.ts';
import type { PetPage, PetQuery, PetStore } from '../store/store.ts';
import { NewPet, Pet, PetStatus, Pets, withDefaults } from './pet.ts';

const DEFAULT_LIMIT = 20;

const ListPetsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: DEFAULT_LIMIT,
      description: 'Maximum number of animals returned.',
    }),
  ),
  status: Type.Optional(RefWith(PetStatus, { description: 'Only animals of this availability.' })),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Where the page starts, taken from a `Link` header. Opaque: do not make one.',
    }),
  ),
});

const GetPetParams = Type.Object({
  petId: Int64({ description: 'Id of the animal.' }),
});

/** Interface 1.0.0, "Versioning": the operation goes on 5 December 2030. */
const GET_PET_DEPRECATION: Deprecation = {
  since: new Date('2025-12-05T00:00:00Z'),
  sunset: new Date('2030-12-05T00:00:00Z'),
  successor: '/pets',
  advice: 'Use GET /pets with a status filter.',
};

const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
const ada = { id: 2, name: 'Ada', categoryId: 9007199254740993n, status: 'sold' };

interface PetsDeps {
  readonly pets: PetStore;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  readonly shortWay: ShortWay;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

export const petsRoutes: FastifyPluginCallbackTypebox<PetsDeps> = (
  app,
  { pets, baseUrl, shortWay, now },
  done,
) => {
  // An engine gives the same object while a page is unchanged; so its answer is made once.
  const represent = (page: PetPage, query: PetQuery): Representation => {
    page.derived ??= makeRepresentation(page, query);
    return page.derived as Representation;
  };
  const makeRepresentation = ({ json, next }: PetPage, { limit, status }: PetQuery) => {
    if (next === undefined) return tagged(json);
    const parameters = { limit: `${limit}`, status, cursor: encodeCursor(next) };
    return tagged(json, nextLink(`${baseUrl()}/pets`, parameters));
  };

  app.get(
    '/pets',
    {
      schema: {
        operationId: 'listPets',
        summary: 'List animals',
        description:
          'Returns a paginated list of animals in ascending order of id. While more follow, the ' +
          '`Link` header holds the address of the next page; following it shows every animal once, ' +
          'also while others are added.',
        tags: ['pets'],
        querystring: ListPetsQuery,
        response: answers(
          {
            200: jsonAnswer(Pets, 'List returned.', [rex, ada], {
              ...TAGGED,
              Link: {
                description: 'The next page (RFC 8288, `rel="next"`); absent on the last one.',
                type: 'string',
                examples: [
                  '<https://petstore.example.com/v1/pets?limit=2&cursor=AQAAAAAAAAAC>; rel="next"',
                ],
              },
            }),
            304: NOT_MODIFIED,
          },
          {
            invalid_request: 'limit must be an integer from 1 to 100.',
            invalid_cursor:
              'cursor must be one that a Link header of this service gave; leave it out to start over.',
          },
        ),
      },
    },
    (request, reply) => {
      const { limit = DEFAULT_LIMIT, status, cursor } = request.query;
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const query = { limit, status, after };
      shortWay.rememberTarget(request.originalUrl, () => {
        const page = pets.list(query);
        return page instanceof Promise ? undefined : represent(page, query);
      });
      const page = pets.list(query);
      const send = (page: PetPage) => sendTagged(request, reply, represent(page, query));
      return page instanceof Promise ? page.then(send) : send(page);
    },
  );

  app.post(
    '/pets',
    {
      schema: {
        operationId: 'createPet',
        summary: 'Add an animal',
        description: 'Adds an animal and answers when it is stored for good.',
        tags: ['pets'],
        body: Ref(NewPet),
        response: answers(
          {
            201: jsonAnswer(Pet, 'Animal added.', rex, {
              Location: {
                description: 'The address of the animal.',
                type: 'string',
                format: 'uri',
                examples: ['https://petstore.example.com/v1/pets/1'],
              },
            }),
          },
          {
            invalid_json: 'The body is empty; it must be a JSON object.',
            invalid_request:
              'categoryId is required and must be an integer from -9223372036854775808 to 9223372036854775807.',
            payload_too_large: `The body must be at most ${MAX_BODY_BYTES} bytes long.`,
            unsupported_media_type:
              'The body must be JSON: send it with Content-Type: application/json.',
          },
        ),
      },
    },
    async (request, reply) => {
      const { id, json } = await pets.create(withDefaults(request.body));
      return reply
        .code(201)
        .header('location', `${baseUrl()}/pets/${id}`)
        .header('content-type', JSON_TYPE)
        .send(json);
    },
  );

  app.get(
    '/pets/:petId',
    {
      config: { deprecation: GET_PET_DEPRECATION },
      schema: {
        operationId: 'getPet',
        summary: 'Get one animal',
        description: `Returns one animal. ${GET_PET_DEPRECATION.advice}`,
        tags: ['pets'],
        params: GetPetParams,
        response: answers(
          { 200: jsonAnswer(Pet, 'Animal returned.', rex, TAGGED), 304: NOT_MODIFIED },
          {
            not_found: 'No animal has this id.',
            operation_removed: removalMessage(GET_PET_DEPRECATION),
          },
        ),
      },
      // A petId that is no int64 names no animal, so the path is not validated but looked up: 404.
      attachValidation: true,
    },
    (request, reply) => {
      const { petId } = request.params as unknown as { petId: bigint | string };
      const pet = typeof petId === 'bigint' ? pets.get(petId) : undefined;
      const send = (json: string | undefined) => {
        if (json === undefined) throw new ApiError('not_found', 'No animal has this id.');
        return sendTagged(request, reply, tagged(json));
      };
      return pet instanceof Promise ? pet.then(send) : send(pet);
    },
  );

  // The same answer in front of the router. Ids that are not plain, and animals that are not there,
  // take the long way; so does every request once the operation is removed.
  shortWay.answerBelow('/v1/pets/', (rest) => {
    const petId = parseInt64(rest);
    if (petId === undefined || isRemoved(GET_PET_DEPRECATION, now())) return undefined;
    const json = pets.get(petId);
    if (typeof json !== 'string') return undefined;
    const pet = tagged(json);
    const { deprecation, sunset, link } = deprecationHeaders(GET_PET_DEPRECATION, baseUrl());
    const announced = ['deprecation', deprecation, 'sunset', sunset, 'link', link];
    return { ...pet, headers: [...pet.headers, ...announced] };
  });

  done();
};
