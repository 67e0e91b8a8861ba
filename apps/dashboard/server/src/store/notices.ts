import { sql } from 'kysely';
import { findRow, isFree, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';
import { lockWebhook, type WebhookRow } from './webhooks.ts';

export type NoticeRow = Row<'notices'>;

export type NewNotice = Pick<
  NewRow<'notices'>,
  'id' | 'type' | 'project_id' | 'webhook_id' | 'email' | 'payload'
> & { created_at: number };

/** A notice leased for delivery; `leased_until` identifies the lease. */
export interface LeasedNotice extends Omit<NoticeRow, 'leased_until'> {
  readonly leased_until: number;
}

/** A delivery that has ended before it is stored: a test. */
export async function insertEndedNotice(
  trx: Trx,
  notice: NewNotice,
  end: Pick<NoticeRow, 'delivered_at' | 'last_error'>,
): Promise<void> {
  await trx
    .insertInto('notices')
    .values({ ...notice, ...end, attempts: 1, next_attempt_at: null, leased_until: null })
    .execute();
}

/** To be delivered at once. */
export async function insertNotices(trx: Trx, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await trx
    .insertInto('notices')
    .values(
      notices.map((notice) => ({
        ...notice,
        attempts: 0,
        next_attempt_at: notice.created_at,
        delivered_at: null,
        last_error: null,
        leased_until: null,
      })),
    )
    .execute();
}

/** Due notices that are not leased, the one due for longest first. */
function due(db: Db, now: number) {
  return db
    .selectFrom('notices')
    .select(['notices.id', 'notices.webhook_id'])
    .where('next_attempt_at', '<=', now)
    .where(isFree(now))
    .orderBy('next_attempt_at')
    .orderBy('created_at')
    .limit(1);
}

/** Leases the next e-mail until `until`. undefined when there is none. */
export function leaseEmail(db: Db, now: number, until: number): Promise<LeasedNotice | undefined> {
  return db.transaction().execute(async (trx) => {
    const next = await due(trx, now).where('email', 'is not', null).executeTakeFirst();
    return next && lease(trx, next.id, now, until);
  });
}

/**
 * Leases the next notice of a webhook without a delivery in progress, until `until`.
 * undefined when there is none.
 */
export function leaseWebhookNotice(
  db: Db,
  now: number,
  until: number,
): Promise<{ notice: LeasedNotice; webhook: WebhookRow } | undefined> {
  return db.transaction().execute(async (trx) => {
    const next = await due(trx, now)
      .where('webhook_id', 'is not', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('notices as other')
              .select('other.id')
              .whereRef('other.webhook_id', '=', 'notices.webhook_id')
              .where('other.leased_until', '>', now),
          ),
        ),
      )
      .executeTakeFirst();
    if (!next?.webhook_id) return undefined;
    const webhook = await lockWebhook(trx, next.webhook_id);
    // Checked again under the lock: on PostgreSQL another process may have leased it meanwhile.
    if (!webhook || (await isBusy(trx, webhook.id, now))) return undefined;
    // Whoever queued it had read the webhook before it was switched off.
    if (webhook.disabled_at !== null) {
      await abandonNotices(trx, webhook.id);
      return undefined;
    }
    const notice = await lease(trx, next.id, now, until);
    return notice && { notice, webhook };
  });
}

async function isBusy(trx: Trx, webhookId: string, now: number) {
  const other = await trx
    .selectFrom('notices')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('leased_until', '>', now)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

async function lease(
  trx: Trx,
  id: string,
  now: number,
  until: number,
): Promise<LeasedNotice | undefined> {
  const notice = await trx
    .updateTable('notices')
    .set((set) => ({ leased_until: until, attempts: set('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('next_attempt_at', '<=', now)
    .where(isFree(now))
    .returningAll()
    .executeTakeFirst();
  return notice && { ...notice, leased_until: until };
}

/** Leases an undelivered or ended notice of a webhook out of turn, until `until`. The attempt does not count. */
export async function leaseDelivery(
  db: Db,
  webhookId: string,
  id: string,
  now: number,
  until: number,
): Promise<LeasedNotice | undefined> {
  const notice = await db
    .updateTable('notices')
    .set({ leased_until: until })
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .where(isFree(now))
    .returningAll()
    .executeTakeFirst();
  return notice && { ...notice, leased_until: until };
}

/** Releases the lease of a notice whose delivery was called off. `isCounted`: the attempt counts. */
export async function releaseNotice(
  db: Db,
  { id, leased_until }: Pick<LeasedNotice, 'id' | 'leased_until'>,
  { isCounted }: { isCounted: boolean },
): Promise<void> {
  await db
    .updateTable('notices')
    .set((set) => ({
      leased_until: null,
      attempts: isCounted ? set.ref('attempts') : set('attempts', '-', 1),
    }))
    .where('id', '=', id)
    .where('leased_until', '=', leased_until)
    .execute();
}

/** Records how a delivery ended. False when another process has the notice by now, or it is gone with its webhook. */
export function finishNotice(
  trx: Trx,
  { id, leased_until }: Pick<LeasedNotice, 'id' | 'leased_until'>,
  end: Pick<NoticeRow, 'delivered_at' | 'next_attempt_at' | 'last_error'>,
): Promise<boolean> {
  return updateRows(trx, 'notices', { id, leased_until }, { ...end, leased_until: null });
}

/** Whether a webhook accepted a notice at `since` or later. */
export async function hasDeliveredSince(
  trx: Trx,
  webhookId: string,
  since: number,
): Promise<boolean> {
  const row = await trx
    .selectFrom('notices')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('delivered_at', '>=', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Abandons the undelivered notices of a webhook that is switched off. */
export async function abandonNotices(trx: Trx, webhookId: string): Promise<void> {
  const last_error = 'The webhook was switched off before this was delivered.';
  await trx
    .updateTable('notices')
    .set({ next_attempt_at: null, last_error })
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', 'is not', null)
    .execute();
}

/** The deliveries of a webhook, the newest first, after the one at a position: at most `limit`. */
export function listDeliveries(
  db: Db,
  webhookId: string,
  { after, limit }: { after: Pick<NoticeRow, 'created_at' | 'id'> | undefined; limit: number },
): Promise<NoticeRow[]> {
  let query = db
    .selectFrom('notices')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (after) {
    query = query.where(({ or, and, eb }) =>
      or([
        eb('created_at', '<', after.created_at),
        and([eb('created_at', '=', after.created_at), eb('id', '<', after.id)]),
      ]),
    );
  }
  return query.execute();
}

export function findDelivery(db: Db, webhookId: string, id: string) {
  return findRow(db, 'notices', { webhook_id: webhookId, id });
}

/**
 * Deletes notices that ended before `endedBefore`, those of a webhook beyond the newest `keptDeliveries` that ended, and
 * e-mails from before `unsentBefore` that nobody began to send.
 */
export async function pruneNotices(
  db: Db,
  {
    endedBefore,
    unsentBefore,
    keptDeliveries,
  }: { endedBefore: number; unsentBefore: number; keptDeliveries: number },
): Promise<void> {
  await db
    .deleteFrom('notices')
    .where((where) =>
      where.or([
        where.and([where('next_attempt_at', 'is', null), where('created_at', '<', endedBefore)]),
        where.and([
          where('email', 'is not', null),
          where('attempts', '=', 0),
          where('created_at', '<', unsentBefore),
        ]),
      ]),
    )
    .execute();
  await sql`DELETE FROM notices WHERE id IN (
    SELECT id FROM (
      SELECT id, ROW_NUMBER() OVER (PARTITION BY webhook_id ORDER BY created_at DESC, id DESC) AS place
      FROM notices WHERE webhook_id IS NOT NULL AND next_attempt_at IS NULL
    ) AS ended WHERE place > ${sql.lit(keptDeliveries)}
  )`.execute(db);
}
