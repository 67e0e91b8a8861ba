import { sql } from 'kysely';
import type { Db } from './open-database.ts';

/**
 * Counts a try under a key, and says how many there were since counting began, and when it begins anew.
 * Counted before it is known how the try ends, so that tries at the same time are counted too.
 */
export async function incrementCounter(
  db: Db,
  key: string,
  now: number,
  windowMs: number,
): Promise<{ count: number; resetsAt: number }> {
  const row = await db
    .insertInto('sign_in_failures')
    .values({ key, count: 1, resets_at: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`CASE WHEN sign_in_failures.resets_at <= ${now} THEN 1 ELSE sign_in_failures.count + 1 END`,
        resets_at: sql`CASE WHEN sign_in_failures.resets_at <= ${now} THEN ${now + windowMs} ELSE sign_in_failures.resets_at END`,
      }),
    )
    .returning(['count', 'resets_at'])
    .executeTakeFirstOrThrow();
  return { count: Number(row.count), resetsAt: Number(row.resets_at) };
}

/** Takes a try back that turned out well. */
export async function decrementCounter(db: Db, key: string): Promise<void> {
  await db
    .updateTable('sign_in_failures')
    .set((set) => ({ count: set('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

export async function deleteCounter(db: Db, key: string): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('key', '=', key).execute();
}

/** Takes away what counts no more. */
export async function pruneCounters(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('resets_at', '<=', now).execute();
}
