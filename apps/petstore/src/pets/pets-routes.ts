import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import type { TSchema } from 'typebox';
import { absent, granted, pathId } from '../http/api-error.ts';
import { checkList, sendMade, sendTagged, tagged } from '../http/conditional.ts';
import { announcement, type Deprecation, isRemoved, removalMessage } from '../http/deprecation.ts';
import type { OnceFor } from '../http/idempotency.ts';
import {
  PAGE_FAILURES,
  pageAnswers,
  pageParameters,
  pageQuery,
  representPage,
} from '../http/page-answers.ts';
import type { ShortCreates } from '../http/short-creates.ts';
import type { ShortWay } from '../http/short-way.ts';
import { validator } from '../http/validation.ts';
import { parseInt64 } from '../int64.ts';
import {
  answers,
  BODY_FAILURES,
  jsonAnswer,
  location,
  NOT_MODIFIED,
  POST_FAILURES,
  PostHeaders,
  Preconditions,
  READ_FAILURES,
  TAGGED,
} from '../openapi/answers.ts';
import { Ref, RefWith } from '../schema-types.ts';
import type { Page, PetStore } from '../store/store.ts';
import { NewPet, Pet, PetParams, PetStatus, Pets, withDefaults } from './pet.ts';

const { limit, cursor } = pageParameters('animals');
const ListPetsQuery = Type.Object({
  limit,
  status: Type.Optional(RefWith(PetStatus, { description: 'Only animals of this availability.' })),
  cursor,
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
  readonly onceFor: OnceFor;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  readonly shortWay: ShortWay;
  readonly shortCreates: ShortCreates;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The operations that the interface names. */
export const petsRoutes: FastifyPluginCallbackTypebox<PetsDeps> = (
  app,
  { pets, onceFor, baseUrl, shortWay, shortCreates, now },
  done,
) => {
  const url = () => `${baseUrl()}/pets`;
  const create = async (pet: NewPet) => {
    const address = url();
    return { ...(await pets.create(withDefaults(pet))), address };
  };

  app.get(
    '/pets',
    {
      config: { scope: 'pets:read' },
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
        response: answers(pageAnswers(Pets, [rex, ada], '/pets'), PAGE_FAILURES),
      },
    },
    (request, reply) => {
      const query = { ...pageQuery(request.query), status: request.query.status };
      const represent = (page: Page) => representPage(page, url, query);
      shortWay.rememberTarget(request.originalUrl, request.route.url ?? '', () => {
        const page = pets.list(query);
        return page instanceof Promise ? undefined : represent(page);
      });
      const page = pets.list(query);
      const send = (page: Page) => sendTagged(request, reply, represent(page));
      return page instanceof Promise ? page.then(send) : send(page);
    },
  );

  app.post(
    '/pets',
    {
      config: { scope: 'pets:write' },
      schema: {
        operationId: 'createPet',
        summary: 'Add an animal',
        description: 'Adds an animal and answers when it is stored for good.',
        tags: ['pets'],
        headers: PostHeaders,
        body: Ref(NewPet),
        response: answers(
          { 201: jsonAnswer(Pet, 'Animal added.', rex, location('animal', '/pets/1')) },
          {
            ...BODY_FAILURES,
            ...POST_FAILURES,
            invalid_request:
              'categoryId is required and must be an integer from -9223372036854775808 to 9223372036854775807.',
          },
        ),
      },
    },
    async (request, reply) => {
      await checkList(request, async () => {
        const query = { ...pageQuery({}), status: undefined };
        return representPage(await pets.list(query), url, query);
      });
      const once = onceFor(request, url());
      if (!once) return sendMade(reply, await create(request.body));
      return sendMade(reply, granted(await pets.createOnce(once, withDefaults(request.body))));
    },
  );

  shortCreates.answerAt({
    path: '/v1/pets',
    validate: validator(NewPet, app.getSchemas() as Record<string, TSchema>, { isText: false }),
    create: (valid) => create(valid as NewPet),
  });

  app.get(
    '/pets/:petId',
    {
      config: { scope: 'pets:read', deprecation: GET_PET_DEPRECATION },
      schema: {
        operationId: 'getPet',
        summary: 'Get one animal',
        description: `Returns one animal. ${GET_PET_DEPRECATION.advice}`,
        tags: ['pets'],
        params: PetParams,
        headers: Preconditions,
        response: answers(
          { 200: jsonAnswer(Pet, 'Animal returned.', rex, TAGGED), 304: NOT_MODIFIED },
          {
            ...READ_FAILURES,
            not_found: 'No animal has this id.',
            operation_removed: removalMessage(GET_PET_DEPRECATION),
          },
        ),
      },
    },
    (request, reply) => {
      const pet = pets.get(pathId(request.params.petId, 'animal'));
      const send = (json: string | undefined) => {
        if (json === undefined) throw absent('animal');
        return sendTagged(request, reply, tagged(json));
      };
      return pet instanceof Promise ? pet.then(send) : send(pet);
    },
  );

  // The same answer in front of the router. Ids that are not plain, and animals that are not there,
  // take the long way; so does every request once the operation is removed.
  shortWay.answerBelow('/v1/pets/', '/v1/pets/:petId', (rest) => {
    const petId = parseInt64(rest);
    if (petId === undefined || isRemoved(GET_PET_DEPRECATION, now())) return undefined;
    const json = pets.get(petId);
    if (typeof json !== 'string') return undefined;
    const { body, encoding, etag, link, lines } = tagged(json);
    const announced = announcement(GET_PET_DEPRECATION, baseUrl());
    return { body, encoding, etag, link, lines: lines + announced };
  });

  done();
};
