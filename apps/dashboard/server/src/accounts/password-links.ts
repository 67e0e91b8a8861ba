import { conflict } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { deleteAccountLinks } from '../store/account-links.ts';
import { writeAudit } from '../store/audit.ts';
import { listIdentities } from '../store/identities.ts';
import { listPasskeys } from '../store/passkeys.ts';
import type { Trx } from '../store/schema.ts';
import { deleteSessions } from '../store/sessions.ts';
import { listTokens } from '../store/tokens.ts';
import { findUserByEmail, setPasswordHash, type UserRow } from '../store/users.ts';
import { passwordChangedEmail, passwordLinkEmail } from './account-emails.ts';
import { readEmail } from './account-input.ts';
import {
  type AccountLink,
  ASKED_LINK_MS,
  actorOfLink,
  GIVEN_LINK_MS,
  makeAccountLink,
  openAccountLink,
  useAccountLink,
} from './account-links.ts';
import { lockAsOwner } from './lock-as-owner.ts';
import { checkPassword, hashPassword, lockActiveUser, NO_PASSWORD } from './passwords.ts';
import { isWithinResetLimit, limitResetRequests } from './sign-in-limits.ts';
import { checkPasswordsFor } from './sign-in-rules.ts';
import { revokeTokensOf } from './tokens.ts';

type LinkDeps = Pick<Deps, 'db' | 'now' | 'config' | 'addresses' | 'accountMail'>;

/**
 * Mails a link for a new password to an address, if it has an account that signs in with one. Returns at once, and the
 * same for every address. Throws ApiError where the installation sends no mail, and `rate_limited`.
 */
export async function requestPasswordLink(
  deps: LinkDeps,
  address: string,
  ip: string,
): Promise<void> {
  const { db, now, accountMail } = deps;
  const email = readEmail(address);
  checkPasswordsFor(deps.config, email);
  if (!accountMail) {
    throw conflict('This installation sends no mail. Ask its owner for a link to set a password.');
  }
  await limitResetRequests(db, ip, now());
  accountMail.sendLater(async () => {
    const user = await findUserByEmail(db, email);
    if (!user || user.disabled_at !== null || user.password_hash === NO_PASSWORD) return [];
    if (!(await isWithinResetLimit(db, email, now()))) return [];
    const actor: Actor = { userId: null, name: email, via: 'none', ip };
    const link = await makePasswordLink(deps, user, actor, ASKED_LINK_MS);
    return [passwordLinkEmail({ email, ...link }, deps.addresses())];
  });
}

/**
 * A link by which someone else sets a password: mailed to the account's address, or, where the installation sends no
 * mail or that fails, for the one who asks to hand over. Throws ApiError where the account is disabled or gone.
 */
export async function givePasswordLink(
  deps: LinkDeps,
  user: UserRow,
  actor: Actor,
): Promise<AccountLink & { readonly mailed: boolean; readonly mailError: string | undefined }> {
  checkPasswordsFor(deps.config, user.email);
  const link = await makePasswordLink(deps, user, actor, GIVEN_LINK_MS);
  const { accountMail, addresses } = deps;
  const mailError = await accountMail?.send(
    passwordLinkEmail({ email: user.email, ...link }, addresses()),
  );
  return { ...link, mailed: accountMail !== undefined && mailError === undefined, mailError };
}

function makePasswordLink(
  deps: LinkDeps,
  { id }: UserRow,
  actor: Actor,
  lifetimeMs: number,
): Promise<AccountLink> {
  return deps.db.transaction().execute(async (trx) => {
    const user = (await lockAsOwner(trx, actor, [id])).find((row) => row.id === id);
    if (!user || user.disabled_at !== null) {
      throw conflict('The account is disabled or was removed.');
    }
    const { email } = user;
    const made = await makeAccountLink(trx, deps, user, { kind: 'password', email, lifetimeMs });
    await writeAudit(trx, deps.now(), actor, { action: 'account.password_link', target: email });
    return made;
  });
}

/**
 * Sets a password by a link, which is used up, and ends all sessions of the account, and with `revokeTokens` its API
 * tokens. Nobody is signed in by it. Returns the user. Throws ApiError where the link is not open, and for a password that is none.
 */
export async function resetPassword(
  deps: LinkDeps & Pick<Deps, 'passwordCost'>,
  { secret, password, revokeTokens }: { secret: string; password: string; revokeTokens?: boolean },
  ip: string,
): Promise<UserRow> {
  const { db, now, passwordCost, accountMail, addresses } = deps;
  checkPassword(password);
  const { user_id, email } = await openAccountLink(deps, secret);
  checkPasswordsFor(deps.config, email);
  const passwordHash = await hashPassword(password, passwordCost);
  const { user, open } = await db.transaction().execute(async (trx) => {
    const locked = await lockActiveUser(trx, user_id);
    await useAccountLink(trx, now(), 'password', secret);
    const actor = actorOfLink(locked, ip);
    await setPasswordHash(trx, locked.id, passwordHash);
    await deleteSessions(trx, locked.id);
    await deleteAccountLinks(trx, locked.id);
    await writeAudit(trx, now(), actor, {
      action: 'account.password',
      target: locked.email,
      details: { by: 'link' },
    });
    if (revokeTokens) await revokeTokensOf(trx, { userId: locked.id }, now(), actor);
    return { user: locked, open: await openBeside(trx, locked, now()) };
  });
  const told = { email: user.email, open };
  accountMail?.sendLater(async () => [passwordChangedEmail(told, addresses())]);
  return user;
}

/** What opens an account beside its password: whoever had it before may have left something. */
async function openBeside(trx: Trx, { id }: UserRow, at: number): Promise<string[]> {
  const passkeys = (await listPasskeys(trx, id)).map(({ name }) => `the passkey “${name}”`);
  const providers = (await listIdentities(trx, id)).map(
    ({ provider, email }) => `the account ${email ?? 'without an address'} at ${provider}`,
  );
  const tokens = (await listTokens(trx, { userId: id })).filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at ?? at + 1) > at,
  );
  return [...passkeys, ...providers, ...tokens.map(({ name }) => `the API token “${name}”`)];
}
