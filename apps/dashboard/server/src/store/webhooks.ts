import type { Insertable, Selectable, Transaction } from 'kysely';
import { assertLockOrder } from './lock-order.ts';
import type { Db } from './open-database.ts';
import type { Database } from './schema.ts';

type Reader = Db | Transaction<Database>;

export type WebhookRow = Selectable<Database['webhooks']>;

/** In the order in which they were added. */
export function listWebhooks(db: Reader, projectId: string): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findWebhook(
  db: Reader,
  projectId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertWebhook(
  trx: Transaction<Database>,
  webhook: Insertable<Database['webhooks']>,
): Promise<void> {
  await trx.insertInto('webhooks').values(webhook).execute();
}

/** Deletes it with what it had still to be told; the webhook, or undefined where there is none. */
export function deleteWebhook(
  trx: Transaction<Database>,
  projectId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  return trx
    .deleteFrom('webhooks')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Locks a webhook until the transaction ends: whoever begins or ends a delivery does so, hence one
 * at a time. undefined when it is gone.
 */
export async function lockWebhook(
  trx: Transaction<Database>,
  id: string,
): Promise<WebhookRow | undefined> {
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
  trx: Transaction<Database>,
  id: string,
  change: { last_delivery?: string; disabled_at?: number | null },
): Promise<void> {
  await trx.updateTable('webhooks').set(change).where('id', '=', id).execute();
}

/** Any webhook, where there is one. */
export function findAnyWebhook(db: Db): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().limit(1).executeTakeFirst();
}
