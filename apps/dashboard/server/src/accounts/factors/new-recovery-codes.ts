import { conflict } from '../../api-error.ts';
import type { Deps } from '../../deps.ts';
import { writeAudit } from '../../store/audit.ts';
import type { Caller } from '../caller.ts';
import { lockUserWithPassword } from '../passwords.ts';
import { newRecoveryCodesEmail } from './factor-emails.ts';
import { factorsOf, hasFactor } from './factors.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';

/** Replaces the caller's recovery codes. Throws ApiError `conflict` where they have no factor that the codes would stand for. */
export async function newRecoveryCodes(
  { db, now, accountMail, addresses }: Pick<Deps, 'db' | 'now' | 'accountMail' | 'addresses'>,
  { user, actor }: Caller,
): Promise<string[]> {
  const codes = await db.transaction().execute(async (trx) => {
    await lockUserWithPassword(trx, user);
    if (!hasFactor(await factorsOf(trx, user.id))) {
      throw conflict('Recovery codes come with a second factor. Add a passkey or an app first.');
    }
    const made = await makeRecoveryCodes(trx, user.id, now());
    await writeAudit(trx, now(), actor, { action: 'recovery_codes.create', target: user.email });
    return made;
  });
  const told = { email: user.email, ip: actor.ip };
  accountMail?.sendLater(async () => [newRecoveryCodesEmail(told, addresses())]);
  return codes;
}
