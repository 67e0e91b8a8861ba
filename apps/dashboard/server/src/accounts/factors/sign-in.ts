import { unauthorized } from '../../api-error.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Deps } from '../../deps.ts';
import { takeStep } from '../../store/authenticator-apps.ts';
import {
  findPendingSignIn,
  insertPendingSignIn,
  type PendingSignInRow,
  takePendingSignIn,
} from '../../store/pending-sign-ins.ts';
import { countRecoveryCodes, takeRecoveryCode } from '../../store/recovery-codes.ts';
import type { Trx } from '../../store/schema.ts';
import { readSecurityPolicy } from '../../store/security-policy.ts';
import type { UserRow } from '../../store/users.ts';
import { lockUserWithPassword } from '../passwords.ts';
import { hashSecret, makeSecret } from '../secrets.ts';
import { beginSession, checkLinked, type From } from '../sessions.ts';
import type { FirstFactor, SecondFactor, SignInMethod, UsedIdentity } from '../sign-in-method.ts';
import { checkMethod } from '../sign-in-rules.ts';
import type { Added, Addition } from './add-factor.ts';
import { secretOf } from './authenticator-app.ts';
import { limitCodes, recordRightCode } from './code-limits.ts';
import { recoveryCodeUsedEmail } from './factor-emails.ts';
import { factorsOf, hasFactor, isFactorRequired } from './factors.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { stepOfCode } from './totp.ts';
import { recordUse, withCopiesTold } from './use-passkey.ts';
import type { Assertion } from './webauthn.ts';

/** How long someone may look for their phone. */
const PENDING_MS = 10 * 60_000;

type SignInDeps = Pick<Deps, 'db' | 'now' | 'sealer' | 'config' | 'accountMail' | 'addresses'>;

/** A session has begun, or more is asked of this browser. Each has the secret for a cookie. */
export type SignInOutcome =
  | { readonly session: string }
  | { readonly pending: string; readonly next: PendingSignInRow['next'] };

/**
 * What follows the first factor. Whoever has a second factor is asked for it, and whoever must have one
 * sets it up first: until then they have no session. A passkey that checked its holder is two factors in one. A provider
 * has asked for what it wants; the policy says whether that is enough. `identity`: with which the provider knows them.
 * Throws ApiError as `beginSession` does.
 */
export async function continueSignIn(
  deps: SignInDeps,
  user: UserRow,
  method: FirstFactor,
  from: From,
  identity?: UsedIdentity,
): Promise<SignInOutcome> {
  checkMethod(deps.config, user.email, method);
  const isEnough = method === 'passkey' || !(await isAskedAfter(deps, method));
  const next = isEnough ? undefined : await nextStep(deps, user);
  if (next) return { pending: await beginPending(deps, user, { method, next, identity }), next };
  const session = await beginSession(deps, user, from, {
    method,
    identity,
    prove: async (trx) => {
      // A factor that was added at this moment is asked for, too.
      if (!isEnough && hasFactor(await factorsOf(trx, user.id))) throw signInAgain();
    },
  });
  return { session };
}

async function isAskedAfter({ db }: SignInDeps, method: FirstFactor): Promise<boolean> {
  return !method.startsWith('provider:') || (await readSecurityPolicy(db)).after_provider === 1;
}

async function nextStep(
  { db }: SignInDeps,
  user: UserRow,
): Promise<PendingSignInRow['next'] | undefined> {
  if (hasFactor(await factorsOf(db, user.id))) return 'second_factor';
  return (await isFactorRequired(db, user)) ? 'set_up' : undefined;
}

async function beginPending(
  { db, now }: SignInDeps,
  user: UserRow,
  {
    method,
    next,
    identity,
  }: { method: FirstFactor; next: PendingSignInRow['next']; identity: UsedIdentity | undefined },
): Promise<string> {
  const secret = makeSecret();
  const at = now();
  await db.transaction().execute(async (trx) => {
    await lockUserWithPassword(trx, user);
    await checkLinked(trx, user, identity);
    await insertPendingSignIn(
      trx,
      {
        secret_hash: hashSecret(secret),
        user_id: user.id,
        method,
        next,
        expires_at: at + PENDING_MS,
        identity_id: identity?.id ?? null,
        provider_sid: identity?.sid ?? null,
        sealed_id_token: identity?.sealedIdToken ?? null,
      },
      at,
    );
  });
  return secret;
}

/** A sign-in under way, and whose it is. */
export interface PendingSignIn {
  readonly pending: PendingSignInRow;
  readonly user: UserRow;
}

/** The sign-in that is under way in the browser with this secret. Throws ApiError `unauthorized` where it waits for nothing like `next`. */
export async function pendingSignIn(
  { db, now }: SignInDeps,
  secret: string | undefined,
  next: PendingSignInRow['next'],
): Promise<PendingSignIn> {
  const found = secret && (await findPendingSignIn(db, hashSecret(secret), now()));
  if (!found || found.pending.next !== next) throw signInAgain();
  return found;
}

/** Signs in with the code of an authenticator app, which works once. Returns the secret of the session. */
export async function finishWithCode(
  deps: SignInDeps,
  { pending, user }: PendingSignIn,
  code: string,
  from: From,
): Promise<string> {
  const secret = await secretOf(deps, user);
  if (secret === undefined) throw unauthorized('This account has no authenticator app.');
  await limitCodes(deps, user, from.ip, 'code');
  const step = stepOfCode(secret, code, deps.now());
  if (step === undefined) {
    throw unauthorized(
      'The code is wrong. Enter the one that the app shows now; if it is refused again, check the clock of your phone.',
    );
  }
  return finish(deps, { pending, user }, 'code', from, async (trx) => {
    if (!(await takeStep(trx, user.id, step, deps.now()))) {
      throw unauthorized('This code was used already. Wait for the next one.');
    }
    await recordRightCode(trx, user, from.ip, 'code');
  });
}

/** Signs in with a recovery code, which is used up. Returns the secret of the session. */
export async function finishWithRecoveryCode(
  deps: SignInDeps,
  { pending, user }: PendingSignIn,
  code: string,
  from: From,
): Promise<string> {
  await limitCodes(deps, user, from.ip, 'recovery_code');
  const hash = hashRecoveryCode(user.id, code);
  const session = await finish(deps, { pending, user }, 'recovery_code', from, async (trx) => {
    if (!(await takeRecoveryCode(trx, user.id, hash, deps.now()))) {
      throw unauthorized('This is none of your recovery codes, or it was used already.');
    }
    await recordRightCode(trx, user, from.ip, 'recovery_code');
  });
  const { accountMail, addresses } = deps;
  accountMail?.sendLater(async () => {
    const left = (await countRecoveryCodes(deps.db, user.id))?.left ?? 0;
    return [recoveryCodeUsedEmail({ email: user.email, ip: from.ip }, left, addresses())];
  });
  return session;
}

/** Signs in with a passkey as the second factor. Returns the secret of the session. */
export async function finishWithPasskey(
  deps: SignInDeps,
  { pending, user }: PendingSignIn,
  assertion: Assertion,
  from: From,
): Promise<string> {
  const { passkey } = assertion;
  return withCopiesTold(deps, { user, passkey, ip: from.ip }, () =>
    finish(deps, { pending, user }, 'passkey', from, (trx) =>
      recordUse(trx, deps.now(), assertion),
    ),
  );
}

/** Signs in with a passkey and nothing else. Returns the secret of the session. */
export async function signInWithPasskey(
  deps: SignInDeps,
  user: UserRow,
  assertion: Assertion,
  from: From,
): Promise<string> {
  const { passkey } = assertion;
  checkMethod(deps.config, user.email, 'passkey');
  return withCopiesTold(deps, { user, passkey, ip: from.ip }, () =>
    beginSession(deps, user, from, {
      method: 'passkey',
      prove: (trx) => recordUse(trx, deps.now(), assertion),
    }),
  );
}

/**
 * Adds the first factor of someone who must have one, and signs them in. Nobody sets up a factor for an account that got
 * one meanwhile: whoever waits at this step knows no more than the password.
 */
export async function finishWithSetUp(
  deps: SignInDeps,
  { pending, user }: PendingSignIn,
  proof: SecondFactor,
  from: From,
  add: (addition: Addition) => Promise<Added>,
): Promise<{ session: string; recoveryCodes: string[] | null }> {
  const { accountMail, addresses } = deps;
  const actor: Actor = { userId: user.id, name: user.email, via: 'session', ip: from.ip };
  let added: Added | undefined;
  const session = await finish(deps, { pending, user }, proof, from, async (trx) => {
    if (hasFactor(await factorsOf(trx, user.id))) throw signInAgain();
    // The transaction may be retried: what an earlier try added was undone.
    added = await add({ trx, at: deps.now(), user, actor });
  });
  accountMail?.sendLater(async () => (added ? [added.email(addresses())] : []));
  return { session, recoveryCodes: added?.recoveryCodes ?? null };
}

/** Begins the session, and ends the sign-in under way, in the transaction of the proof: of two at once, one gets in. */
async function finish(
  deps: SignInDeps,
  { pending, user }: PendingSignIn,
  proof: SecondFactor,
  from: From,
  prove: (trx: Trx) => Promise<void>,
): Promise<string> {
  const { secret_hash, method, identity_id, provider_sid, sealed_id_token } = pending;
  return beginSession(deps, user, from, {
    method: `${method as FirstFactor}+${proof}` satisfies SignInMethod,
    ...(identity_id !== null && {
      identity: { id: identity_id, sid: provider_sid, sealedIdToken: sealed_id_token },
    }),
    prove: async (trx) => {
      if (!(await takePendingSignIn(trx, secret_hash, deps.now()))) throw signInAgain();
      await prove(trx);
    },
  });
}

function signInAgain() {
  return unauthorized('This sign-in has expired, or was finished already. Sign in again.');
}
