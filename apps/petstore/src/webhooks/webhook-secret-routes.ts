import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import { CACHE_CONTROL, jsonResponse, responses } from '../openapi/responses.ts';
import { presentWebhook } from './present.ts';
import { exampleWithSecret } from './webhook-examples.ts';
import {
  findWebhook,
  NO_WEBHOOK,
  newSecret,
  orNotFound,
  send,
  TAGS,
  WebhookParams,
  type WebhooksDeps,
  WRITES,
} from './webhook-requests.ts';
import { WebhookWithSecret } from './webhook-schemas.ts';

const DAY_SECONDS = 86_400;

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

/** A new secret for a webhook. */
export const webhookSecretRoutes: FastifyPluginCallbackTypebox<WebhooksDeps> = (
  app,
  { store: { webhooks }, now },
  done,
) => {
  app.post(
    '/webhooks/:webhookId/rotate',
    {
      config: WRITES,
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret of a webhook',
        description:
          'Makes a new secret, which the response shows this once. Until the overlap ends each delivery is signed by both.',
        tags: TAGS,
        params: WebhookParams,
        querystring: RotateQuery,
        response: responses(
          {
            200: jsonResponse(
              WebhookWithSecret,
              'Secret rotated.',
              {
                ...exampleWithSecret,
                oldSecretUntil: '2026-11-22T12:00:00.000Z',
              },
              CACHE_CONTROL,
            ),
          },
          {
            ...NO_WEBHOOK,
            invalid_request: 'overlapSeconds must be an integer from 0 to 604800.',
          },
        ),
      },
    },
    async (request, reply) => {
      const { overlapSeconds = DAY_SECONDS } = request.query;
      const { store, id } = await findWebhook(webhooks, request);
      const secret = await newSecret();
      const oldUntil = now() + overlapSeconds * 1_000;
      const changed = await webhooks.update(store, id, { rotation: { secret, oldUntil } });
      return send(reply, 200, { ...presentWebhook(orNotFound(changed)), secret });
    },
  );

  done();
};
