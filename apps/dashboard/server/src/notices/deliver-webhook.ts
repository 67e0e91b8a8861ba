import { isPublicAddress } from '@petstore/http/networks.ts';
import type { DeliveryOutcome } from '@petstore/webhooks/delivery-outcome.ts';
import { nextAttemptAt } from '@petstore/webhooks/retries.ts';
import { sendWebhook } from '@petstore/webhooks/send-webhook.ts';
import { SYSTEM } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import {
  abandonNotices,
  finishNotice,
  hasDeliveredSince,
  type LeasedNotice,
  releaseNotice,
} from '../store/notices.ts';
import type { Trx } from '../store/schema.ts';
import { insertAttempt } from '../store/webhook-attempts.ts';
import { lockWebhook, updateWebhook, type WebhookRow } from '../store/webhooks.ts';

/** How long a receiver may take to respond, in milliseconds: it should respond first and work then. */
export const RESPONSE_TIMEOUT_MS = 15_000;

/**
 * How long a process has a notice, in milliseconds: longer than any attempt takes, so that the lease is never renewed.
 * A notice whose process was killed waits that long.
 */
export const LEASE_MS = 60_000;

export interface WebhookDeps extends Pick<Deps, 'config' | 'db' | 'metrics' | 'now' | 'sealer'> {
  readonly timeoutMs: number;
}

/** The sealing context of a webhook's secret. */
export const sealingContext = ({ id }: Pick<WebhookRow, 'id'>) => `webhook ${id}`;

/** The outcome of an attempt, when it began, and how long it took, in milliseconds. */
export interface Attempt {
  readonly at: number;
  readonly durationMs: number;
  readonly outcome: DeliveryOutcome;
}

/** Sends a message to a webhook once. Rejects when `stop` comes before the end. */
export async function sendToWebhook(
  { config, now, sealer, timeoutMs }: WebhookDeps,
  webhook: WebhookRow,
  message: { readonly id: string; readonly body: string },
  stop: AbortSignal,
): Promise<Attempt> {
  const at = now();
  const secret = openSecret({ sealer }, webhook);
  if (secret === undefined) {
    const error = "The webhook's secret cannot be read with the dashboard's key. Add it anew.";
    return { at, durationMs: 0, outcome: { status: null, error } };
  }
  const began = performance.now();
  const outcome = await sendWebhook(
    { ...message, url: webhook.url, secret },
    {
      at,
      timeoutMs,
      userAgent: 'dashboard-webhooks',
      dnsServers: config.dnsServers,
      isAllowed: config.webhookPrivateAddresses === 'allow' ? () => true : isPublicAddress,
    },
    stop,
  );
  return { at, durationMs: Math.round(performance.now() - began), outcome };
}

function openSecret({ sealer }: Pick<Deps, 'sealer'>, webhook: WebhookRow): string | undefined {
  try {
    return sealer.open(webhook.sealed_secret, sealingContext(webhook));
  } catch {
    return undefined;
  }
}

/** Delivers a leased notice to its webhook, and records the outcome. */
export async function deliverToWebhook(
  deps: WebhookDeps,
  { notice, webhook }: { notice: LeasedNotice; webhook: WebhookRow },
  stop: AbortSignal,
): Promise<void> {
  const message = { id: notice.id, body: notice.payload };
  try {
    const attempt = await sendToWebhook(deps, webhook, message, stop);
    deps.metrics?.delivery('webhook', attempt.outcome.error === null ? 'delivered' : 'failed');
    await endDelivery(deps, notice, webhook.id, attempt);
  } catch (error) {
    if (!stop.aborted) throw error;
    await releaseNotice(deps.db, notice, { isCounted: false });
  }
}

async function endDelivery(
  { db, now }: WebhookDeps,
  notice: LeasedNotice,
  webhookId: string,
  attempt: Attempt,
): Promise<void> {
  const at = now();
  const { error, retryAfterMs, isFinal = false } = attempt.outcome;
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
    await recordAttempt(trx, webhook, notice.id, attempt);
    if (error === null || next !== null) return;
    // A receiver that refuses one notice and takes later ones stays on.
    const isTaking = await hasDeliveredSince(trx, webhookId, notice.created_at);
    if (isFinal || !isTaking) await disableWebhook(trx, webhook, at, error);
  });
}

/** The last delivery of a webhook, which is stored as JSON. */
export interface LastDelivery {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Records an attempt: with its notice, and as the webhook's last delivery. */
export async function recordAttempt(
  trx: Trx,
  { id }: Pick<WebhookRow, 'id'>,
  noticeId: string,
  { at, durationMs, outcome: { status, error, response = '' } }: Attempt,
): Promise<void> {
  await insertAttempt(trx, {
    notice_id: noticeId,
    at,
    duration_ms: durationMs,
    status,
    error,
    response,
  });
  const last: LastDelivery = { at, status, error };
  await updateWebhook(trx, id, { last_delivery: JSON.stringify(last) });
}

/** Switches a webhook off: it gets no more notices, and none of those that wait. */
export async function disableWebhook(
  trx: Trx,
  webhook: WebhookRow,
  at: number,
  reason: string,
): Promise<void> {
  if (webhook.disabled_at !== null) return;
  await updateWebhook(trx, webhook.id, { disabled_at: at });
  await abandonNotices(trx, webhook.id);
  await writeAudit(trx, at, SYSTEM, {
    action: 'webhook.disable',
    projectId: webhook.project_id,
    target: hostOf(webhook),
    details: { id: webhook.id, reason },
  });
}

/** The host of a webhook, for readers who may not see its URL: the path may hold a secret. */
export function hostOf({ url }: Pick<WebhookRow, 'url'>): string {
  return new URL(url).host;
}
