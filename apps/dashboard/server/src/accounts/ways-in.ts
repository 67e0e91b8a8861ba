import { listIdentities } from '../store/identities.ts';
import { listPasskeys } from '../store/passkeys.ts';
import type { Trx } from '../store/schema.ts';
import type { UserRow } from '../store/users.ts';
import { NO_PASSWORD } from './passwords.ts';

/** Whether the user of an account can sign in to it: with a password, a passkey, or a provider. */
export async function hasWayIn(
  trx: Trx,
  { id, password_hash }: Pick<UserRow, 'id' | 'password_hash'>,
): Promise<boolean> {
  if (password_hash !== NO_PASSWORD) return true;
  if ((await listPasskeys(trx, id)).length > 0) return true;
  return (await listIdentities(trx, id)).length > 0;
}
