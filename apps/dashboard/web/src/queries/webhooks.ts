import { queryOptions } from '@tanstack/react-query';
import type { Delivery, DeliverySummary } from '../../../server/src/notices/delivery.ts';
import type { Webhook } from '../../../server/src/notices/webhook.ts';
import { path } from '../api.ts';
import { get, list, pagedList, WAITING_INTERVAL_MS } from './get.ts';
import { keys } from './keys.ts';

export const webhooksQuery = (slug: string) =>
  list<Webhook>(keys.webhooks(slug), path`/projects/${slug}/webhooks`);

/** Refetched while one waits: it may be delivered at any moment. */
export const deliveriesQuery = (slug: string, id: string) =>
  pagedList<DeliverySummary>(
    keys.deliveries(slug, id),
    path`/projects/${slug}/webhooks/${id}/deliveries`,
    (deliveries) => deliveries.some(({ state }) => state === 'waiting') && WAITING_INTERVAL_MS,
  );

export const deliveryQuery = (slug: string, webhookId: string, id: string) =>
  queryOptions({
    queryKey: [...keys.deliveries(slug, webhookId), id],
    queryFn: get<Delivery>(path`/projects/${slug}/webhooks/${webhookId}/deliveries/${id}`),
    refetchInterval: ({ state }) => state.data?.state === 'waiting' && WAITING_INTERVAL_MS,
  });
