import { findRow, lockRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, RowChange, Trx } from './schema.ts';

export type PasskeyRow = Row<'passkeys'>;

/** A user's passkeys, in the order in which they were added. */
export function listPasskeys(db: Db, userId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findPasskeyByCredential(db: Db, credentialId: string) {
  return findRow(db, 'passkeys', { credential_id: credentialId });
}

/** Rejects with a unique violation when the credential is there already. */
export async function insertPasskey(trx: Trx, passkey: NewRow<'passkeys'>): Promise<void> {
  await trx.insertInto('passkeys').values(passkey).execute();
}

/** Locks a passkey until the transaction ends. */
export function lockPasskey(trx: Trx, id: string): Promise<PasskeyRow | undefined> {
  return lockRow(trx, 'passkeys', { id });
}

export async function updatePasskey(
  db: Db,
  id: string,
  change: RowChange<'passkeys'>,
): Promise<void> {
  await updateRows(db, 'passkeys', { id }, change);
}

/** Renames a user's passkey. Returns it as it was; undefined where there is none. */
export async function renamePasskey(
  trx: Trx,
  userId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | undefined> {
  const passkey = await lockPasskey(trx, id);
  if (passkey?.user_id !== userId) return undefined;
  await updatePasskey(trx, id, { name });
  return passkey;
}

/** Deletes a user's passkey. Returns it; undefined where there is none. */
export function deletePasskey(
  trx: Trx,
  userId: string,
  id: string,
): Promise<PasskeyRow | undefined> {
  return trx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes a user's passkeys. Returns how many there were. */
export async function deletePasskeys(trx: Trx, userId: string): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
