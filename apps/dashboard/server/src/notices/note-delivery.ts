import type { Transaction } from 'kysely';
import { SYSTEM } from '../audit/actor.ts';
import { writeAudit } from '../store/audit.ts';
import { abandonNotices } from '../store/notices.ts';
import type { Database } from '../store/schema.ts';
import { updateWebhook, type WebhookRow } from '../store/webhooks.ts';
import type { Outcome } from './outcome.ts';

/** What is kept of a webhook's last delivery, as JSON. */
export interface LastDelivery {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Keeps how the last delivery to a webhook ended, for people. */
export async function noteDelivery(
  trx: Transaction<Database>,
  { id }: Pick<WebhookRow, 'id'>,
  at: number,
  { status, error }: Outcome,
): Promise<void> {
  const last: LastDelivery = { at, status, error };
  await updateWebhook(trx, id, { last_delivery: JSON.stringify(last) });
}

/** Switches a webhook off that is on: it is told nothing from here on, and nothing of what waits. */
export async function disableWebhook(
  trx: Transaction<Database>,
  webhook: WebhookRow,
  at: number,
  reason: string,
): Promise<void> {
  if (webhook.disabled_at !== null) return;
  await updateWebhook(trx, webhook.id, { disabled_at: at });
  await abandonNotices(trx, webhook.id, 'The webhook was switched off before this was delivered.');
  await writeAudit(trx, at, SYSTEM, {
    action: 'webhook.disable',
    projectId: webhook.project_id,
    target: hostOf(webhook),
    details: { id: webhook.id, reason },
  });
}

/** A webhook as those see it who may not know its URL, the path of which may hold a secret. */
export function hostOf({ url }: Pick<WebhookRow, 'url'>): string {
  return new URL(url).host;
}
