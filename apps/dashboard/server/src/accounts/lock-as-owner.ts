import { forbidden } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Trx } from '../store/schema.ts';
import { lockUsers, type UserRow } from '../store/users.ts';

/**
 * Locks users for a change that the installation's owner alone may make, and the author of it with them, and returns them:
 * whoever has handed the installation over while the request was under way gives nobody a way in any more. An author who
 * is no user is the operator, or whoever asks for themselves. Throws ApiError `forbidden`.
 */
export async function lockAsOwner(
  trx: Trx,
  { userId }: Actor,
  ids: readonly string[] = [],
): Promise<UserRow[]> {
  const locked = await lockUsers(trx, userId === null ? ids : [userId, ...ids]);
  const author = locked.find(({ id }) => id === userId);
  if (userId !== null && author?.role !== 'owner')
    throw forbidden("Only the installation's owner may do this.");
  return locked;
}
