import { sendWebhook } from '@petstore/webhooks/send-webhook.ts';
import { makeWebhookSecret } from '@petstore/webhooks/signature.ts';
import { eventJson } from '../../events/event.ts';
import type { Store } from '../../store/store.ts';
import { sending } from '../../webhooks/delivery/sending.ts';
import { type StoredWebhook, signingSecrets } from '../../webhooks/webhook.ts';
import type { RecordedDelivery } from '../recorded-request.ts';

/** Endpoints of a sandbox that are tried, at most. */
const MAX_WEBHOOKS = 5;

export interface ProbeDeps {
  readonly store: Pick<Store, 'webhooks' | 'events'>;
  readonly allowsPrivate: boolean;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/**
 * Tries the webhooks of a sandbox: the newest event, the same event again under the same id, and one that is signed
 * with another secret. What the endpoints answered is what there is to judge. Rejects when the service stops meanwhile.
 */
export async function probeWebhooks(
  { store, allowsPrivate, stopping }: ProbeDeps,
  sandbox: string,
): Promise<RecordedDelivery[]> {
  const log = store.events.of(sandbox);
  const { newest } = await log.kept();
  const events = newest === 0n ? [] : await log.list(newest - 1n, 1);
  const [event] = Array.isArray(events) ? events : [];
  if (!event) return [];
  const webhooks = (await store.webhooks.list(sandbox)).slice(0, MAX_WEBHOOKS);
  const probe = async (webhook: StoredWebhook): Promise<RecordedDelivery[]> => {
    const send = async (id: string, isForged: boolean) => {
      const at = Date.now();
      const began = performance.now();
      const secret = isForged ? makeWebhookSecret() : signingSecrets(webhook, at);
      const { status, timedOut } = await sendWebhook(
        { id, url: webhook.url, secret, body: eventJson(event) },
        { at, ...sending(allowsPrivate) },
        stopping,
      );
      const durationMs = Math.round(performance.now() - began);
      return {
        ...{ endpoint: webhook.id, eventId: `${event.id}`, at, durationMs },
        ...(status !== null && { status }),
        ...(timedOut && { timedOut }),
        ...(isForged && { isForged }),
      };
    };
    // As the webhook itself names it, so that an endpoint that has had it knows it.
    const id = `${webhook.id}.${event.id}`;
    const first = await send(id, false);
    const again = await send(id, false);
    return [first, again, await send(`${id}.forged`, true)];
  };
  return (await Promise.all(webhooks.map(probe))).flat();
}
