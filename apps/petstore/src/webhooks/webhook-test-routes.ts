import { randomBytes } from 'node:crypto';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { rateLimited } from '../http/api-error.ts';
import { CACHE_CONTROL, jsonResponse, responses } from '../openapi/responses.ts';
import { OWN_STORE } from '../store/own-store.ts';
import { sending } from './delivery/sending.ts';
import { presentAttempt } from './present.ts';
import { signingSecrets } from './webhook.ts';
import { exampleAttempt } from './webhook-examples.ts';
import {
  findWebhook,
  NO_WEBHOOK,
  send,
  TAGS,
  WebhookParams,
  type WebhooksDeps,
  WRITES,
} from './webhook-requests.ts';
import { AttemptSchema } from './webhook-schemas.ts';

/** Tests that are sent at once, by this process: of its own webhooks, and of those of sandboxes. */
const MAX_TESTS = 4;

/** A try of a webhook. */
export const webhookTestRoutes: FastifyPluginCallbackTypebox<WebhooksDeps> = (
  app,
  { config, store: { webhooks }, now, stopping },
  done,
) => {
  const allowsPrivate = config.webhookPrivateAddresses === 'allow';
  const tests = { own: 0, ofSandboxes: 0 };
  app.post(
    '/webhooks/:webhookId/test',
    {
      config: WRITES,
      schema: {
        operationId: 'testWebhook',
        summary: 'Test a webhook',
        description:
          'Sends an event of the type `webhook.test` now, signed like any other, and returns what came of it. It is in ' +
          'no log, and not tried again.',
        tags: TAGS,
        params: WebhookParams,
        response: responses(
          { 200: jsonResponse(AttemptSchema, 'What came of it.', exampleAttempt, CACHE_CONTROL) },
          NO_WEBHOOK,
        ),
      },
    },
    async (request, reply) => {
      const webhook = await findWebhook(webhooks, request);
      const kind = webhook.store === OWN_STORE ? 'own' : 'ofSandboxes';
      if (tests[kind] >= MAX_TESTS) throw rateLimited('Others are testing webhooks just now.', 1);
      tests[kind]++;
      try {
        const { sendWebhook } = await import('@petstore/webhooks/send-webhook.ts');
        const at = now();
        const began = performance.now();
        const id = `test_${randomBytes(8).toString('hex')}`;
        const data = { message: 'This is a test of the webhook.' };
        const createdAt = new Date(at).toISOString();
        const body = JSON.stringify({ id, type: 'webhook.test', createdAt, data });
        const message = { id, url: webhook.url, secret: signingSecrets(webhook, at), body };
        const options = { at, ...sending(allowsPrivate) };
        const outcome = await sendWebhook(message, options, stopping);
        const { status, error, response = '' } = outcome;
        const ms = Math.round(performance.now() - began);
        return send(reply, 200, presentAttempt({ at, ms, status, error, response }));
      } finally {
        tests[kind]--;
      }
    },
  );

  done();
};
