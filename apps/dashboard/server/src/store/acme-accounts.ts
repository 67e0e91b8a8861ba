import { deleteRows, findRow, updateRows } from './rows.ts';
import type { Db, Row } from './schema.ts';

export type AcmeAccountRow = Row<'acme_accounts'>;

/** The account at a directory; `directory` is the last one that the authority sent. */
export function findAcmeAccount(db: Db, directoryUrl: string) {
  return findRow(db, 'acme_accounts', { directory_url: directoryUrl });
}

/**
 * Stores a key before the authority knows of it. Of several processes that do so at once, one succeeds, and all read
 * the same key.
 */
export async function saveAccountKey(
  db: Db,
  row: Pick<AcmeAccountRow, 'directory_url' | 'sealed_key' | 'created_at'>,
): Promise<AcmeAccountRow> {
  await db
    .insertInto('acme_accounts')
    .values({ ...row, account_url: null, directory: '{}' })
    .onConflict((conflict) => conflict.column('directory_url').doNothing())
    .execute();
  return db
    .selectFrom('acme_accounts')
    .selectAll()
    .where('directory_url', '=', row.directory_url)
    .executeTakeFirstOrThrow();
}

/** Stores the authority's response for the account with this key. */
export async function changeAcmeAccount(
  db: Db,
  { directory_url, sealed_key }: Pick<AcmeAccountRow, 'directory_url' | 'sealed_key'>,
  change: Partial<Pick<AcmeAccountRow, 'account_url' | 'directory'>>,
): Promise<void> {
  await updateRows(db, 'acme_accounts', { directory_url, sealed_key }, change);
}

/** Has an authority not asked until an instant, because of a problem (JSON). */
export async function pauseAccount(
  db: Db,
  directoryUrl: string,
  until: number,
  problem: string,
): Promise<void> {
  const paused = { paused_until: until, problem };
  await updateRows(db, 'acme_accounts', { directory_url: directoryUrl }, paused);
}

/** The accounts of authorities that are not to be asked now. */
export function listPausedAccounts(db: Db, now: number) {
  return db
    .selectFrom('acme_accounts')
    .select(['directory_url', 'paused_until', 'problem'])
    .where('paused_until', '>', now)
    .execute();
}

/** Deletes an account that the authority no longer knows, unless another has replaced it. */
export async function deleteAcmeAccount(
  db: Db,
  { directory_url, sealed_key }: Pick<AcmeAccountRow, 'directory_url' | 'sealed_key'>,
): Promise<void> {
  await deleteRows(db, 'acme_accounts', { directory_url, sealed_key });
}
