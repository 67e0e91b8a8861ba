import type { Db, Row } from './schema.ts';

export type OidcStateRow = Row<'oidc_states'>;

export function listOidcStates(db: Db): Promise<OidcStateRow[]> {
  return db.selectFrom('oidc_states').selectAll().execute();
}

/** The provider's configuration was read: what failed before is over. */
export async function noteDiscovered(db: Db, provider: string, at: number): Promise<void> {
  const row = { discovered_at: at, failed_at: null, failure: null };
  await upsert(db, provider, row);
}

export async function noteFailure(
  db: Db,
  provider: string,
  at: number,
  failure: string,
): Promise<void> {
  await upsert(db, provider, { failed_at: at, failure });
}

async function upsert(db: Db, provider: string, row: Partial<OidcStateRow>): Promise<void> {
  await db
    .insertInto('oidc_states')
    .values({ provider, discovered_at: null, failed_at: null, failure: null, ...row })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet(row))
    .execute();
}
