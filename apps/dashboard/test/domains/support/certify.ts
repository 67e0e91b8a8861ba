import type { Db } from '../../../server/src/store/schema.ts';

/** Stores a certificate of a domain that is good for a day, as far as what it leads to is concerned: it has no chain. */
export async function certify(db: Db, hostname: string): Promise<void> {
  const { id } = await db
    .selectFrom('domains')
    .select('id')
    .where('hostname', '=', hostname)
    .executeTakeFirstOrThrow();
  const now = Date.now();
  await db
    .insertInto('certificates')
    .values({
      ...{ domain_id: id, hostname, chain: '', sealed_key: '', issuer: 'Test', serial: '01' },
      ...{ not_before: now, not_after: now + 86_400_000, issued_at: now },
      ...{ renew_at: now + 80_000_000, ari_id: null, ari_check_at: null },
    })
    .execute();
  // Edges follow it.
  await db
    .updateTable('site_clock')
    .set((set) => ({ seq: set('seq', '+', 1) }))
    .execute();
}
