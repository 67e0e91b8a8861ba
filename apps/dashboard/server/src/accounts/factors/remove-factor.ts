import { conflict, notFound } from '../../api-error.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Deps } from '../../deps.ts';
import { writeAudit } from '../../store/audit.ts';
import { deleteAuthenticatorApp } from '../../store/authenticator-apps.ts';
import { deletePasskey, deletePasskeys } from '../../store/passkeys.ts';
import { deleteRecoveryCodes } from '../../store/recovery-codes.ts';
import type { Trx } from '../../store/schema.ts';
import { deleteSessions } from '../../store/sessions.ts';
import { lockUser, type UserRow } from '../../store/users.ts';
import type { Caller } from '../caller.ts';
import { lockActiveUser } from '../passwords.ts';
import { hasWayIn } from '../ways-in.ts';
import { appRemovedEmail, passkeyRemovedEmail } from './factor-emails.ts';
import { factorsOf, hasFactor, isFactorRequired } from './factors.ts';

type RemoveDeps = Pick<Deps, 'db' | 'now' | 'accountMail' | 'addresses'>;

/** Removes a passkey of the caller. Throws ApiError where it is the last way in, or the last factor where one is required. */
export async function removePasskey(
  { db, now, accountMail, addresses }: RemoveDeps,
  { user, actor }: Caller,
  id: string,
): Promise<void> {
  const { name } = await db.transaction().execute(async (trx) => {
    const current = await lockActiveUser(trx, user.id);
    const passkey = await deletePasskey(trx, user.id, id);
    if (!passkey) throw notFound('passkey');
    await checkWayIn(trx, current);
    await checkWhatIsLeft(trx, current);
    await writeAudit(trx, now(), actor, {
      action: 'passkey.remove',
      target: passkey.name,
      details: { id, user: user.email },
    });
    return passkey;
  });
  const told = { email: user.email, ip: actor.ip };
  accountMail?.sendLater(async () => [passkeyRemovedEmail(told, name, addresses())]);
}

/** Removes the caller's authenticator app. Throws ApiError where there is none, or it is the last factor and one is required. */
export async function removeAuthenticatorApp(
  { db, now, accountMail, addresses }: RemoveDeps,
  { user, actor }: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const current = await lockActiveUser(trx, user.id);
    if (!(await deleteAuthenticatorApp(trx, user.id))) throw notFound('authenticator app');
    await checkWhatIsLeft(trx, current);
    await writeAudit(trx, now(), actor, { action: 'authenticator.remove', target: user.email });
  });
  const told = { email: user.email, ip: actor.ip };
  accountMail?.sendLater(async () => [appRemovedEmail(told, addresses())]);
}

// Called after a removal, which is undone where one of them throws.

async function checkWayIn(trx: Trx, user: UserRow): Promise<void> {
  if (await hasWayIn(trx, user)) return;
  throw conflict(
    'This is the last way into your account, which has no password. Add another passkey first.',
  );
}

async function checkWhatIsLeft(trx: Trx, user: UserRow): Promise<void> {
  if (hasFactor(await factorsOf(trx, user.id))) return;
  if (await isFactorRequired(trx, user)) {
    throw conflict('This installation requires a second factor. Add another one first.');
  }
  await deleteRecoveryCodes(trx, user.id);
}

/**
 * The operator's way in for whoever lost all factors: removes them with the recovery codes, and ends the user's sessions
 * and sign-ins. Returns what there was; where there was nothing, nothing ends.
 */
export async function resetFactors(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  user: UserRow,
  actor: Actor,
): Promise<{ readonly passkeys: number; readonly hadApp: boolean }> {
  return db.transaction().execute(async (trx) => {
    await lockUser(trx, user.id);
    const passkeys = await deletePasskeys(trx, user.id);
    const hadApp = await deleteAuthenticatorApp(trx, user.id);
    if (passkeys === 0 && !hadApp) return { passkeys, hadApp };
    await deleteRecoveryCodes(trx, user.id);
    await deleteSessions(trx, user.id);
    await writeAudit(trx, now(), actor, {
      action: 'factor.reset',
      target: user.email,
      details: { passkeys, authenticatorApp: hadApp },
    });
    return { passkeys, hadApp };
  });
}
