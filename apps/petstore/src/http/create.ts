import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyOf } from '../idempotency/idempotency-key-header.ts';
import { failedCondition, PRECONDITION_FAILED } from '../precondition.ts';
import type { ResourceStore } from '../store/store.ts';
import { preconditionOf, type Representation } from './conditional.ts';
import type { Create } from './fast-path.ts';
import { respondCreated } from './json-response.ts';
import { responseOf } from './service-response.ts';

interface Collection {
  /** The `read` of its own GET. */
  readonly list: (
    request: { query: object },
    store: ResourceStore,
  ) => Representation | Promise<Representation>;
  /** That of the POST's config. */
  readonly create: Create;
  readonly idempotencyOf: IdempotencyOf;
}

/** Handles a POST that adds to a collection. */
export function createIn({ list, create, idempotencyOf }: Collection) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { store, raw, apiKey, bodyBytes } = request;
    await checkList(request, () => list({ query: {} }, store));
    const idempotency = idempotencyOf(raw, apiKey, bodyBytes);
    const created = await create(request.body, store, idempotency);
    reply.hijack();
    respondCreated(responseOf(reply), created);
  };
}

/**
 * Checks the conditions of a POST that adds to a list against the list. This is not atomic with the insert: two POSTs
 * with one If-Match may both succeed. Throws ApiError `precondition_failed`.
 */
async function checkList(
  request: FastifyRequest,
  read: () => Representation | Promise<Representation>,
): Promise<void> {
  const precondition = preconditionOf(request);
  const failed = precondition && failedCondition(precondition, (await read()).etag);
  if (failed) throw new ApiError('precondition_failed', PRECONDITION_FAILED[failed]);
}
