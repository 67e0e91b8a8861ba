import type { Insertable, Selectable, Transaction } from 'kysely';
import type { Db } from './open-database.ts';
import type { Database } from './schema.ts';

export type UserRow = Selectable<Database['users']>;

type Reader = Db | Transaction<Database>;

export function findUser(db: Reader, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** `email` in its stored spelling. */
export function findUserByEmail(db: Reader, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

/** In the order in which they came. */
export function listUsers(db: Reader): Promise<UserRow[]> {
  return db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute();
}

export async function hasUsers(db: Reader): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Rejects with a unique violation when the address has an account, or a second owner is added. */
export async function insertUser(
  trx: Transaction<Database>,
  user: Insertable<Database['users']>,
): Promise<void> {
  await trx.insertInto('users').values(user).execute();
}

export async function setPasswordHash(
  trx: Transaction<Database>,
  id: string,
  passwordHash: string,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', id)
    .execute();
}

export async function setUserName(
  trx: Transaction<Database>,
  id: string,
  name: string,
): Promise<void> {
  await trx.updateTable('users').set({ name }).where('id', '=', id).execute();
}

/** Locks a user until the transaction ends. */
export function lockUser(trx: Transaction<Database>, id: string): Promise<UserRow | undefined> {
  // An update that changes nothing locks the row on either database.
  return trx
    .updateTable('users')
    .set((set) => ({ role: set.ref('role') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}
