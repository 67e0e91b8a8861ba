import { assertLockOrder, lockInOrder } from './lock-order.ts';
import { deleteRows, findRow, lockRow, updateRows } from './rows.ts';
import type { InstallationRole } from './schema/accounts.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

export type UserRow = Row<'users'>;

export function findUser(db: Db, id: string) {
  return findRow(db, 'users', { id });
}

/** `email` in its stored spelling. */
export function findUserByEmail(db: Db, email: string) {
  return findRow(db, 'users', { email });
}

/** The one account that owns the installation; undefined before the first sign-up. */
export function findInstallationOwner(db: Db) {
  return findRow(db, 'users', { role: 'owner' });
}

/** In the order of their creation. */
export function listUsers(db: Db) {
  return db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute();
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Rejects with a unique violation when the address has an account, or a second owner is added. */
export async function insertUser(trx: Trx, user: NewRow<'users'>): Promise<void> {
  await trx.insertInto('users').values(user).execute();
}

export async function setPasswordHash(trx: Trx, id: string, passwordHash: string): Promise<void> {
  await updateRows(trx, 'users', { id }, { password_hash: passwordHash });
}

export async function setUserName(trx: Trx, id: string, name: string): Promise<void> {
  await updateRows(trx, 'users', { id }, { name });
}

/** Rejects with a unique violation when there would be a second owner. */
export async function setUserRole(trx: Trx, id: string, role: InstallationRole): Promise<void> {
  await updateRows(trx, 'users', { id }, { role });
}

/** An address of its own. Rejects with a unique violation when it has an account. */
export async function setUserEmail(trx: Trx, id: string, email: string): Promise<void> {
  await updateRows(trx, 'users', { id }, { email, is_provisional: 0 });
}

/** `at`: since when the account is disabled; null: it is not. */
export async function setDisabled(trx: Trx, id: string, at: number | null): Promise<void> {
  await updateRows(trx, 'users', { id }, { disabled_at: at });
}

/** Deletes an account with its memberships, sessions and tokens. Lock its projects before. */
/** The share of its bytes that an account was told of last, in percent. */
export async function setStoredTold(trx: Trx, id: string, percent: number): Promise<void> {
  await updateRows(trx, 'users', { id }, { stored_told: percent });
}

export async function deleteUser(trx: Trx, id: string): Promise<void> {
  await deleteRows(trx, 'users', { id });
}

/**
 * Locks a user until the transaction ends, so that what it adds for them is not added after they were disabled or
 * removed.
 */
export function lockUser(trx: Trx, id: string): Promise<UserRow | undefined> {
  assertLockOrder(trx, 'user', id);
  return lockRow(trx, 'users', { id });
}

/** Locks several users; those that are gone are left out. */
export function lockUsers(trx: Trx, ids: readonly string[]): Promise<UserRow[]> {
  return lockInOrder(ids, (id) => lockUser(trx, id));
}
