import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import {
  ItemParams,
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../http/routes.ts';
import { listWebhooks } from '../store/webhooks.ts';
import { CreatedWebhook, NewWebhook, Webhook } from './webhook.ts';
import { addWebhook, presentWebhook, removeWebhook, testWebhook } from './webhooks.ts';

const operation = operationsOf('Webhooks');

/** The webhooks that report what happens to a project's domains. `stopping`: aborts tests under way. */
export const webhookRoutes: Routes<{ stopping: AbortSignal }> = async (app, { deps, stopping }) => {
  app.get(
    '/projects/:slug/webhooks',
    operation('webhook.manage', 'listWebhooks', "List the project's webhooks", {
      params: SlugParams,
      response: pageResponse(Webhook),
    }),
    async (request) => {
      const rows = await listWebhooks(deps.db, accessOf(request).project.id);
      return singlePage(rows.map(presentWebhook));
    },
  );

  app.post(
    '/projects/:slug/webhooks',
    operation('webhook.manage', 'createWebhook', 'Add a webhook', {
      params: SlugParams,
      body: NewWebhook,
      response: jsonResponse(201, CreatedWebhook, 'The webhook, with its secret, shown this once.'),
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const created = await addWebhook(deps, project, request.body, callerOf(request));
      return reply.code(201).send(created);
    },
  );

  app.delete(
    '/projects/:slug/webhooks/:id',
    operation('webhook.manage', 'deleteWebhook', 'Remove a webhook', {
      params: ItemParams,
      response: NO_CONTENT,
    }),
    async (request, reply) => {
      await removeWebhook(deps, accessOf(request).project, request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/projects/:slug/webhooks/:id/test',
    operation('webhook.manage', 'testWebhook', 'Send a test to a webhook', {
      description:
        'lastDelivery says how it ended. A webhook that was switched off is on again once it takes a test.',
      params: ItemParams,
      response: jsonResponse(200, Webhook, 'The webhook after the test.'),
    }),
    async (request) => {
      const { project } = accessOf(request);
      return testWebhook(deps, project, request.params.id, callerOf(request), stopping);
    },
  );
};
