import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import type { Deps } from '../deps.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import { jsonResponse, NO_CONTENT, pageResponse } from '../http/responses.ts';
import { SlugParams } from '../projects/project-routes.ts';
import { listWebhooks } from '../store/webhooks.ts';
import { MadeWebhook, NewWebhook, Webhook } from './webhook.ts';
import { addWebhook, presentWebhook, removeWebhook, testWebhook } from './webhooks.ts';

const tags = ['Webhooks'];
const WebhookParams = Type.Object({ ...SlugParams.properties, id: Type.String() });

/** Where programs are told what happens to a project's domains. `stopping`: calls off tests that are under way. */
export const webhookRoutes: FastifyPluginCallbackTypebox<{ deps: Deps; stopping: AbortSignal }> = (
  app,
  { deps, stopping },
  done,
) => {
  app.get(
    '/projects/:slug/webhooks',
    {
      config: { access: 'webhook.manage' },
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: "List the project's webhooks",
        params: SlugParams,
        response: pageResponse(Webhook),
      },
    },
    async (request) => {
      const rows = await listWebhooks(deps.db, accessOf(request).project.id);
      return singlePage(rows.map(presentWebhook));
    },
  );

  app.post(
    '/projects/:slug/webhooks',
    {
      config: { access: 'webhook.manage' },
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Add a webhook',
        params: SlugParams,
        body: NewWebhook,
        response: jsonResponse(201, MadeWebhook, 'The webhook, with its secret, shown this once.'),
      },
    },
    async (request, reply) => {
      const { project } = accessOf(request);
      const made = await addWebhook(deps, project, request.body, callerOf(request));
      return reply.code(201).send(made);
    },
  );

  app.delete(
    '/projects/:slug/webhooks/:id',
    {
      config: { access: 'webhook.manage' },
      schema: {
        tags,
        operationId: 'deleteWebhook',
        summary: 'Remove a webhook',
        params: WebhookParams,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await removeWebhook(deps, accessOf(request).project, request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/projects/:slug/webhooks/:id/test',
    {
      config: { access: 'webhook.manage' },
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Send a test to a webhook',
        description:
          'lastDelivery says how it ended. A webhook that was switched off is on again once it takes a test.',
        params: WebhookParams,
        response: jsonResponse(200, Webhook, 'The webhook after the test.'),
      },
    },
    async (request) => {
      const { project } = accessOf(request);
      return testWebhook(deps, project, request.params.id, callerOf(request), stopping);
    },
  );

  done();
};
