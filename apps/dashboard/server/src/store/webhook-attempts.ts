import type { Db, NewRow, Row, Trx } from './schema.ts';

export type AttemptRow = Row<'webhook_attempts'>;

/** How many attempts of a delivery are kept: all of the schedule, and as many that somebody asked for. */
const KEPT_ATTEMPTS = 20;

/** Adds an attempt to its delivery, whose webhook is locked. The oldest go. */
export async function insertAttempt(trx: Trx, attempt: NewRow<'webhook_attempts'>): Promise<void> {
  const { notice_id } = attempt;
  await trx.insertInto('webhook_attempts').values(attempt).execute();
  const kept = trx
    .selectFrom('webhook_attempts')
    .select('id')
    .where('notice_id', '=', notice_id)
    .orderBy('id', 'desc')
    .limit(KEPT_ATTEMPTS);
  await trx
    .deleteFrom('webhook_attempts')
    .where('notice_id', '=', notice_id)
    .where('id', 'not in', kept)
    .execute();
}

/** The attempts of deliveries, the newest first. */
export async function listAttempts(
  db: Db,
  deliveryIds: readonly string[],
): Promise<Map<string, AttemptRow[]>> {
  if (deliveryIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('notice_id', 'in', deliveryIds)
    .orderBy('id', 'desc')
    .execute();
  return Map.groupBy(rows, ({ notice_id }) => notice_id);
}
