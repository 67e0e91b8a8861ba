import { conflict } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import { lockUser, type UserRow } from '../store/users.ts';
import {
  type AccountLink,
  makeAccountLink,
  openAccountLink,
  useAccountLink,
} from './account-links.ts';
import { lockActiveUser } from './passwords.ts';

/** How long the operator's link works, in milliseconds. */
const SIGN_IN_LINK_MS = 10 * 60_000;

/**
 * A link that signs someone in once: the operator's way in where no other works, such as a provider that is required and
 * away. Throws ApiError for an account that is disabled or gone.
 */
export async function makeSignInLink(
  deps: Pick<Deps, 'db' | 'now' | 'addresses'>,
  { id }: UserRow,
  actor: Actor,
): Promise<AccountLink> {
  return deps.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, id);
    if (!user || user.disabled_at !== null)
      throw conflict('The account is disabled or was removed.');
    const { email } = user;
    await writeAudit(trx, deps.now(), actor, { action: 'account.sign_in_link', target: email });
    const lifetimeMs = SIGN_IN_LINK_MS;
    return makeAccountLink(trx, deps, user, { kind: 'sign_in', email, lifetimeMs });
  });
}

/** The user of such a link, which is used up. Throws ApiError where it is not open, or the account is disabled. */
export async function userOfSignInLink(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  secret: string,
): Promise<UserRow> {
  const { user_id } = await openAccountLink({ db, now }, secret);
  return db.transaction().execute(async (trx) => {
    const user = await lockActiveUser(trx, user_id);
    await useAccountLink(trx, now(), 'sign_in', secret);
    return user;
  });
}
