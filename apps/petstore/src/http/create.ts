import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyOf, RequestedIdempotency } from '../idempotency/request-key.ts';
import { failedCondition, PRECONDITION_FAILED } from '../precondition.ts';
import type { ResourceStore } from '../store/store.ts';
import { preconditionOf, type Representation } from './conditional.ts';
import { type Created, respondCreated } from './json-response.ts';
import { responseOf } from './service-response.ts';

interface Collection<Body> {
  /** The `read` of its own GET. */
  readonly list: (
    request: { query: object },
    store: ResourceStore,
  ) => Representation | Promise<Representation>;
  /** The `create` of the POST. */
  readonly create: (
    body: Body,
    store: ResourceStore,
    idempotency: RequestedIdempotency | undefined,
  ) => Promise<Created>;
  readonly idempotencyOf: IdempotencyOf;
}

/** Handles a POST that adds to a collection. Responds with 201 and what was just created. */
export function createIn<Body>({ list, create, idempotencyOf }: Collection<Body>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { store, raw, apiKey, bodyBytes } = request;
    await checkList(request, () => list({ query: {} }, store));
    const idempotency = idempotencyOf(raw, apiKey, bodyBytes);
    const created = await create(request.body as Body, store, idempotency);
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
