import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { unauthorized } from '../../api-error.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Deps } from '../../deps.ts';
import { writeAudit } from '../../store/audit.ts';
import { findPasskeyByCredential, lockPasskey, updatePasskey } from '../../store/passkeys.ts';
import type { Trx } from '../../store/schema.ts';
import { findUser, type UserRow } from '../../store/users.ts';
import { passkeyRefusedEmail } from './factor-emails.ts';
import { type ChallengeBinding, consumeChallenge } from './passkey-challenges.ts';
import type { RelyingParty } from './relying-party.ts';
import { type Assertion, checkAssertion } from './webauthn.ts';

type PasskeyDeps = Pick<Deps, 'db' | 'now'>;

/** What a browser sends, whom it is for, and what it answers. */
interface Use {
  readonly relyingParty: RelyingParty;
  readonly response: AuthenticationResponseJSON;
  readonly binding: ChallengeBinding;
  /** Nothing else is asked: the device must have checked who holds it. */
  readonly isAlone: boolean;
}

/**
 * Checks what a passkey signed: its challenge was given out to this browser for this purpose and not answered before, and
 * its key, host and origin are right. `user`: whose it must be; without it whoever's it is. Returns the user, and what
 * `recordUse` takes. Throws ApiError `unauthorized` otherwise.
 */
export async function checkPasskey(
  deps: PasskeyDeps,
  { relyingParty, response, binding, isAlone }: Use,
  user?: UserRow,
): Promise<{ user: UserRow; assertion: Assertion }> {
  const challenge = await consumeChallenge(deps, response, binding);
  const passkey = await findPasskeyByCredential(deps.db, response.id);
  const owner = passkey && (user ?? (await findUser(deps.db, passkey.user_id)));
  const isOwners = owner !== undefined && passkey?.user_id === owner.id;
  if (!isOwners || !isHandleOf(response, owner)) {
    throw unauthorized(
      'This passkey is not known here, or was removed. Use another way to sign in.',
    );
  }
  const assertion = await checkAssertion(relyingParty, challenge, passkey, response, { isAlone });
  return { user: owner, assertion };
}

/** A passkey that was found by the device names its user (WebAuthn, section 7.2). */
function isHandleOf(
  { response: { userHandle } }: AuthenticationResponseJSON,
  user: UserRow,
): boolean {
  return !userHandle || Buffer.from(userHandle, 'base64url').toString() === user.id;
}

/** The counter of a passkey went back: there may be two of it. */
class PasskeyCopied extends Error {}

/**
 * Records the use of a passkey, in the transaction of what it is used for. Throws PasskeyCopied where its counter did not
 * go on (WebAuthn, section 6.1.1), and ApiError `unauthorized` where it was removed meanwhile.
 */
export async function recordUse(
  trx: Trx,
  at: number,
  { passkey: { id }, counter, isBackedUp }: Assertion,
): Promise<void> {
  const passkey = await lockPasskey(trx, id);
  if (!passkey) throw unauthorized('This passkey was removed meanwhile.');
  if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) throw new PasskeyCopied();
  await updatePasskey(trx, id, { counter, backed_up: isBackedUp ? 1 : 0, last_used_at: at });
}

/**
 * Does what a passkey is used for. A use that is refused for its counter is kept where its user sees it, though all else
 * is undone.
 */
export async function withCopiesTold<T>(
  { db, now, accountMail, addresses }: PasskeyDeps & Pick<Deps, 'accountMail' | 'addresses'>,
  { user, passkey: { id, name }, ip }: { user: UserRow; passkey: Assertion['passkey']; ip: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PasskeyCopied)) throw error;
  }
  const actor: Actor = { userId: null, name: 'somebody', via: 'none', ip };
  await db.transaction().execute(async (trx) => {
    await updatePasskey(trx, id, { counter_refused_at: now() });
    await writeAudit(trx, now(), actor, {
      action: 'passkey.refuse',
      target: name,
      details: { id, user: user.email },
    });
  });
  const told = { email: user.email, ip };
  accountMail?.sendLater(async () => [passkeyRefusedEmail(told, name, addresses())]);
  throw unauthorized(
    `The passkey “${name}” was refused: its counter went back, so a copy of it may exist. Sign in another way, then remove it.`,
  );
}
