import { findRow, lockRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

export type UserRow = Row<'users'>;

export function findUser(db: Db, id: string) {
  return findRow(db, 'users', { id });
}

/** `email` in its stored spelling. */
export function findUserByEmail(db: Db, email: string) {
  return findRow(db, 'users', { email });
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

/** Locks a user until the transaction ends. */
export function lockUser(trx: Trx, id: string) {
  return lockRow(trx, 'users', id, 'role');
}
