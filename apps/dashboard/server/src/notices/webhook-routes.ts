import { Type } from '@petstore/service/schema-builders.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { PageQuery, singlePage } from '../http/pagination.ts';
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
import { readDeliveries, readDelivery, sendAgain } from './deliveries.ts';
import { Delivery, DeliverySummary } from './delivery.ts';
import { CreatedWebhook, NewWebhook, Webhook, WebhookChange } from './webhook.ts';
import {
  addWebhook,
  changeWebhook,
  presentWebhook,
  removeWebhook,
  testWebhook,
} from './webhooks.ts';

const operation = operationsOf('Webhooks');

const DeliveryParams = Type.Object({ ...ItemParams.properties, deliveryId: Type.String() });

/** The webhooks that report what happens to a project. `stopping`: aborts what is being sent for a request. */
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
    (request) => addWebhook(deps, accessOf(request).project, request.body, callerOf(request)),
  );

  app.patch(
    '/projects/:slug/webhooks/:id',
    operation('webhook.manage', 'updateWebhook', 'Change the events of a webhook', {
      params: ItemParams,
      body: WebhookChange,
      response: jsonResponse(200, Webhook, 'The webhook after the change.'),
    }),
    async (request) => {
      const { project } = accessOf(request);
      return changeWebhook(deps, project, request.params.id, request.body, callerOf(request));
    },
  );

  app.delete(
    '/projects/:slug/webhooks/:id',
    operation('webhook.manage', 'deleteWebhook', 'Remove a webhook', {
      params: ItemParams,
      response: NO_CONTENT,
    }),
    (request) =>
      removeWebhook(deps, accessOf(request).project, request.params.id, callerOf(request)),
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

  app.get(
    '/projects/:slug/webhooks/:id/deliveries',
    operation(
      'webhook.manage',
      'listDeliveries',
      'List what a webhook was sent, the newest first',
      {
        description: 'Those of the last thirty days, a thousand at most beside those that wait.',
        params: ItemParams,
        querystring: PageQuery,
        response: pageResponse(DeliverySummary),
      },
    ),
    (request) =>
      readDeliveries(deps.db, accessOf(request).project, request.params.id, request.query),
  );

  app.get(
    '/projects/:slug/webhooks/:id/deliveries/:deliveryId',
    operation('webhook.manage', 'getDelivery', 'Show a delivery and the responses to it', {
      params: DeliveryParams,
      response: jsonResponse(200, Delivery, 'The delivery.'),
    }),
    (request) => {
      const { id, deliveryId } = request.params;
      return readDelivery(deps.db, accessOf(request).project, id, deliveryId);
    },
  );

  app.post(
    '/projects/:slug/webhooks/:id/deliveries/:deliveryId/send',
    operation('webhook.manage', 'sendDelivery', 'Send a delivery again', {
      description:
        'Now, with the same webhook-id and body, whatever became of it. A webhook that was switched off is on again once it takes it.',
      params: DeliveryParams,
      response: jsonResponse(200, Delivery, 'The delivery after this attempt.'),
    }),
    async (request) => {
      const { project } = accessOf(request);
      return sendAgain(deps, project, request.params, callerOf(request), stopping);
    },
  );
};
