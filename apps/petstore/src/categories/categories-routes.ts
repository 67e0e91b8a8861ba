import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
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
import { Int64, Ref } from '../schema-types.ts';
import type { ResourceStore } from '../store/store.ts';
import { Categories, Category, CategoryInput, CategoryPatch } from './category.ts';
import { categoryInUse, categoryNotFound, nameTaken } from './category-rules.ts';

const ListCategoriesQuery = Type.Object(pageParameters('categories'));

const CategoryParams = Type.Object({ categoryId: Int64({ description: 'Id of the category.' }) });

const reads = { scope: 'pets:read', stability: 'beta' } as const;
const writes = { scope: 'pets:write', stability: 'beta' } as const;
const tags = ['categories'];

const dogs = { id: 1, name: 'Dogs' };
const cats = { id: 2, name: 'Cats' };

const WRONG_NAME =
  'name must be a string of 1 to 255 characters, none of them a control character or a lone surrogate.';

interface CategoriesDeps {
  readonly idempotencyOf: IdempotencyOf;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
}

/** Beyond the interface, which knows categories by their ids alone. */
export const categoriesRoutes: FastifyPluginCallbackTypebox<CategoriesDeps> = (
  app,
  { idempotencyOf, baseUrl },
  done,
) => {
  const url = () => `${baseUrl()}/categories`;
  const list = readList((query, { categories }) => categories.list(query), url);
  const idOf = ({ categoryId }: Static<typeof CategoryParams>) => categoryId;
  const get = readOne((id, { categories }) => categories.get(id), idOf, 'category');
  const create = async (
    category: CategoryInput,
    { categories }: ResourceStore,
    idempotency?: RequestedIdempotency,
  ) => {
    const collectionUrl = url();
    if (!idempotency) return { ...orThrow(await categories.create(category)), collectionUrl };
    return orThrow(
      await categories.createIdempotently({ ...idempotency, collectionUrl }, category),
    );
  };

  app.get(
    '/categories',
    {
      config: { ...reads, read: list },
      schema: {
        operationId: 'listCategories',
        summary: 'List categories',
        description: 'Returns a paginated list of categories in ascending order of id.',
        tags,
        querystring: ListCategoriesQuery,
        headers: Preconditions,
        response: responses(pageResponses(Categories, [dogs, cats], '/categories'), PAGE_FAILURES),
      },
    },
    sendRead,
  );

  app.post(
    '/categories',
    {
      config: { ...writes, create },
      schema: {
        operationId: 'createCategory',
        summary: 'Add a category',
        description: 'Adds a category. No two have the same name, whatever its case.',
        tags,
        headers: PostHeaders,
        body: Ref(CategoryInput),
        response: responses(
          {
            201: jsonResponse(
              Category,
              'Category added.',
              dogs,
              location('category', '/categories/1'),
            ),
          },
          {
            ...BODY_FAILURES,
            ...POST_FAILURES,
            invalid_request: WRONG_NAME.replace('must be', 'is required and must be'),
            conflict: nameTaken().message,
          },
        ),
      },
    },
    createIn({ list, create, idempotencyOf }),
  );

  app.get(
    '/categories/:categoryId',
    {
      config: { ...reads, read: get },
      schema: {
        operationId: 'getCategory',
        summary: 'Get one category',
        description: 'Returns one category.',
        tags,
        params: CategoryParams,
        headers: Preconditions,
        response: responses(
          { 200: jsonResponse(Category, 'Category returned.', dogs, TAGGED), 304: NOT_MODIFIED },
          { not_found: categoryNotFound().message, ...READ_FAILURES },
        ),
      },
    },
    sendRead,
  );

  app.patch(
    '/categories/:categoryId',
    {
      config: { ...writes, bodyTypes: PATCH_TYPES },
      schema: {
        operationId: 'updateCategory',
        summary: 'Rename a category',
        description: 'Changes the members that the body names, as a JSON Merge Patch (RFC 7396).',
        tags,
        consumes: PATCH_TYPES,
        params: CategoryParams,
        headers: Preconditions,
        body: Ref(CategoryPatch),
        response: responses(
          {
            200: jsonResponse(
              Category,
              'The category as it is now.',
              { id: 1, name: 'Hounds' },
              TAGGED,
            ),
          },
          {
            ...PATCH_FAILURES,
            invalid_request: WRONG_NAME,
            not_found: categoryNotFound().message,
            conflict: nameTaken().message,
            precondition_failed: PRECONDITION_FAILED.ifMatch,
          },
        ),
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.categoryId, 'category');
      const patched = await request.store.categories.update(
        id,
        request.body,
        preconditionOf(request),
      );
      return sendChanged(reply, orThrow(patched));
    },
  );

  app.delete(
    '/categories/:categoryId',
    {
      config: writes,
      schema: {
        operationId: 'deleteCategory',
        summary: 'Delete a category',
        description: 'Deletes a category that no animal is in. Its id is never given again.',
        tags,
        params: CategoryParams,
        headers: Preconditions,
        response: responses(
          { 204: NO_CONTENT },
          {
            not_found: categoryNotFound().message,
            conflict: categoryInUse().message,
            precondition_failed: PRECONDITION_FAILED.ifMatch,
          },
        ),
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.categoryId, 'category');
      orThrow(await request.store.categories.remove(id, preconditionOf(request)));
      return reply.code(204).send();
    },
  );

  done();
};
