import { randomBytes } from 'node:crypto';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import { ReceiverUrlError, readReceiverUrl } from '@petstore/webhooks/receiver-url.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { animalOf, eventJson } from '../events/event.ts';
import { notFound, rateLimited } from '../http/api-error.ts';
import { describeJson } from '../http/json-response.ts';
import { decodeCursor, encodeCursor, nextLink, pageParameters, readLimit } from '../http/pages.ts';
import { headerLines, responseOf } from '../http/service-response.ts';
import { INT64_MAX, parseInt64 } from '../int64.ts';
import {
  BODY_FAILURES,
  CACHE_CONTROL,
  jsonResponse,
  location,
  NO_CONTENT,
  PATCH_FAILURES,
  PATCH_TYPES,
  responses,
} from '../openapi/responses.ts';
import { Ref } from '../schema-types.ts';
import { OWN_STORE, type Store } from '../store/store.ts';
import { sending } from './delivery/sending.ts';
import { presentAttempt, presentDelivery, presentRecent, presentWebhook } from './present.ts';
import type { StoredDelivery, StoredWebhook } from './webhook.ts';
import {
  AttemptSchema,
  DeliveriesSchema,
  DeliverySchema,
  WebhookInput,
  WebhookPatchBody,
  WebhookSchema,
  Webhooks,
  WebhookWithSecret,
} from './webhook-schemas.ts';

/** Webhooks that a sandbox may have. */
const MAX_OF_SANDBOX = 10;

/** Tests that are sent at once, by this process. */
const MAX_TESTS = 4;

const DAY_SECONDS = 86_400;

const WebhookParams = Type.Object({
  webhookId: Type.String({ description: 'Id of the webhook.' }),
});
const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  deliveryId: Type.String({ description: 'Id of the delivery, which is that of its event.' }),
});
const RotateQuery = Type.Object({
  overlapSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 7 * DAY_SECONDS,
      default: DAY_SECONDS,
      description: 'How long the old secret signs as well.',
    }),
  ),
});
const DeliveriesQuery = Type.Object(pageParameters('deliveries'));

const reads = { scope: 'webhooks:read', stability: 'experimental' } as const;
const writes = { scope: 'webhooks:write', stability: 'experimental' } as const;
const tags = ['webhooks'];

const NOON = '2026-11-21T12:00:00.000Z';
const enabled = {
  id: 'wh_0123456789abcdef',
  url: 'https://example.com/hooks',
  events: ['pet.created'],
  state: 'enabled',
  ...{ reason: null, since: null, retryAt: null },
  ...{ createdAt: NOON, lastEventId: '0', oldSecretUntil: null },
};
const attempt = { at: NOON, durationMs: 12, status: 204, error: null };
const delivered = {
  ...{ id: '1', type: 'pet.created', state: 'delivered', nextAttemptAt: null },
  attempts: [attempt],
};
const withSecret = { ...enabled, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
const failures = { not_found: 'No webhook has this id.' } as const;

interface WebhooksDeps {
  readonly config: Pick<Config, 'maxWebhooks' | 'webhookPrivateAddresses'>;
  readonly store: Pick<Store, 'webhooks' | 'events'>;
  /** Called when there is something to deliver to. */
  readonly onChange: () => void;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

export const webhooksRoutes: FastifyPluginCallbackTypebox<WebhooksDeps> = (
  app,
  { config, store: { webhooks, events }, onChange, baseUrl, now, stopping },
  done,
) => {
  const allowsPrivate = config.webhookPrivateAddresses === 'allow';
  const find = async (request: FastifyRequest): Promise<StoredWebhook> => {
    const { webhookId } = request.params as { webhookId: string };
    return orNotFound(await webhooks.get(storeOf(request), webhookId));
  };

  app.get(
    '/webhooks',
    {
      config: reads,
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: 'Returns all webhooks, with their state.',
        tags,
        response: responses(
          { 200: jsonResponse(Webhooks, 'List returned.', [enabled], CACHE_CONTROL) },
          {},
        ),
      },
    },
    async (request, reply) =>
      send(reply, 200, (await webhooks.list(storeOf(request))).map(presentWebhook)),
  );

  app.post(
    '/webhooks',
    {
      config: writes,
      schema: {
        operationId: 'createWebhook',
        summary: 'Make a webhook',
        description:
          'From now on events are sent to its address, signed as Standard Webhooks say. The response shows the secret, ' +
          'this once.',
        tags,
        body: Ref(WebhookInput),
        response: responses(
          {
            201: jsonResponse(WebhookWithSecret, 'Webhook made.', withSecret, {
              ...CACHE_CONTROL,
              ...location('webhook', '/webhooks/wh_0123456789abcdef'),
            }),
          },
          {
            ...BODY_FAILURES,
            invalid_request: 'url must be an https address, such as https://example.com/hooks.',
            conflict: 'There are 200 webhooks, and no more may be. Delete one first.',
          },
        ),
      },
    },
    async (request, reply) => {
      const { url, events: types = [] } = request.body;
      const store = storeOf(request);
      const webhook: StoredWebhook = {
        id: `wh_${randomBytes(8).toString('hex')}`,
        store,
        url: readUrl(url, allowsPrivate),
        events: [...new Set(types)],
        secret: await newSecret(),
        createdAt: now(),
        position: (await events.of(store).kept()).newest,
        ...NEW,
      };
      const mostOfStore = store === OWN_STORE ? config.maxWebhooks : MAX_OF_SANDBOX;
      // Those of sandboxes have half as much room again: they cannot take that of others.
      const most = store === OWN_STORE ? Number.MAX_SAFE_INTEGER : config.maxWebhooks * 1.5;
      if (!(await webhooks.add(webhook, { most: Math.ceil(most), mostOfStore }))) {
        throw new ApiError(
          'conflict',
          `There are ${mostOfStore} webhooks, and no more may be. Delete one first.`,
        );
      }
      onChange();
      const address = `${baseUrl()}/webhooks/${webhook.id}`;
      const body = { ...presentWebhook(webhook), secret: webhook.secret };
      return send(reply, 201, body, ['location', address]);
    },
  );

  app.get(
    '/webhooks/:webhookId',
    {
      config: reads,
      schema: {
        operationId: 'getWebhook',
        summary: 'Get one webhook',
        description: 'Returns one webhook, with its state.',
        tags,
        params: WebhookParams,
        response: responses(
          { 200: jsonResponse(WebhookSchema, 'Webhook returned.', enabled, CACHE_CONTROL) },
          failures,
        ),
      },
    },
    async (request, reply) => send(reply, 200, presentWebhook(await find(request))),
  );

  app.patch(
    '/webhooks/:webhookId',
    {
      config: { ...writes, bodyTypes: PATCH_TYPES },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change a webhook',
        description:
          'Changes its address or what it is sent, or disables or enables it. One that is enabled again goes on with the ' +
          'first event that it has not got, as far as those are kept.',
        tags,
        consumes: PATCH_TYPES,
        params: WebhookParams,
        body: Ref(WebhookPatchBody),
        response: responses(
          { 200: jsonResponse(WebhookSchema, 'The webhook as it is now.', enabled, CACHE_CONTROL) },
          {
            ...PATCH_FAILURES,
            ...failures,
            invalid_request: 'url must be an https address, such as https://example.com/hooks.',
          },
        ),
      },
    },
    async (request, reply) => {
      const { url, events: types, state } = request.body;
      const webhook = await find(request);
      const isEnabled = webhook.disabledAt === null;
      const wakes = state === 'enabled' && (!isEnabled || webhook.failures > 0);
      const { oldest } = wakes ? await events.of(webhook.store).kept() : { oldest: 1n };
      const changed = await webhooks.update(webhook.store, webhook.id, {
        url: url === undefined ? undefined : readUrl(url, allowsPrivate),
        events: types && [...new Set(types)],
        ...(state === 'disabled' &&
          isEnabled && { disabled: { at: now(), reason: 'Its owner disabled it.' } }),
        ...(wakes && { disabled: null }),
        ...(webhook.position < oldest - 1n && { position: oldest - 1n }),
      });
      onChange();
      return send(reply, 200, presentWebhook(orNotFound(changed)));
    },
  );

  app.delete(
    '/webhooks/:webhookId',
    {
      config: writes,
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'It is sent nothing more, and its deliveries are forgotten.',
        tags,
        params: WebhookParams,
        response: responses({ 204: NO_CONTENT }, failures),
      },
    },
    async (request, reply) => {
      const isGone = await webhooks.remove(storeOf(request), request.params.webhookId);
      if (!isGone) throw notFound('webhook');
      return reply.code(204).send();
    },
  );

  app.post(
    '/webhooks/:webhookId/rotate',
    {
      config: writes,
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret of a webhook',
        description:
          'Makes a new secret, which the response shows this once. Until the overlap ends each delivery is signed by both.',
        tags,
        params: WebhookParams,
        querystring: RotateQuery,
        response: responses(
          {
            200: jsonResponse(
              WebhookWithSecret,
              'Secret rotated.',
              {
                ...withSecret,
                oldSecretUntil: '2026-11-22T12:00:00.000Z',
              },
              CACHE_CONTROL,
            ),
          },
          {
            ...failures,
            invalid_request: 'overlapSeconds must be an integer from 0 to 604800.',
          },
        ),
      },
    },
    async (request, reply) => {
      const { overlapSeconds = DAY_SECONDS } = request.query;
      const { store, id } = await find(request);
      const secret = await newSecret();
      const oldUntil = now() + overlapSeconds * 1_000;
      const changed = await webhooks.update(store, id, { rotation: { secret, oldUntil } });
      return send(reply, 200, { ...presentWebhook(orNotFound(changed)), secret });
    },
  );

  let tests = 0;
  app.post(
    '/webhooks/:webhookId/test',
    {
      config: writes,
      schema: {
        operationId: 'testWebhook',
        summary: 'Test a webhook',
        description:
          'Sends an event of the type `webhook.test` now, signed like any other, and returns what came of it. It is in ' +
          'no log, and not tried again.',
        tags,
        params: WebhookParams,
        response: responses(
          { 200: jsonResponse(AttemptSchema, 'What came of it.', attempt, CACHE_CONTROL) },
          failures,
        ),
      },
    },
    async (request, reply) => {
      const webhook = await find(request);
      if (tests >= MAX_TESTS) throw rateLimited('Others are testing webhooks just now.', 1);
      tests++;
      try {
        const { sendWebhook } = await import('@petstore/webhooks/send-webhook.ts');
        const at = now();
        const began = performance.now();
        const id = `test_${randomBytes(8).toString('hex')}`;
        const data = { message: 'This is a test of the webhook.' };
        const createdAt = new Date(at).toISOString();
        const body = JSON.stringify({ id, type: 'webhook.test', createdAt, data });
        const { url, secret } = webhook;
        const options = { at, ...sending(allowsPrivate) };
        const outcome = await sendWebhook({ id, url, secret, body }, options, stopping);
        const { status, error, response = '' } = outcome;
        const ms = Math.round(performance.now() - began);
        return send(reply, 200, presentAttempt({ at, ms, status, error, response }));
      } finally {
        tests--;
      }
    },
  );

  app.get(
    '/webhooks/:webhookId/deliveries',
    {
      config: reads,
      schema: {
        operationId: 'listDeliveries',
        summary: 'List deliveries',
        description:
          'Returns deliveries of a webhook with their attempts, those of the newest events first: all that wait, and ' +
          'the last that are over.',
        tags,
        params: WebhookParams,
        querystring: DeliveriesQuery,
        response: responses(
          {
            200: jsonResponse(DeliveriesSchema, 'List returned.', [delivered], {
              ...CACHE_CONTROL,
              Link: {
                description: 'The next page (RFC 8288, `rel="next"`); absent on the last one.',
                type: 'string',
              },
            }),
          },
          {
            ...failures,
            invalid_request: 'limit must be an integer from 1 to 100.',
            invalid_cursor:
              'cursor must be one that a Link header of this service gave; leave it out to start over.',
          },
        ),
      },
    },
    async (request, reply) => {
      const { limit: wanted, cursor } = request.query;
      const limit = readLimit(wanted);
      const before = cursor === undefined ? INT64_MAX : decodeCursor(cursor);
      const { id, recent } = await find(request);
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
      config: writes,
      schema: {
        operationId: 'redeliver',
        summary: 'Deliver an event again',
        description:
          'Sends an event to the webhook once more, soon: one that failed, or one that was delivered. The event must ' +
          'still be kept, or be among the deliveries.',
        tags,
        params: DeliveryParams,
        response: responses(
          {
            202: jsonResponse(
              DeliverySchema,
              'It is sent soon.',
              {
                ...{ ...delivered, state: 'waiting', nextAttemptAt: NOON, attempts: [] },
              },
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
      const webhook = await find(request);
      if (webhook.disabledAt !== null) {
        throw new ApiError('conflict', 'The webhook is disabled. Enable it first.');
      }
      const eventId = parseInt64(request.params.deliveryId);
      const kept = eventId === undefined ? undefined : await keptDelivery(webhook, eventId);
      if (!kept) {
        throw new ApiError('not_found', 'The event of this delivery is no longer kept.');
      }
      const delivery: StoredDelivery = { ...kept, state: 'waiting', nextAt: now() };
      await webhooks.redeliver(webhook.id, delivery);
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

/** What a new webhook has not had yet. */
const NEW = {
  ...{ oldSecret: null, oldSecretUntil: null, disabledAt: null, disabledReason: null },
  ...{ failures: 0, failingSince: null, nextAt: null, lastError: null, recent: [], asked: 0n },
} as const;

/** The store whose events a key is about. */
function storeOf({ apiKey }: FastifyRequest): string {
  return apiKey.sandbox?.id ?? OWN_STORE;
}

function orNotFound(webhook: StoredWebhook | undefined): StoredWebhook {
  if (!webhook) throw notFound('webhook');
  return webhook;
}

/** Loaded here: few make webhooks, and the library takes time to load. */
async function newSecret(): Promise<string> {
  const { makeWebhookSecret } = await import('@petstore/webhooks/signature.ts');
  return makeWebhookSecret();
}

/** Throws ApiError `invalid_request` where the URL cannot be a receiver's. */
function readUrl(text: string, allowsPrivate: boolean): string {
  try {
    const setting = 'PETSTORE_WEBHOOK_PRIVATE_ADDRESSES';
    return readReceiverUrl(text, { allowsPrivate, setting });
  } catch (error) {
    if (!(error instanceof ReceiverUrlError)) throw error;
    throw new ApiError('invalid_request', error.message);
  }
}

/** Responds with JSON that nobody may store: it has secrets, and changes by itself. */
function send(
  reply: FastifyReply,
  status: number,
  body: object,
  headers: readonly string[] = [],
): void {
  const json = JSON.stringify(body);
  const { lines, encoding } = describeJson(json);
  reply.hijack();
  responseOf(reply).respond(
    status,
    lines + headerLines(['cache-control', 'no-store', ...headers]),
    json,
    encoding,
  );
}
