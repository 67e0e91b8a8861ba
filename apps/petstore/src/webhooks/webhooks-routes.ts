import { randomBytes } from 'node:crypto';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@petstore/http/errors.ts';
import { full, notFound } from '../http/api-error.ts';
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
import { OWN_STORE } from '../store/own-store.ts';
import { StoreGoneError } from '../store/store-errors.ts';
import { deliveriesRoutes } from './deliveries-routes.ts';
import { presentWebhook } from './present.ts';
import type { StoredWebhook } from './webhook.ts';
import { exampleWebhook, exampleWithSecret } from './webhook-examples.ts';
import {
  findWebhook,
  NO_WEBHOOK,
  newSecret,
  orNotFound,
  READS,
  readUrl,
  send,
  storeOf,
  TAGS,
  WebhookParams,
  type WebhooksDeps,
  WRITES,
} from './webhook-requests.ts';
import {
  WebhookInput,
  WebhookPatchBody,
  WebhookSchema,
  Webhooks,
  WebhookWithSecret,
} from './webhook-schemas.ts';
import { webhookSecretRoutes } from './webhook-secret-routes.ts';
import { webhookTestRoutes } from './webhook-test-routes.ts';

/** Webhooks that a sandbox may have. */
const MAX_OF_SANDBOX = 10;

/** How long to wait where all sandboxes have as many as they may: until one of them ends. */
const FULL_SECONDS = 60;

/** What a new webhook has not had yet. */
const NEW = {
  ...{ oldSecret: null, oldSecretUntil: null, disabledAt: null, disabledReason: null },
  ...{ failures: 0, failingSince: null, nextAt: null, lastError: null, recent: [], asked: 0n },
} as const;

/** Webhooks, and what can be done with one. */
export const webhooksRoutes: FastifyPluginCallbackTypebox<WebhooksDeps> = (app, deps, done) => {
  const {
    config,
    store: { webhooks, events },
    onChange,
    baseUrl,
    now,
  } = deps;
  const allowsPrivate = config.webhookPrivateAddresses === 'allow';

  app.get(
    '/webhooks',
    {
      config: READS,
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: 'Returns all webhooks, with their state.',
        tags: TAGS,
        response: responses(
          { 200: jsonResponse(Webhooks, 'List returned.', [exampleWebhook], CACHE_CONTROL) },
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
      config: WRITES,
      schema: {
        operationId: 'createWebhook',
        summary: 'Make a webhook',
        description:
          'From now on events are sent to its address, signed as Standard Webhooks say. The response shows the secret, ' +
          'this once.',
        tags: TAGS,
        body: Ref(WebhookInput),
        response: responses(
          {
            201: jsonResponse(WebhookWithSecret, 'Webhook made.', exampleWithSecret, {
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
      const outcome = await webhooks.add(webhook, { most: Math.ceil(most), mostOfStore });
      if (outcome === 'gone') throw new StoreGoneError();
      if (outcome === 'too_many') {
        if (store !== OWN_STORE && (await webhooks.list(store)).length < mostOfStore) {
          throw full('The limit of webhooks of sandboxes is reached.', FULL_SECONDS);
        }
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
      config: READS,
      schema: {
        operationId: 'getWebhook',
        summary: 'Get one webhook',
        description: 'Returns one webhook, with its state.',
        tags: TAGS,
        params: WebhookParams,
        response: responses(
          { 200: jsonResponse(WebhookSchema, 'Webhook returned.', exampleWebhook, CACHE_CONTROL) },
          NO_WEBHOOK,
        ),
      },
    },
    async (request, reply) =>
      send(reply, 200, presentWebhook(await findWebhook(webhooks, request))),
  );

  app.patch(
    '/webhooks/:webhookId',
    {
      config: { ...WRITES, bodyTypes: PATCH_TYPES },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change a webhook',
        description:
          'Changes its address or what it is sent, or disables or enables it. One that is enabled again goes on with the ' +
          'first event that it has not got, as far as those are kept.',
        tags: TAGS,
        consumes: PATCH_TYPES,
        params: WebhookParams,
        body: Ref(WebhookPatchBody),
        response: responses(
          {
            200: jsonResponse(
              WebhookSchema,
              'The webhook as it is now.',
              exampleWebhook,
              CACHE_CONTROL,
            ),
          },
          {
            ...PATCH_FAILURES,
            ...NO_WEBHOOK,
            invalid_request: 'url must be an https address, such as https://example.com/hooks.',
          },
        ),
      },
    },
    async (request, reply) => {
      const { url, events: types, state } = request.body;
      const webhook = await findWebhook(webhooks, request);
      const isEnabled = webhook.disabledAt === null;
      const wakes = state === 'enabled' && (!isEnabled || webhook.failures > 0);
      // It is read anew from its position on, where it is enabled or goes by others.
      const isReadAnew = wakes || (isEnabled && (url !== undefined || types !== undefined));
      const { oldest } = isReadAnew ? await events.of(webhook.store).kept() : { oldest: 1n };
      const changed = await webhooks.update(webhook.store, webhook.id, {
        url: url === undefined ? undefined : readUrl(url, allowsPrivate),
        events: types && [...new Set(types)],
        ...(state === 'disabled' &&
          isEnabled && { disabled: { at: now(), reason: 'Its owner disabled it.' } }),
        ...(wakes && { disabled: null }),
        // Not the oldest of now: that one may be deleted before it is read.
        ...(webhook.position < oldest - 1n && { position: 0n }),
      });
      onChange();
      return send(reply, 200, presentWebhook(orNotFound(changed)));
    },
  );

  app.delete(
    '/webhooks/:webhookId',
    {
      config: WRITES,
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'It is sent nothing more, and its deliveries are forgotten.',
        tags: TAGS,
        params: WebhookParams,
        response: responses({ 204: NO_CONTENT }, NO_WEBHOOK),
      },
    },
    async (request, reply) => {
      const isGone = await webhooks.remove(storeOf(request), request.params.webhookId);
      if (!isGone) throw notFound('webhook');
      return reply.code(204).send();
    },
  );

  app.register(webhookSecretRoutes, deps);
  app.register(webhookTestRoutes, deps);
  app.register(deliveriesRoutes, deps);
  done();
};
