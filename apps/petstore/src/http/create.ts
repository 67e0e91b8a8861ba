import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyOf } from '../idempotency/request-key.ts';
import { failedCondition, PRECONDITION_FAILED } from '../precondition.ts';
import type { Refusal } from '../refusal.ts';
import type { Idempotency, IdempotentResult } from '../store/contract/idempotency.ts';
import type { ResourceStore } from '../store/store.ts';
import { orThrow } from './api-error.ts';
import { preconditionOf, type Representation } from './conditional.ts';
import { type Created, respondCreated } from './json-response.ts';
import { responseOf } from './service-response.ts';

interface Collection<Body> {
  /** The `read` of its own GET. */
  readonly list: (
    request: { query: object },
    store: ResourceStore,
  ) => Representation | Promise<Representation>;
  readonly create: (body: Body, store: ResourceStore) => Promise<Created>;
  readonly createIdempotently: (
    idempotency: Idempotency,
    body: Body,
    store: ResourceStore,
  ) => Promise<IdempotentResult | Refusal>;
  readonly idempotencyOf: IdempotencyOf;
  /** Its address. */
  readonly url: () => string;
}

/** Handles a POST that adds to a collection. Responds with 201 and what was just created. */
export function createIn<Body>(collection: Collection<Body>) {
  const { list, create, createIdempotently, idempotencyOf, url } = collection;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { store } = request;
    await checkList(request, () => list({ query: {} }, store));
    const body = request.body as Body;
    const idempotency = idempotencyOf(request, url());
    const created = idempotency
      ? orThrow(await createIdempotently(idempotency, body, store))
      : await create(body, store);
    reply.hijack();
    respondCreated(responseOf(reply), created);
  };
}

/**
 * Checks the conditions of a POST that adds to a list against the list. This happens outside of the write's
 * transaction: an addition changes nothing that somebody else has added. Throws ApiError `precondition_failed`.
 */
async function checkList(
  request: FastifyRequest,
  read: () => Representation | Promise<Representation>,
): Promise<void> {
  const precondition = preconditionOf(request);
  const failed = precondition && failedCondition(precondition, (await read()).etag);
  if (failed) throw new ApiError('precondition_failed', PRECONDITION_FAILED[failed]);
}
