import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** How long a webhook is remembered, in milliseconds, and how many of a repository are. */
const KEPT_MS = 3 * 24 * 3_600_000;
const KEPT = 1_000;

/** Remembers a webhook of a repository. Whether it is new. */
export async function recordDelivery(
  db: Db,
  repositoryId: string,
  digest: string,
  at: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('repository_deliveries')
    .values({ repository_id: repositoryId, digest, at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Forgets webhooks that came long ago, and those of a repository that had very many since. */
export async function pruneDeliveries(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('repository_deliveries')
    .where('at', '<', now - KEPT_MS)
    .execute();
  await sql`DELETE FROM repository_deliveries WHERE (repository_id, digest) IN (
    SELECT repository_id, digest FROM (
      SELECT repository_id, digest,
        ROW_NUMBER() OVER (PARTITION BY repository_id ORDER BY at DESC, digest) AS place
      FROM repository_deliveries
    ) AS numbered WHERE place > ${sql.lit(KEPT)}
  )`.execute(db);
}
