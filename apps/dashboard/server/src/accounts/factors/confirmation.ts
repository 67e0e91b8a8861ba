import { ApiError } from '@petstore/http/errors.ts';
import { unauthorized } from '../../api-error.ts';
import type { Deps } from '../../deps.ts';
import { confirmSession } from '../../store/sessions.ts';
import type { Caller } from '../caller.ts';
import { verifyPassword } from '../passwords.ts';
import { limitOwnPassword } from '../sign-in-limits.ts';
import { recordUse, withCopiesTold } from './use-passkey.ts';
import type { Assertion } from './webauthn.ts';

/** How long a proof of who someone is holds for sensitive changes. */
const CONFIRMED_MS = 15 * 60_000;

type ConfirmDeps = Pick<Deps, 'db' | 'now' | 'passwordCost'>;

/**
 * Throws ApiError `confirmation_required` where the user of a session has not proved who they are lately. Callers with an
 * API token pass: where a token may call at all, its scope is the permission.
 */
export function checkConfirmed({ confirmedAt }: Pick<Caller, 'confirmedAt'>, now: number): void {
  if (confirmedAt === undefined || now - confirmedAt < CONFIRMED_MS) return;
  throw new ApiError(
    'confirmation_required',
    'Confirm that it is you, with your password or a passkey: POST /api/session/confirmation. Then send this again.',
  );
}

/** Confirms a session with the password. Tries are limited as sign-ins are. Throws ApiError `unauthorized` for a wrong one. */
export async function confirmWithPassword(
  { db, now, passwordCost }: ConfirmDeps,
  { user, sessionId = '' }: Caller,
  password: string,
): Promise<void> {
  const succeeded = await limitOwnPassword(db, user.id, now());
  if (!(await verifyPassword(password, user.password_hash, passwordCost))) {
    throw unauthorized('The password is wrong.');
  }
  await succeeded();
  await confirmSession(db, sessionId, now());
}

/** Confirms a session with what a passkey signed. */
export async function confirmWithPasskey(
  deps: Pick<Deps, 'db' | 'now' | 'accountMail' | 'addresses'>,
  { user, actor, sessionId = '' }: Caller,
  assertion: Assertion,
): Promise<void> {
  const { db, now } = deps;
  const told = { user, passkey: assertion.passkey, ip: actor.ip };
  await withCopiesTold(deps, told, () =>
    db.transaction().execute(async (trx) => {
      await recordUse(trx, now(), assertion);
      await confirmSession(trx, sessionId, now());
    }),
  );
}
