import type { Db, Row, Trx } from './schema.ts';
import type { UserRow } from './users.ts';

export type PendingSignInRow = Row<'pending_sign_ins'>;

/** Also deletes expired ones of all users. */
export async function insertPendingSignIn(
  trx: Trx,
  row: PendingSignInRow,
  now: number,
): Promise<void> {
  await trx.deleteFrom('pending_sign_ins').where('expires_at', '<=', now).execute();
  await trx.insertInto('pending_sign_ins').values(row).execute();
}

/** The sign-in under way in the browser with this secret, and its user. */
export async function findPendingSignIn(
  db: Db,
  secretHash: string,
  now: number,
): Promise<{ pending: PendingSignInRow; user: UserRow } | undefined> {
  const pending = await db
    .selectFrom('pending_sign_ins')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (!pending) return undefined;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', pending.user_id)
    .executeTakeFirst();
  return user && { pending, user };
}

/** Ends a sign-in under way; false where it has ended already, or has expired. */
export async function takePendingSignIn(
  trx: Trx,
  secretHash: string,
  now: number,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('pending_sign_ins')
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends all sign-ins of a user that are under way. */
export async function deletePendingSignIns(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute();
}
