import type { Caller } from '../accounts/caller.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import { conflict, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { invalidCursor, readPage } from '../http/pagination.ts';
import type { Page } from '../schema-types.ts';
import {
  findDelivery,
  finishNotice,
  leaseDelivery,
  listDeliveries,
  type NoticeRow,
  releaseNotice,
} from '../store/notices.ts';
import type { ProjectRow } from '../store/projects.ts';
import { pruneCounters } from '../store/rate-counters.ts';
import type { Db } from '../store/schema.ts';
import { listAttempts } from '../store/webhook-attempts.ts';
import { findWebhook, lockWebhook, type WebhookRow } from '../store/webhooks.ts';
import { LEASE_MS } from './deliver-webhook.ts';
import {
  type Delivery,
  type DeliverySummary,
  presentDelivery,
  presentDeliveryDetails,
} from './delivery.ts';
import { recordRequested, sendNow } from './send-now.ts';

/** How often deliveries of a webhook may be sent again: nobody can flood a receiver with them. */
const RESENDS = { limit: 10, windowMs: 10_000 };

/** A page of what a webhook was sent, the newest first. Throws ApiError `not_found` where there is no webhook. */
export async function readDeliveries(
  db: Db,
  project: ProjectRow,
  id: string,
  query: { limit?: number; cursor?: string },
): Promise<Page<DeliverySummary>> {
  const webhook = await webhookOf(db, project, id);
  const { items, nextCursor } = await readPage(
    query,
    (after, limit) => listDeliveries(db, webhook.id, { after: positionOf(after), limit }),
    (row) => `${row.created_at} ${row.id}`,
    (row) => row,
  );
  const attempts = await listAttempts(
    db,
    items.map((row) => row.id),
  );
  return { items: items.map((row) => presentDelivery(row, attempts.get(row.id))), nextCursor };
}

function positionOf(text: string | undefined): Pick<NoticeRow, 'created_at' | 'id'> | undefined {
  if (text === undefined) return undefined;
  const [, at = '', id = ''] = /^(\d{1,15}) (\w{1,64})$/.exec(text) ?? [];
  if (id === '') throw invalidCursor();
  return { created_at: Number(at), id };
}

/** A delivery, with what was sent and what came back. Throws ApiError `not_found`. */
export async function readDelivery(
  db: Db,
  project: ProjectRow,
  id: string,
  deliveryId: string,
): Promise<Delivery> {
  const webhook = await webhookOf(db, project, id);
  const row = await findDelivery(db, webhook.id, deliveryId);
  if (!row) throw notFound('delivery');
  const attempts = await listAttempts(db, [row.id]);
  return presentDeliveryDetails(row, attempts.get(row.id));
}

/**
 * Sends a delivery now, whether it waits, was delivered or was given up, with the same id and body. Returns it with the
 * outcome. A failure changes nothing about when it is tried next; a success switches a webhook on that was off. Throws
 * ApiError `conflict` while it is being sent, `rate_limited`, and `not_found`. Rejects when `stop` comes before the
 * response.
 */
export async function sendAgain(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'sealer'>,
  project: ProjectRow,
  { id, deliveryId }: { id: string; deliveryId: string },
  caller: Caller,
  stop: AbortSignal,
): Promise<Delivery> {
  const { db, now } = deps;
  const webhook = await webhookOf(db, project, id);
  if (!(await findDelivery(db, id, deliveryId))) throw notFound('delivery');
  await pruneCounters(db, now());
  const tooMany = () => 'Many deliveries of this webhook were sent again just now. Wait a moment.';
  await limitRate(db, `webhook-send:${id}`, RESENDS, now(), tooMany);
  // While it is leased, no process sends it, and none sends the webhook anything else.
  const notice = await leaseDelivery(db, id, deliveryId, now(), now() + LEASE_MS);
  if (!notice) throw conflict('This is being sent right now. Look again in a moment.');
  const message = { id: notice.id, body: notice.payload };
  const attempt = await sendNow(deps, webhook, message, stop).catch(async (error) => {
    await releaseNotice(db, notice, { isCounted: true });
    throw error;
  });
  const { error } = attempt.outcome;
  await db.transaction().execute(async (trx) => {
    const current = await lockWebhook(trx, id);
    if (!current) throw notFound('webhook');
    const waits = error !== null && current.disabled_at === null;
    const isMine = await finishNotice(trx, notice, {
      delivered_at: error === null ? now() : notice.delivered_at,
      next_attempt_at: waits ? notice.next_attempt_at : null,
      last_error: error,
    });
    if (!isMine) throw notFound('delivery');
    await recordRequested(trx, current, notice.id, attempt, now(), caller.actor);
  });
  return readDelivery(db, project, id, deliveryId);
}

async function webhookOf(db: Db, project: ProjectRow, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(db, project.id, id);
  if (!webhook) throw notFound('webhook');
  return webhook;
}
