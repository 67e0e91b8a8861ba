import { conflict } from '../../api-error.ts';
import type { Deps } from '../../deps.ts';
import { writeAudit } from '../../store/audit.ts';
import type { Caller } from '../caller.ts';
import { lockActiveUser } from '../passwords.ts';
import { tellUser } from '../tell-user.ts';
import { factorsOf, hasFactor } from './factors.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';

/** Replaces the caller's recovery codes. Throws ApiError `conflict` where they have no factor that the codes would stand for. */
export async function newRecoveryCodes(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { user, actor }: Caller,
): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    await lockActiveUser(trx, user.id);
    if (!hasFactor(await factorsOf(trx, user.id))) {
      throw conflict('Recovery codes come with a second factor. Add a passkey or an app first.');
    }
    const codes = await makeRecoveryCodes(trx, user.id, now());
    await writeAudit(trx, now(), actor, { action: 'recovery_codes.create', target: user.email });
    await tellUser(trx, now(), user, {
      subject: 'New recovery codes were made for your account',
      message: `New recovery codes were made for your account from ${actor.ip}, and the earlier ones no longer work. If it was not you, change your password now, and make new ones.`,
      path: '/account/security',
    });
    return codes;
  });
}
