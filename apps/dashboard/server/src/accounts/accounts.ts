import { ApiError } from '@petstore/http/errors.ts';
import { forbidden } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { deleteAccountLinks } from '../store/account-links.ts';
import { writeAudit } from '../store/audit.ts';
import { isUniqueViolation } from '../store/errors.ts';
import { findOpenInvitation } from '../store/invitations.ts';
import { deleteSessions } from '../store/sessions.ts';
import {
  findUser,
  findUserByEmail,
  hasUsers,
  insertUser,
  setPasswordHash,
  setUserName,
  type UserRow,
} from '../store/users.ts';
import { readEmail, readName } from './account-input.ts';
import type { Caller } from './caller.ts';
import type { KnownBrowser } from './known-browser.ts';
import { checkPassword, hashPassword, lockUserWithPassword, verifyPassword } from './passwords.ts';
import { hashSecret, randomId } from './secrets.ts';
import { limitOwnPassword, limitSignIn, limitSignUp } from './sign-in-limits.ts';
import { checkPasswordsFor, refuseAddressOfProvider } from './sign-in-rules.ts';
import { revokeTokensOf } from './tokens.ts';

type PasswordDeps = Pick<Deps, 'db' | 'now' | 'passwordCost'>;
type AccountDeps = PasswordDeps & Pick<Deps, 'config'>;

/** How accounts can be created right now. */
export async function signUpMode({
  db,
  config,
}: AccountDeps): Promise<'first' | 'invitation' | 'open'> {
  return (await hasUsers(db)) ? config.signUp : 'first';
}

/**
 * Creates an account where that is allowed: the first, by invitation, or by anyone. Says nothing about
 * whether the address has one already: then nothing happens, and it takes as long.
 */
export async function signUp(
  deps: AccountDeps,
  input: { email: string; password: string; name: string; invitation?: string },
  ip: string,
): Promise<void> {
  const { db, now } = deps;
  const email = readEmail(input.email);
  checkPassword(input.password);
  if (await hasUsers(db)) {
    checkPasswordsFor(deps.config, email);
    refuseAddressOfProvider(deps.config, email);
  }
  await limitSignUp(db, ip, now());
  const actor: Actor = { userId: null, name: email, via: 'none', ip };
  const create = (isFirst: boolean) => createUser(deps, { ...input, email, isFirst }, actor);
  let mode = await signUpMode(deps);
  if (mode === 'first') {
    if (await isCreated(create(true))) return;
    // Two signed up at the same time, and this one came second.
    mode = await signUpMode(deps);
  }
  if (mode === 'invitation') await checkInvitation(deps, email, input.invitation);
  await isCreated(create(false));
}

/**
 * Whether the account was created. It was not where the address has one already, or where another account became the
 * first.
 */
async function isCreated(creation: Promise<UserRow>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

async function checkInvitation(
  { db, now }: AccountDeps,
  email: string,
  secret: string | undefined,
) {
  if (secret === undefined) {
    throw forbidden(
      'Accounts here are created by invitation. Ask an owner of your project for one.',
    );
  }
  const invitation = await findOpenInvitation(db, hashSecret(secret), now());
  if (!invitation) {
    throw forbidden('This invitation was used, was revoked, or has expired. Ask for a new one.');
  }
  if (invitation.email !== email) {
    throw forbidden(`This invitation is for ${invitation.email}; sign up with that address.`);
  }
}

/** Creates an account. Rejects with a unique violation when the address has one. */
export async function createUser(
  { db, now, passwordCost }: PasswordDeps,
  input: {
    email: string;
    password: string;
    name: string;
    isFirst: boolean;
    /** The address is nobody's: whoever signs in first is asked for theirs. */
    isProvisional?: boolean;
  },
  actor: Actor,
): Promise<UserRow> {
  const user: UserRow = {
    id: `usr_${randomId(16)}`,
    email: input.email,
    name: readName(input.name),
    password_hash: await hashPassword(input.password, passwordCost),
    role: input.isFirst ? 'owner' : 'user',
    created_at: now(),
    disabled_at: null,
    last_seen_at: null,
    is_provisional: input.isProvisional ? 1 : 0,
    first_steps_hidden_at: null,
    stored_told: 0,
  };
  await db.transaction().execute(async (trx) => {
    await insertUser(trx, user);
    const self =
      actor.userId === null && actor.via === 'none' ? { ...actor, userId: user.id } : actor;
    await writeAudit(trx, user.created_at, self, { action: 'account.create', target: user.email });
  });
  return user;
}

/** The user who signs in with these credentials. Throws ApiError as `userWithPassword`, or where passwords are off. */
export async function checkCredentials(
  deps: AccountDeps,
  credentials: { email: string; password: string },
  from: { ip: string; browser: KnownBrowser | undefined },
): Promise<UserRow> {
  checkPasswordsFor(deps.config, readEmail(credentials.email));
  return userWithPassword(deps, credentials, from);
}

/**
 * The user with these credentials. Throws ApiError: `unauthorized`, the same whether or not the address
 * has an account, `forbidden` where it is disabled, or `rate_limited`.
 */
export async function userWithPassword(
  { db, now, passwordCost }: PasswordDeps,
  credentials: { email: string; password: string },
  { ip, browser }: { ip: string; browser: KnownBrowser | undefined },
): Promise<UserRow> {
  const email = readEmail(credentials.email);
  const user = await findUserByEmail(db, email);
  const known = browser?.userId === user?.id ? browser : undefined;
  const succeeded = await limitSignIn(db, { email, ip, browser: known }, now());
  if (!(await verifyPassword(credentials.password, user?.password_hash, passwordCost)) || !user) {
    throw invalidCredentials();
  }
  if (user.disabled_at !== null) throw accountDisabled();
  await succeeded();
  return user;
}

/** For whoever proved that the account is theirs. */
export function accountDisabled(): ApiError {
  return forbidden('This account is disabled. Ask the owner of this installation.');
}

/** The same for an address without an account as for a wrong password. */
export function invalidCredentials(): ApiError {
  return new ApiError('unauthorized', 'The e-mail address or the password is wrong.');
}

/** Throws ApiError where this is not the caller's password. Attempts are limited as sign-ins are. */
export async function checkOwnPassword(
  { db, now, passwordCost }: PasswordDeps,
  { user }: Caller,
  password: string,
): Promise<void> {
  const succeeded = await limitOwnPassword(db, user.id, now());
  if (!(await verifyPassword(password, user.password_hash, passwordCost))) {
    throw forbidden('The current password is wrong.');
  }
  await succeeded();
}

/**
 * Changes the caller's password, ends their other sessions, and with `revokeTokens` their API tokens. Attempts are
 * limited as sign-ins are.
 */
export async function changePassword(
  deps: AccountDeps,
  caller: Caller,
  change: { current: string; next: string; revokeTokens?: boolean },
): Promise<void> {
  const { user, actor } = caller;
  checkPasswordsFor(deps.config, user.email);
  checkPassword(change.next);
  await checkOwnPassword(deps, caller, change.current);
  await setPassword(deps, user, change.next, actor, {
    exceptSession: caller.sessionId,
    revokeTokens: change.revokeTokens,
    isByUser: true,
  });
}

/**
 * Sets a password, and ends the user's links for another password or address, their sessions, except one where `exceptSession` names it, and with `revokeTokens`
 * their API tokens. `isByUser`: the user asks for it, with the current password. Throws ApiError `unauthorized` where
 * that has changed meanwhile.
 */
export async function setPassword(
  { db, now, passwordCost }: PasswordDeps,
  user: UserRow,
  password: string,
  actor: Actor,
  options: {
    exceptSession?: string | undefined;
    revokeTokens?: boolean | undefined;
    isByUser?: boolean;
  },
): Promise<void> {
  const passwordHash = await hashPassword(password, passwordCost);
  await db.transaction().execute(async (trx) => {
    if (options.isByUser) await lockUserWithPassword(trx, user);
    await setPasswordHash(trx, user.id, passwordHash);
    await deleteSessions(trx, user.id, options.exceptSession);
    // Somebody else may have requested these links.
    await deleteAccountLinks(trx, user.id);
    await writeAudit(trx, now(), actor, { action: 'account.password', target: user.email });
    if (options.revokeTokens) await revokeTokensOf(trx, { userId: user.id }, now(), actor);
  });
}

/** Changes the caller's name. Returns the changed user. */
export async function renameUser(
  { db, now }: AccountDeps,
  caller: Caller,
  name: string,
): Promise<UserRow> {
  const { user, actor } = caller;
  const next = readName(name);
  await db.transaction().execute(async (trx) => {
    await setUserName(trx, user.id, next);
    await writeAudit(trx, now(), actor, {
      action: 'account.rename',
      target: user.email,
      details: { from: user.name, to: next },
    });
  });
  return (await findUser(db, user.id)) ?? { ...user, name: next };
}
