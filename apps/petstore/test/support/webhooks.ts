import { OWN_STORE } from '../../src/store/own-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { RecentDelivery, StoredWebhook } from '../../src/webhooks/webhook.ts';

/** Adds a webhook to the service's own store as it would be by then. */
export async function addWebhook(
  { webhooks }: Pick<Store, 'webhooks'>,
  {
    recent = [],
    ...given
  }: Pick<StoredWebhook, 'id' | 'url' | 'createdAt' | 'position'> & {
    events?: StoredWebhook['events'];
    recent?: readonly RecentDelivery[];
    disabledAt?: number;
  },
): Promise<void> {
  const webhook: StoredWebhook = {
    ...{ store: OWN_STORE, secret: `whsec_${'A'.repeat(32)}`, events: [], recent: [], asked: 0n },
    ...{ oldSecret: null, oldSecretUntil: null, disabledAt: null, disabledReason: null },
    ...{ failures: 0, failingSince: null, nextAt: null, lastError: null },
    ...given,
  };
  await webhooks.add(webhook, { most: 1_000, mostOfStore: 1_000 });
  await webhooks.acquireLeases('test', { leaseMs: 60_000, most: 1_000 });
  await webhooks.save('test', [{ ...webhook, recent }], [], 10);
  await webhooks.release('test');
}
