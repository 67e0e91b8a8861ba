import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import { animalOf, eventJson } from '../events/event.ts';
import {
  decodeCursor,
  encodeCursor,
  nextLink,
  pageParameters,
  readLimit,
  UNKNOWN_CURSOR,
} from '../http/pages.ts';
import { INT64_MAX, parseInt64 } from '../int64.ts';
import { CACHE_CONTROL, jsonResponse, responses } from '../openapi/responses.ts';
import { presentDelivery, presentRecent } from './present.ts';
import type { StoredDelivery, StoredWebhook } from './webhook.ts';
import { exampleDelivery, NOON } from './webhook-examples.ts';
import {
  findWebhook,
  NO_WEBHOOK,
  READS,
  send,
  TAGS,
  WebhookParams,
  type WebhooksDeps,
  WRITES,
} from './webhook-requests.ts';
import { DeliveriesSchema, DeliverySchema } from './webhook-schemas.ts';

/** Deliveries of a webhook that may wait when one more is asked for. */
const MAX_WAITING = 500;

const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  deliveryId: Type.String({ description: 'Id of the delivery, which is that of its event.' }),
});
const DeliveriesQuery = Type.Object(pageParameters('deliveries'));

/** What was sent to a webhook, and sending it again. */
export const deliveriesRoutes: FastifyPluginCallbackTypebox<WebhooksDeps> = (
  app,
  { store: { webhooks, events }, onChange, baseUrl, now },
  done,
) => {
  app.get(
    '/webhooks/:webhookId/deliveries',
    {
      config: READS,
      schema: {
        operationId: 'listDeliveries',
        summary: 'List deliveries',
        description:
          'Returns deliveries of a webhook with their attempts, those of the newest events first: all that wait, and ' +
          'the last that are over.',
        tags: TAGS,
        params: WebhookParams,
        querystring: DeliveriesQuery,
        response: responses(
          {
            200: jsonResponse(DeliveriesSchema, 'List returned.', [exampleDelivery], {
              ...CACHE_CONTROL,
              Link: {
                description: 'The next page (RFC 8288, `rel="next"`); absent on the last one.',
                type: 'string',
              },
            }),
          },
          {
            ...NO_WEBHOOK,
            invalid_request: 'limit must be an integer from 1 to 100.',
            invalid_cursor: UNKNOWN_CURSOR,
          },
        ),
      },
    },
    async (request, reply) => {
      const { limit: wanted, cursor } = request.query;
      const limit = readLimit(wanted);
      const before = cursor === undefined ? INT64_MAX : decodeCursor(cursor);
      const { id, recent } = await findWebhook(webhooks, request);
      const rows = await webhooks.deliveries(id, before, limit + 1);
      const known = new Set(rows.map(({ eventId }) => `${eventId}`));
      const all = [
        ...rows.map(presentDelivery),
        ...recent
          .filter(({ event }) => BigInt(event) < before && !known.has(event))
          .map(presentRecent),
      ].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
      const page = all.slice(0, limit);
      const last = page.at(-1);
      const list = `${baseUrl()}/webhooks/${id}/deliveries`;
      const link = last &&
        all.length > limit && [
          'link',
          nextLink(list, { limit: `${limit}`, cursor: encodeCursor(BigInt(last.id)) }),
        ];
      return send(reply, 200, page, link || []);
    },
  );

  app.post(
    '/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
    {
      config: WRITES,
      schema: {
        operationId: 'redeliver',
        summary: 'Deliver an event again',
        description:
          'Sends an event to the webhook once more, soon: one that failed, or one that was delivered. The event must ' +
          'still be kept, or be among the deliveries.',
        tags: TAGS,
        params: DeliveryParams,
        response: responses(
          {
            202: jsonResponse(
              DeliverySchema,
              'It is sent soon.',
              { ...exampleDelivery, state: 'waiting', nextAttemptAt: NOON, attempts: [] },
              CACHE_CONTROL,
            ),
          },
          {
            not_found: 'The event of this delivery is no longer kept.',
            conflict: 'The webhook is disabled. Enable it first.',
          },
        ),
      },
    },
    async (request, reply) => {
      const webhook = await findWebhook(webhooks, request);
      if (webhook.disabledAt !== null) {
        throw new ApiError('conflict', 'The webhook is disabled. Enable it first.');
      }
      const eventId = parseInt64(request.params.deliveryId);
      const kept = eventId === undefined ? undefined : await keptDelivery(webhook, eventId);
      if (!kept) {
        throw new ApiError('not_found', 'The event of this delivery is no longer kept.');
      }
      const delivery: StoredDelivery = { ...kept, state: 'waiting', nextAt: now() };
      if (!(await webhooks.redeliver(webhook.id, delivery, MAX_WAITING))) {
        throw new ApiError('conflict', `${MAX_WAITING} deliveries of the webhook wait already.`);
      }
      onChange();
      return send(reply, 202, presentDelivery(delivery));
    },
  );

  async function keptDelivery(
    { id, store }: StoredWebhook,
    eventId: bigint,
  ): Promise<StoredDelivery | undefined> {
    const known = await webhooks.delivery(id, eventId);
    if (known || eventId < 1n) return known;
    const found = await events.of(store).list(eventId - 1n, 1);
    const event = Array.isArray(found) ? found.find(({ id }) => id === eventId) : undefined;
    if (!event) return undefined;
    return {
      ...{ eventId, animal: animalOf(event), event: eventJson(event) },
      ...{ state: 'waiting', attempts: [], nextAt: null },
    };
  }

  done();
};
