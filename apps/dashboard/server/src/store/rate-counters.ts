import { sql } from 'kysely';
import type { Db } from './schema.ts';

// Counters with a fixed window, for rate limits. Their table is still called sign_in_failures, its first use.

/**
 * Increments a counter; its count in the current window, and when the window ends. Increment before the work to be
 * limited, so that concurrent work is counted too.
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
  return { count: row.count, resetsAt: row.resets_at };
}

/** Undoes one increment. */
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

/** Deletes counters whose window has ended. */
export async function pruneCounters(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('resets_at', '<=', now).execute();
}
