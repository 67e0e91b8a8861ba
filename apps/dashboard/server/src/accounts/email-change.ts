import { conflict, forbidden } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { deleteAccountLinks, findAccountLinkOf } from '../store/account-links.ts';
import { writeAudit } from '../store/audit.ts';
import type { Trx } from '../store/schema.ts';
import { findUser, findUserByEmail, type UserRow } from '../store/users.ts';
import { addressRequestedEmail, addressTakenEmail, confirmAddressEmail } from './account-emails.ts';
import { readEmail } from './account-input.ts';
import { setEmail } from './account-life.ts';
import {
  actorOfLink,
  GIVEN_LINK_MS,
  makeAccountLink,
  openAccountLink,
  useAccountLink,
} from './account-links.ts';
import { checkOwnPassword } from './accounts.ts';
import type { Caller } from './caller.ts';
import { lockUserWithPassword, NO_PASSWORD } from './passwords.ts';
import { limitEmailChanges } from './sign-in-limits.ts';
import { refuseAddressOfProvider, requiredProviders } from './sign-in-rules.ts';

type ChangeDeps = Pick<
  Deps,
  'db' | 'now' | 'config' | 'passwordCost' | 'addresses' | 'accountMail'
>;

/**
 * Changes the caller's address: by a link that is mailed to the new one, while the old one is told; or at once where
 * the installation sends no mail. Needs the current password, if the account has one. Says nothing about whether the
 * new address has an account, unless there is no mail. Returns the user, changed or not yet.
 */
export async function changeOwnEmail(
  deps: ChangeDeps,
  caller: Caller,
  change: { email: string; password?: string },
): Promise<{ user: UserRow }> {
  const { accountMail, now, addresses } = deps;
  const { user, actor } = caller;
  const to = readEmail(change.email);
  // Whoever could leave the domain would leave the provider that is required of it.
  const required = requiredProviders(deps.config, user.email);
  if (required.some(({ required }) => required === 'domains')) {
    throw forbidden(
      `Your address is that of your account at ${required.map(({ name }) => name).join(' or ')}. Ask the owner of this installation to change it.`,
    );
  }
  if (to === user.email) throw conflict(`${to} is your address already.`);
  if (user.password_hash !== NO_PASSWORD) {
    await checkOwnPassword(deps, caller, change.password ?? '');
  } else if (!accountMail) {
    throw conflict(
      'Your account has no password, and this installation sends no mail. Ask its owner to change your address.',
    );
  }
  // Nobody proves that it is theirs.
  if (!accountMail) refuseAddressOfProvider(deps.config, to);
  await limitEmailChanges(deps.db, user.id, now());
  if (!accountMail) {
    const first = async (trx: Trx) => void (await lockUserWithPassword(trx, user));
    return { user: await setEmail(deps, user, to, actor, { first }) };
  }
  const { link, expiresAt } = await deps.db.transaction().execute(async (trx) => {
    await lockUserWithPassword(trx, user);
    await writeAudit(trx, now(), actor, {
      action: 'account.email_link',
      target: user.email,
      details: { to },
    });
    const lifetimeMs = GIVEN_LINK_MS;
    return makeAccountLink(trx, deps, user, { kind: 'email', email: to, lifetimeMs });
  });
  accountMail.sendLater(async () => {
    const addressed = { from: user.email, to };
    const isTaken = (await findUserByEmail(deps.db, to)) !== undefined;
    return [
      addressRequestedEmail(addressed, addresses()),
      isTaken
        ? addressTakenEmail(addressed, addresses())
        : confirmAddressEmail({ ...addressed, link, expiresAt }, addresses()),
    ];
  });
  return { user };
}

/** The address that the caller's account is to have once it is confirmed; undefined: none. */
export async function pendingEmail({ db, now }: ChangeDeps, { user }: Caller) {
  return findAccountLinkOf(db, user.id, 'email', now());
}

/** Ends the link by which the caller's address would change, if there is one. */
export async function cancelEmailChange(
  { db, now }: ChangeDeps,
  { user, actor }: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const pending = await findAccountLinkOf(trx, user.id, 'email', now());
    if (!pending) return;
    await deleteAccountLinks(trx, user.id, 'email');
    await writeAudit(trx, now(), actor, {
      action: 'account.email_keep',
      target: user.email,
      details: { to: pending.email },
    });
  });
}

/**
 * Changes an address by the link that was mailed to it, which is used up. Throws ApiError where the link is not open, or
 * another account has the address by now.
 */
export async function confirmEmail(deps: ChangeDeps, secret: string, ip: string): Promise<string> {
  const { db, now } = deps;
  const { user_id, kind, email } = await openAccountLink(deps, secret);
  const user = kind === 'email' ? await findUser(db, user_id) : undefined;
  if (!user)
    throw conflict(
      'This link is not for confirming an e-mail address. Open the link in the newest e-mail.',
    );
  await setEmail(deps, user, email, actorOfLink(user, ip), {
    first: async (trx) => void (await useAccountLink(trx, now(), 'email', secret)),
  });
  return email;
}
