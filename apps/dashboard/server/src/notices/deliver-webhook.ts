import type { Deps } from '../deps.ts';
import {
  finishNotice,
  hasDeliveredSince,
  type LeasedNotice,
  releaseNotice,
} from '../store/notices.ts';
import { lockWebhook, type WebhookRow } from '../store/webhooks.ts';
import { disableWebhook, noteDelivery } from './note-delivery.ts';
import type { Outcome } from './outcome.ts';
import { nextAttemptAt } from './retries.ts';
import { sendWebhook } from './send-webhook.ts';

/** For one delivery of a webhook, in milliseconds: the receiver is to answer first and to work then. */
export const ANSWER_TIMEOUT_MS = 15_000;

export interface WebhookDeps extends Pick<Deps, 'config' | 'db' | 'now' | 'sealer'> {
  readonly timeoutMs: number;
}

/** What a webhook's secret is sealed for. */
export const sealingContext = ({ id }: Pick<WebhookRow, 'id'>) => `webhook ${id}`;

/** Sends a message to a webhook once. Rejects when `stop` comes before the end. */
export async function sendToWebhook(
  { config, now, sealer, timeoutMs }: WebhookDeps,
  webhook: WebhookRow,
  message: { readonly id: string; readonly body: string },
  stop: AbortSignal,
): Promise<Outcome> {
  const secret = openSecret({ sealer }, webhook);
  if (secret === undefined) {
    const error = "The webhook's secret cannot be read with the dashboard's key. Add it anew.";
    return { status: null, error };
  }
  return sendWebhook(
    { ...message, url: webhook.url, secret },
    {
      at: now(),
      timeoutMs,
      dnsServers: config.dnsServers,
      arePrivateAllowed: config.webhookPrivateAddresses === 'allow',
    },
    stop,
  );
}

function openSecret({ sealer }: Pick<Deps, 'sealer'>, webhook: WebhookRow): string | undefined {
  try {
    return sealer.open(webhook.sealed_secret, sealingContext(webhook));
  } catch {
    return undefined;
  }
}

/** Delivers a leased notice to its webhook, and writes down how that ended. */
export async function deliverToWebhook(
  deps: WebhookDeps,
  { notice, webhook }: { notice: LeasedNotice; webhook: WebhookRow },
  stop: AbortSignal,
): Promise<void> {
  const message = { id: notice.id, body: notice.payload };
  try {
    const outcome = await sendToWebhook(deps, webhook, message, stop);
    await endDelivery(deps, notice, webhook.id, outcome);
  } catch (error) {
    if (!stop.aborted) throw error;
    await releaseNotice(deps.db, notice);
  }
}

async function endDelivery(
  { db, now }: WebhookDeps,
  notice: LeasedNotice,
  webhookId: string,
  outcome: Outcome,
): Promise<void> {
  const at = now();
  const { error, retryAfterMs, isFinal = false } = outcome;
  const isDone = error === null || isFinal;
  const next = isDone ? null : nextAttemptAt(notice.attempts, at, retryAfterMs);
  await db.transaction().execute(async (trx) => {
    const webhook = await lockWebhook(trx, webhookId);
    const isMine =
      webhook !== undefined &&
      (await finishNotice(trx, notice, {
        delivered_at: error === null ? at : null,
        next_attempt_at: webhook.disabled_at === null ? next : null,
        last_error: error,
      }));
    if (!isMine) return;
    await noteDelivery(trx, webhook, at, outcome);
    if (error === null || next !== null) return;
    // One notice that its receiver cannot take is no reason, as long as it takes later ones.
    const isTaking = await hasDeliveredSince(trx, webhookId, notice.created_at);
    if (isFinal || !isTaking) await disableWebhook(trx, webhook, at, error);
  });
}
