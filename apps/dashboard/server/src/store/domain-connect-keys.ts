import { findRow } from './rows.ts';
import type { Db, Row } from './schema.ts';

type ConnectKeyRow = Row<'domain_connect_keys'>;

export function findConnectKey(db: Db, label: string): Promise<ConnectKeyRow | undefined> {
  return findRow(db, 'domain_connect_keys', { label });
}

/** Stores a key. Of several processes that do so at once, one succeeds, and all get the same. */
export async function saveConnectKey(db: Db, row: ConnectKeyRow): Promise<ConnectKeyRow> {
  await db
    .insertInto('domain_connect_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('label').doNothing())
    .execute();
  return db
    .selectFrom('domain_connect_keys')
    .selectAll()
    .where('label', '=', row.label)
    .executeTakeFirstOrThrow();
}
