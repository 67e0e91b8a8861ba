import { conflict, notFound } from '../../api-error.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Deps } from '../../deps.ts';
import { writeAudit } from '../../store/audit.ts';
import { deleteAuthenticatorApp } from '../../store/authenticator-apps.ts';
import { deletePasskey, deletePasskeys } from '../../store/passkeys.ts';
import { deleteRecoveryCodes } from '../../store/recovery-codes.ts';
import type { Trx } from '../../store/schema.ts';
import { deleteSessions } from '../../store/sessions.ts';
import type { UserRow } from '../../store/users.ts';
import type { Caller } from '../caller.ts';
import { lockActiveUser, NO_PASSWORD } from '../passwords.ts';
import { tellUser } from '../tell-user.ts';
import { factorsOf, hasFactor, isFactorRequired } from './factors.ts';

type RemoveDeps = Pick<Deps, 'db' | 'now'>;

/** Removes a passkey of the caller. Throws ApiError where it is the last way in, or the last factor where one is required. */
export async function removePasskey(
  { db, now }: RemoveDeps,
  { user, actor }: Caller,
  id: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
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
    await tellUser(trx, now(), user, {
      subject: 'A passkey was removed from your account',
      message: `The passkey “${passkey.name}” was removed from your account, from ${actor.ip}. If it was not you, change your password now.`,
      path: '/account/security',
    });
  });
}

/** Removes the caller's authenticator app. Throws ApiError where there is none, or it is the last factor and one is required. */
export async function removeAuthenticatorApp(
  { db, now }: RemoveDeps,
  { user, actor }: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const current = await lockActiveUser(trx, user.id);
    if (!(await deleteAuthenticatorApp(trx, user.id))) throw notFound('authenticator app');
    await checkWhatIsLeft(trx, current);
    await writeAudit(trx, now(), actor, { action: 'authenticator.remove', target: user.email });
    await tellUser(trx, now(), user, {
      subject: 'The authenticator app was removed from your account',
      message: `The authenticator app of your account was removed, from ${actor.ip}: its codes no longer work. If it was not you, change your password now.`,
      path: '/account/security',
    });
  });
}

// Called after a removal, which is undone where one of them throws.

async function checkWayIn(trx: Trx, user: UserRow): Promise<void> {
  if (user.password_hash !== NO_PASSWORD) return;
  const { passkeys } = await factorsOf(trx, user.id);
  if (passkeys.length > 0) return;
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
 * and sign-ins. Returns what there was.
 */
export async function resetFactors(
  { db, now }: RemoveDeps,
  user: UserRow,
  actor: Actor,
): Promise<{ readonly passkeys: number; readonly hadApp: boolean; readonly sessions: number }> {
  return db.transaction().execute(async (trx) => {
    await lockActiveUser(trx, user.id);
    const passkeys = await deletePasskeys(trx, user.id);
    const hadApp = await deleteAuthenticatorApp(trx, user.id);
    await deleteRecoveryCodes(trx, user.id);
    const sessions = await deleteSessions(trx, user.id);
    await writeAudit(trx, now(), actor, {
      action: 'factor.reset',
      target: user.email,
      details: { passkeys, authenticatorApp: hadApp },
    });
    await tellUser(trx, now(), user, {
      subject: 'The second factors of your account were removed',
      message:
        'Whoever runs this dashboard removed the passkeys, the authenticator app and the recovery codes of your account, and ended your sessions. Set up a second factor again after you have signed in.',
      path: '/account/security',
    });
    return { passkeys, hadApp, sessions };
  });
}
