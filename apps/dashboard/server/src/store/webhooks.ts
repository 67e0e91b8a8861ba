import { assertLockOrder } from './lock-order.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

export type WebhookRow = Row<'webhooks'>;

const rows = (db: Db) => db.selectFrom('webhooks').selectAll();

/** In the order in which they were added. */
export function listWebhooks(db: Db, projectId: string) {
  return rows(db).where('project_id', '=', projectId).orderBy('created_at').orderBy('id').execute();
}

export function findWebhook(db: Db, projectId: string, id: string) {
  return rows(db).where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();
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
  // An update that changes nothing locks the row on either database.
  return trx
    .updateTable('webhooks')
    .set((set) => ({ url: set.ref('url') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function updateWebhook(
  trx: Trx,
  id: string,
  change: { last_delivery?: string; disabled_at?: number | null },
): Promise<void> {
  await trx.updateTable('webhooks').set(change).where('id', '=', id).execute();
}
