import { ApiError } from '@petstore/http/errors.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import type { Trx } from '../store/schema.ts';
import { updateWebhook, type WebhookRow } from '../store/webhooks.ts';
import {
  type Attempt,
  disableWebhook,
  hostOf,
  RESPONSE_TIMEOUT_MS,
  recordAttempt,
  sendToWebhook,
} from './deliver-webhook.ts';

/** Sends a message because somebody asked for it. Throws ApiError `unavailable` when `stop` comes before the end. */
export async function sendNow(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'sealer'>,
  webhook: WebhookRow,
  message: { readonly id: string; readonly body: string },
  stop: AbortSignal,
): Promise<Attempt> {
  try {
    return await sendToWebhook({ ...deps, timeoutMs: RESPONSE_TIMEOUT_MS }, webhook, message, stop);
  } catch (error) {
    throw stop.aborted ? new ApiError('unavailable', 'The service is stopping. Try again.') : error;
  }
}

/**
 * Records an attempt that somebody asked for; the webhook is locked, and as it is now. One that was switched off is on
 * again when it accepted the message, and one that is gone for good is switched off.
 */
export async function recordRequested(
  trx: Trx,
  webhook: WebhookRow,
  noticeId: string,
  attempt: Attempt,
  at: number,
  actor: Actor,
): Promise<void> {
  const { error, isFinal } = attempt.outcome;
  await recordAttempt(trx, webhook, noticeId, attempt);
  if (isFinal) await disableWebhook(trx, webhook, at, error ?? '');
  if (error !== null || webhook.disabled_at === null) return;
  await updateWebhook(trx, webhook.id, { disabled_at: null });
  await writeAudit(trx, at, actor, {
    action: 'webhook.enable',
    projectId: webhook.project_id,
    target: hostOf(webhook),
    details: { id: webhook.id },
  });
}
