import type { Db } from './schema.ts';

/** The challenges of DNS-01 that the zone has to show, each with its claim's label. */
export function listDnsChallenges(db: Db) {
  return db
    .selectFrom('acme_challenges')
    .innerJoin('domains', 'domains.id', 'acme_challenges.domain_id')
    .select(({ fn }) => [
      fn.coalesce('domains.challenge_label', 'domains.target_label').as('label'),
      'key_authorization as keyAuthorization',
    ])
    .where('acme_challenges.type', '=', 'dns-01')
    .orderBy('acme_challenges.created_at')
    .orderBy('token')
    .execute();
}

/**
 * The serial of a zone with this content: the same for every process that finds the same content, and higher than all
 * before (RFC 1982 allows for 2³¹ more). It begins with the time, and goes on with it, so that it also grows where the
 * database was put back to an earlier state. `content`: what differs where the content does. `at`: milliseconds.
 */
export async function serialOf(db: Db, zone: string, content: string, at: number): Promise<number> {
  const now = Math.floor(at / 1_000);
  for (;;) {
    const known = await db
      .selectFrom('zone_serials')
      .selectAll()
      .where('zone', '=', zone)
      .executeTakeFirst();
    if (known?.content === content) return known.serial;
    const serial = Math.max(now, (known?.serial ?? 0) + 1);
    // Another process may find the same change in this moment: one of them counts it.
    const changed = known
      ? await db
          .updateTable('zone_serials')
          .set({ content, serial })
          .where('zone', '=', zone)
          .where('serial', '=', known.serial)
          .executeTakeFirst()
          .then(({ numUpdatedRows }) => numUpdatedRows > 0n)
      : await db
          .insertInto('zone_serials')
          .values({ zone, content, serial })
          .onConflict((conflict) => conflict.column('zone').doNothing())
          .executeTakeFirst()
          .then(({ numInsertedOrUpdatedRows }) => (numInsertedOrUpdatedRows ?? 0n) > 0n);
    if (changed) return serial;
  }
}
