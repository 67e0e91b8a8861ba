import { assertLockOrder } from './lock-order.ts';
import { findRow, lockRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

export type WebhookRow = Row<'webhooks'>;

/** In the order in which they were added. */
export function listWebhooks(db: Db, projectId: string) {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findWebhook(db: Db, projectId: string, id: string) {
  return findRow(db, 'webhooks', { project_id: projectId, id });
}

export async function insertWebhook(trx: Trx, webhook: NewRow<'webhooks'>): Promise<void> {
  await trx.insertInto('webhooks').values(webhook).execute();
}

/** Deletes a webhook with its undelivered notices. Returns it, or undefined where there is none. */
export function deleteWebhook(trx: Trx, projectId: string, id: string) {
  return trx
    .deleteFrom('webhooks')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Locks a webhook until the transaction ends. Every delivery begins and ends under this lock, one at a time. undefined
 * when it is gone.
 */
export async function lockWebhook(trx: Trx, id: string): Promise<WebhookRow | undefined> {
  assertLockOrder(trx, 'webhook', id);
  return lockRow(trx, 'webhooks', { id });
}

export async function updateWebhook(
  trx: Trx,
  id: string,
  change: { last_delivery?: string; disabled_at?: number | null; events?: string },
): Promise<void> {
  await updateRows(trx, 'webhooks', { id }, change);
}
