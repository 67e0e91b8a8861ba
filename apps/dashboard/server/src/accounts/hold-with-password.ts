import type { Transaction } from 'kysely';
import { unauthorized } from '../api-error.ts';
import type { Database } from '../store/schema.ts';
import { holdUser, type UserRow } from '../store/users.ts';

/**
 * Holds a user until the transaction ends, for what a new password is to end: it comes before that, or not at all.
 * Throws ApiError `unauthorized` where the password is another than when `user` was read.
 */
export async function holdWithPassword(trx: Transaction<Database>, user: UserRow): Promise<void> {
  const current = await holdUser(trx, user.id);
  if (current?.password_hash !== user.password_hash) {
    throw unauthorized('The password was changed meanwhile. Sign in again.');
  }
}
