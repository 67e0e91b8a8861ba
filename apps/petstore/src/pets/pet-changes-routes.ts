import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { orThrow, pathId } from '../http/api-error.ts';
import { preconditionOf, sendChanged } from '../http/conditional.ts';
import {
  jsonResponse,
  NO_CONTENT,
  PATCH_FAILURES,
  PATCH_TYPES,
  Preconditions,
  responses,
  TAGGED,
} from '../openapi/responses.ts';
import { PRECONDITION_FAILED } from '../precondition.ts';
import { Ref } from '../schema-types.ts';
import type { PetStore } from '../store/store.ts';
import { Pet, PetParams, PetPatch } from './pet.ts';

const ORDERED = 'An open order names this animal. Complete or cancel the order first.';

/** Routes that change and delete animals. They are beyond the interface. */
export const petChangesRoutes: FastifyPluginCallbackTypebox<{ pets: PetStore }> = (
  app,
  { pets },
  done,
) => {
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
            not_found: 'No animal has this id.',
            conflict: ORDERED,
            invalid_transition: 'An animal that is sold can become available, not pending.',
            precondition_failed: PRECONDITION_FAILED.ifMatch,
          },
        ),
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.petId, 'animal');
      const patched = await pets.update(id, request.body, preconditionOf(request));
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
            not_found: 'No animal has this id.',
            conflict: ORDERED,
            precondition_failed: PRECONDITION_FAILED.ifMatch,
          },
        ),
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.petId, 'animal');
      orThrow(await pets.remove(id, preconditionOf(request)));
      return reply.code(204).send();
    },
  );

  done();
};
