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
  NOT_MODIFIED,
  POST_FAILURES,
  PostHeaders,
  Preconditions,
  READ_FAILURES,
  responses,
  TAGGED,
} from '../openapi/responses.ts';
import { Int64, Ref, RefWith } from '../schema-types.ts';
import type { ResourceStore } from '../store/store.ts';
import { Order, OrderInput, OrderStatus, Orders } from './order.ts';
import { type OrderEnd, orderNotFound } from './order-rules.ts';

const { limit, cursor } = pageParameters('orders');
const ListOrdersQuery = Type.Object({
  limit,
  status: Type.Optional(RefWith(OrderStatus, { description: 'Only orders of this status.' })),
  cursor,
});

const OrderParams = Type.Object({ orderId: Int64({ description: 'Id of the order.' }) });

const reads = { scope: 'orders:read', stability: 'experimental' } as const;
const writes = { scope: 'orders:write', stability: 'experimental' } as const;
const tags = ['orders'];

const NOON = '2026-11-21T12:00:00.000Z';
const placed = { id: 1, petId: 1, status: 'placed', placedAt: NOON, updatedAt: NOON };

interface OrdersDeps {
  readonly idempotencyOf: IdempotencyOf;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

export const ordersRoutes: FastifyPluginCallbackTypebox<OrdersDeps> = (
  app,
  { idempotencyOf, baseUrl, now },
  done,
) => {
  const url = () => `${baseUrl()}/store/orders`;
  const clock = () => new Date(now());
  const list = readList<OrderStatus>((query, { orders }) => orders.list(query), url);
  const idOf = ({ orderId }: Static<typeof OrderParams>) => orderId;
  const get = readOne((id, { orders }) => orders.get(id), idOf, 'order');
  const create = async (
    { petId }: OrderInput,
    { orders }: ResourceStore,
    idempotency?: RequestedIdempotency,
  ) => {
    const collectionUrl = url();
    if (!idempotency) return { ...orThrow(await orders.place(petId, clock())), collectionUrl };
    return orThrow(await orders.placeIdempotently({ ...idempotency, collectionUrl }, petId));
  };

  // The interface has this operation, and says that the reference shows no try-it panel for it.
  app.get(
    '/store/orders',
    {
      config: { ...reads, read: list, isRequiredBySpecification: true, hidesTryItPanel: true },
      schema: {
        operationId: 'listOrders',
        summary: 'List orders',
        description: 'Returns a paginated list of orders in ascending order of id.',
        tags,
        querystring: ListOrdersQuery,
        headers: Preconditions,
        response: responses(
          pageResponses(Orders, [placed, { ...placed, id: 2, petId: 2 }], '/store/orders'),
          PAGE_FAILURES,
        ),
      },
    },
    sendRead,
  );

  app.post(
    '/store/orders',
    {
      config: { ...writes, create },
      schema: {
        operationId: 'placeOrder',
        summary: 'Place an order',
        description:
          'Orders an available animal, which becomes pending with it. Of all who order the same ' +
          'animal at once, one gets it.',
        tags,
        headers: PostHeaders,
        body: Ref(OrderInput),
        response: responses(
          {
            201: jsonResponse(Order, 'Order placed.', placed, location('order', '/store/orders/1')),
          },
          {
            ...BODY_FAILURES,
            ...POST_FAILURES,
            invalid_request:
              'petId is required and must be an integer from -9223372036854775808 to 9223372036854775807.',
            not_found: 'No animal has the id that petId names.',
            conflict: 'The animal is sold. Only an available one can be ordered.',
          },
        ),
      },
    },
    createIn({ list, create, idempotencyOf }),
  );

  app.get(
    '/store/orders/:orderId',
    {
      config: { ...reads, read: get },
      schema: {
        operationId: 'getOrder',
        summary: 'Get one order',
        description: 'Returns one order.',
        tags,
        params: OrderParams,
        headers: Preconditions,
        response: responses(
          { 200: jsonResponse(Order, 'Order returned.', placed, TAGGED), 304: NOT_MODIFIED },
          { not_found: orderNotFound().message, ...READ_FAILURES },
        ),
      },
    },
    sendRead,
  );

  const endRoute = (
    end: OrderEnd,
    { verb, summary, description }: { verb: string; summary: string; description: string },
  ) => {
    app.post(
      `/store/orders/:orderId/${verb}`,
      {
        config: writes,
        schema: {
          operationId: `${verb}Order`,
          summary,
          description,
          tags,
          params: OrderParams,
          headers: PostHeaders,
          response: responses(
            {
              200: jsonResponse(
                Order,
                'The order as it is now.',
                { ...placed, status: end },
                TAGGED,
              ),
            },
            {
              ...POST_FAILURES,
              not_found: orderNotFound().message,
              invalid_transition: `The order is ${end} already. Only a placed one can be ${end}.`,
            },
          ),
        },
      },
      async (request, reply) => {
        const { orderId } = request.params as { orderId: unknown };
        const { orders } = request.store;
        const id = pathId(orderId, 'order');
        const requested = idempotencyOf(request.raw, request.apiKey, request.bodyBytes);
        const precondition = preconditionOf(request);
        if (requested) {
          const idempotency = { ...requested, collectionUrl: url() };
          const ended = orThrow(await orders.endIdempotently(idempotency, id, end, precondition));
          return sendChanged(reply, ended.json);
        }
        return sendChanged(reply, orThrow(await orders.end(id, end, clock(), precondition)));
      },
    );
  };
  endRoute('completed', {
    verb: 'complete',
    summary: 'Complete an order',
    description: 'Ends a placed order; its animal is sold.',
  });
  endRoute('cancelled', {
    verb: 'cancel',
    summary: 'Cancel an order',
    description: 'Ends a placed order; its animal is available again.',
  });

  done();
};
