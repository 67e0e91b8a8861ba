import { conflict } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { deleteSessions } from '../store/sessions.ts';
import { setPasswordHash, setUserName, type UserRow } from '../store/users.ts';
import { readName } from './account-input.ts';
import { setEmail } from './account-life.ts';
import type { Caller } from './caller.ts';
import { checkPassword, hashPassword, lockUserWithPassword } from './passwords.ts';

/**
 * Gives the account that a first start made the address, the name and the password of its owner, and ends its other
 * sessions. The password before was printed on a terminal, and the address was nobody's. Throws ApiError for another
 * account, and `unauthorized` where the password was changed meanwhile.
 */
export async function claimAccount(
  deps: Pick<Deps, 'db' | 'now' | 'passwordCost'>,
  caller: Caller,
  input: { email: string; name: string; password: string },
): Promise<UserRow> {
  const { user, actor, sessionId } = caller;
  const name = readName(input.name);
  checkPassword(input.password);
  const passwordHash = await hashPassword(input.password, deps.passwordCost);
  const changed = await setEmail(deps, user, input.email, actor, {
    async first(trx, locked) {
      if (locked.is_provisional === 0) throw conflict('This account has its own address already.');
      await lockUserWithPassword(trx, user);
      await setUserName(trx, user.id, name);
      await setPasswordHash(trx, user.id, passwordHash);
      await deleteSessions(trx, user.id, sessionId);
    },
  });
  return { ...changed, name, password_hash: passwordHash };
}
