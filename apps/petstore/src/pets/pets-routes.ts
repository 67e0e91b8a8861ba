import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { type Deprecation, removalMessage } from '../http/admission/deprecation.ts';
import { orThrow, pathId } from '../http/api-error.ts';
import { preconditionOf, readOne, sendChanged, sendRead } from '../http/conditional.ts';
import { createIn } from '../http/create.ts';
import { PAGE_FAILURES, pageParameters, pageResponses, readList } from '../http/pages.ts';
import type { IdempotencyOf, RequestedIdempotency } from '../idempotency/idempotency-key-header.ts';
import {
  BODY_FAILURES,
  jsonResponse,
  location,
  NO_CONTENT,
  NOT_MODIFIED,
  PATCH_FAILURES,
  PATCH_TYPES,
  POST_FAILURES,
  PostHeaders,
  Preconditions,
  READ_FAILURES,
  responses,
  TAGGED,
} from '../openapi/responses.ts';
import { PRECONDITION_FAILED } from '../precondition.ts';
import { Ref, RefWith } from '../schema-types.ts';
import type { ResourceStore } from '../store/store.ts';
import { NewPet, Pet, PetParams, PetPatch, PetStatus, Pets, withDefaults } from './pet.ts';
import { orderedPet, petNotFound } from './pet-rules.ts';

const { limit, cursor } = pageParameters('animals');
const ListPetsQuery = Type.Object({
  limit,
  status: Type.Optional(RefWith(PetStatus, { description: 'Only animals of this availability.' })),
  cursor,
});

/** Interface 1.0.0, "Versioning": the operation is removed on 5 December 2030. */
const GET_PET_DEPRECATION: Deprecation = {
  since: new Date('2025-12-05T00:00:00Z'),
  sunset: new Date('2030-12-05T00:00:00Z'),
  successor: '/pets',
  advice: 'Use GET /pets with a status filter.',
};

const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
const ada = { id: 2, name: 'Ada', categoryId: 9007199254740993n, status: 'sold' };

interface PetsDeps {
  readonly idempotencyOf: IdempotencyOf;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
}

export const petsRoutes: FastifyPluginCallbackTypebox<PetsDeps> = (
  app,
  { idempotencyOf, baseUrl },
  done,
) => {
  const url = () => `${baseUrl()}/pets`;
  const list = readList<PetStatus>((query, { pets }) => pets.list(query), url);
  const idOf = ({ petId }: Static<typeof PetParams>) => petId;
  const get = readOne((id, { pets }) => pets.get(id), idOf, 'animal');
  const create = async (
    pet: NewPet,
    { pets }: ResourceStore,
    idempotency?: RequestedIdempotency,
  ) => {
    const collectionUrl = url();
    if (!idempotency) return { ...(await pets.create(withDefaults(pet))), collectionUrl };
    return orThrow(
      await pets.createIdempotently({ ...idempotency, collectionUrl }, withDefaults(pet)),
    );
  };

  app.get(
    '/pets',
    {
      config: { scope: 'pets:read', read: list },
      schema: {
        operationId: 'listPets',
        summary: 'List animals',
        description:
          'Returns a paginated list of animals in ascending order of id. While more follow, the ' +
          '`Link` header holds the address of the next page; following it shows every animal once, ' +
          'also while others are added.',
        tags: ['pets'],
        querystring: ListPetsQuery,
        headers: Preconditions,
        response: responses(pageResponses(Pets, [rex, ada], '/pets'), PAGE_FAILURES),
      },
    },
    sendRead,
  );

  app.post(
    '/pets',
    {
      config: { scope: 'pets:write', create },
      schema: {
        operationId: 'createPet',
        summary: 'Add an animal',
        description: 'Adds an animal. The response is sent when the animal is on disk.',
        tags: ['pets'],
        headers: PostHeaders,
        body: Ref(NewPet),
        response: responses(
          { 201: jsonResponse(Pet, 'Animal added.', rex, location('animal', '/pets/1')) },
          {
            ...BODY_FAILURES,
            ...POST_FAILURES,
            invalid_request:
              'categoryId is required and must be an integer from -9223372036854775808 to 9223372036854775807.',
          },
        ),
      },
    },
    createIn({ list, create, idempotencyOf }),
  );

  app.get(
    '/pets/:petId',
    {
      config: { scope: 'pets:read', deprecation: GET_PET_DEPRECATION, read: get },
      schema: {
        operationId: 'getPet',
        summary: 'Get one animal',
        description: `Returns one animal. ${GET_PET_DEPRECATION.advice}`,
        tags: ['pets'],
        params: PetParams,
        headers: Preconditions,
        response: responses(
          { 200: jsonResponse(Pet, 'Animal returned.', rex, TAGGED), 304: NOT_MODIFIED },
          {
            ...READ_FAILURES,
            not_found: petNotFound().message,
            operation_removed: removalMessage(GET_PET_DEPRECATION),
          },
        ),
      },
    },
    sendRead,
  );

  // Routes that change and delete animals. They are beyond the interface.
  app.patch(
    '/pets/:petId',
    {
      config: { scope: 'pets:write', stability: 'beta', bodyTypes: PATCH_TYPES },
      schema: {
        operationId: 'updatePet',
        summary: 'Change an animal',
        description:
          'Changes the members that the body names and leaves the others, as a JSON Merge Patch ' +
          '(RFC 7396). An available animal can become pending or sold, a pending one available or ' +
          'sold, and a sold one available again. An animal that an open order names stays as it is.',
        tags: ['pets'],
        consumes: PATCH_TYPES,
        params: PetParams,
        headers: Preconditions,
        body: Ref(PetPatch),
        response: responses(
          {
            200: jsonResponse(
              Pet,
              'The animal as it is now.',
              { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
              TAGGED,
            ),
          },
          {
            ...PATCH_FAILURES,
            invalid_request: 'status must be one of available, pending, sold.',
            not_found: petNotFound().message,
            conflict: orderedPet().message,
            invalid_transition: 'An animal that is sold can become available, not pending.',
            precondition_failed: PRECONDITION_FAILED.ifMatch,
          },
        ),
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.petId, 'animal');
      const patched = await request.store.pets.update(id, request.body, preconditionOf(request));
      return sendChanged(reply, orThrow(patched));
    },
  );

  app.delete(
    '/pets/:petId',
    {
      config: { scope: 'pets:write', stability: 'beta' },
      schema: {
        operationId: 'deletePet',
        summary: 'Remove an animal',
        description: 'Takes an animal out of the store for good. Its id is never given again.',
        tags: ['pets'],
        params: PetParams,
        headers: Preconditions,
        response: responses(
          { 204: NO_CONTENT },
          {
            not_found: petNotFound().message,
            conflict: orderedPet().message,
            precondition_failed: PRECONDITION_FAILED.ifMatch,
          },
        ),
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.petId, 'animal');
      orThrow(await request.store.pets.remove(id, preconditionOf(request)));
      return reply.code(204).send();
    },
  );

  done();
};
