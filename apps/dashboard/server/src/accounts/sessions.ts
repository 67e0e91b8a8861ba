import { prefix } from '@petstore/service/text.ts';
import type { FastifyRequest } from 'fastify';
import { unauthorized } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { clientAddress } from '../http/client-address.ts';
import { writeAudit } from '../store/audit.ts';
import { listIdentities } from '../store/identities.ts';
import type { Trx } from '../store/schema.ts';
import {
  deleteSession,
  deleteSessions,
  findSession,
  insertSession,
  touchSession,
} from '../store/sessions.ts';
import { lockUser, type UserRow } from '../store/users.ts';
import { accountDisabled, invalidCredentials } from './accounts.ts';
import type { Caller } from './caller.ts';
import { hashSecret, makeSecret, randomId } from './secrets.ts';
import type { SignInMethod, UsedIdentity } from './sign-in-method.ts';
import { checkMethod, isMethodAllowed } from './sign-in-rules.ts';

const DAY_MS = 86_400_000;

/** A session ends when it is not used for this long, */
const IDLE_MS = 14 * DAY_MS;
/** and this long after it began, used or not. */
export const LIFETIME_MS = 60 * DAY_MS;
/** One that began with the operator's link is there to set things right. */
const LINK_LIFETIME_MS = DAY_MS / 2;
/** Its use is stored at most this often. */
const TOUCH_MS = 60_000;

const MAX_USER_AGENT_LENGTH = 300;

type SessionDeps = Pick<Deps, 'db' | 'now' | 'config'>;

/** Where a request comes from. */
export interface From {
  readonly ip: string;
  readonly userAgent: string;
}

export function fromOf(request: FastifyRequest): From {
  return { ip: clientAddress(request), userAgent: request.headers['user-agent'] ?? '' };
}

/**
 * Begins a session of a user who proved who they are, by `method`. `prove` is done in the same transaction, with the user
 * locked: what it throws keeps them out. Returns the secret for the session's cookie. Throws ApiError when the password
 * has changed since the user was read, for a change ends all sessions, when the account is disabled, when the identity was
 * unlinked, and when a provider is required of its address that was not used.
 *
 * Whoever has a second factor is asked for it before: `continueSignIn` in factors/sign-in.ts decides that.
 */
export async function beginSession(
  { db, now, config }: SessionDeps,
  user: UserRow,
  from: From,
  {
    method,
    identity,
    prove,
  }: {
    method: SignInMethod;
    identity?: UsedIdentity | undefined;
    prove: (trx: Trx) => Promise<void>;
  },
): Promise<string> {
  checkMethod(config, user.email, method);
  const secret = makeSecret();
  const at = now();
  const actor: Actor = { userId: user.id, name: user.email, via: 'session', ip: from.ip };
  await db.transaction().execute(async (trx) => {
    const current = await lockUser(trx, user.id);
    if (current?.password_hash !== user.password_hash) throw invalidCredentials();
    if (current.disabled_at !== null) throw accountDisabled();
    await checkLinked(trx, user, identity);
    await prove(trx);
    await insertSession(trx, {
      id: `ses_${randomId(16)}`,
      token_hash: hashSecret(secret),
      user_id: user.id,
      created_at: at,
      last_seen_at: at,
      expires_at: endOf({ created_at: at, method }, at),
      ip: from.ip,
      user_agent: prefix(from.userAgent, MAX_USER_AGENT_LENGTH),
      method,
      identity_id: identity?.id ?? null,
      provider_sid: identity?.sid ?? null,
      sealed_id_token: identity?.sealedIdToken ?? null,
      // An unattended browser must not pass for a fresh proof: the provider may have answered from its own session.
      confirmed_at: Math.min(at, identity?.provenAt ?? at),
    });
    await writeAudit(trx, at, actor, {
      action: 'session.begin',
      target: user.email,
      details: { method },
    });
  });
  return secret;
}

/**
 * Throws ApiError `unauthorized` where the identity was unlinked since it signed in. The user is locked: unlinking comes
 * either before this, or afterwards and ends what the transaction begins.
 */
export async function checkLinked(
  trx: Trx,
  user: UserRow,
  identity: UsedIdentity | undefined,
): Promise<void> {
  if (!identity) return;
  const linked = await listIdentities(trx, user.id);
  if (!linked.some(({ id }) => id === identity.id))
    throw unauthorized('This account was unlinked from the provider meanwhile.');
}

/** When a session ends that is used now. */
function endOf({ created_at, method }: { created_at: number; method: string }, at: number): number {
  const lifetime = method.startsWith('link') ? LINK_LIFETIME_MS : LIFETIME_MS;
  return Math.min(at + IDLE_MS, created_at + lifetime);
}

/**
 * The user with a cookie's secret; undefined when the session has ended, or a provider is required of its user by now
 * with which it did not begin.
 */
export async function callerOfSession(
  { db, now, config }: SessionDeps,
  secret: string,
  ip: string,
): Promise<Caller | undefined> {
  const at = now();
  const found = await findSession(db, hashSecret(secret), at);
  if (!found) return undefined;
  const { session, user } = found;
  if (!isMethodAllowed(config, user.email, session.method)) return undefined;
  if (at - session.last_seen_at >= TOUCH_MS) {
    await touchSession(db, { id: session.id, userId: user.id }, at, endOf(session, at));
  }
  return {
    user,
    actor: { userId: user.id, name: user.email, via: 'session', ip },
    sessionId: session.id,
    confirmedAt: session.confirmed_at,
    token: undefined,
  };
}

/** Ends a session of the caller. Whether there was one. */
export async function endSession(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { user, actor }: Caller,
  id: string,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const isEnded = await deleteSession(trx, user.id, id);
    if (isEnded) await writeAudit(trx, now(), actor, { action: 'session.end', target: user.email });
    return isEnded;
  });
}

/** Ends all sessions of the caller but the current one. */
export async function endOtherSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { user, actor, sessionId }: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const count = await deleteSessions(trx, user.id, sessionId);
    if (count === 0) return;
    await writeAudit(trx, now(), actor, {
      action: 'session.end',
      target: user.email,
      details: { count },
    });
  });
}
