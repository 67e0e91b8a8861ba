import { NO_PASSWORD } from '../accounts/passwords.ts';
import { randomId } from '../accounts/secrets.ts';
import { isMethodAllowed, speaksFor } from '../accounts/sign-in-rules.ts';
import { hasWayIn } from '../accounts/ways-in.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { setGroupsOfUser } from '../groups/set-groups-of-user.ts';
import { writeAudit } from '../store/audit.ts';
import { isUniqueViolation } from '../store/errors.ts';
import { findIdentity, listIdentities, touchIdentity } from '../store/identities.ts';
import { hasOpenInvitation } from '../store/invitations.ts';
import type { Trx } from '../store/schema.ts';
import { findUserByEmail, hasUsers, insertUser, lockUser, type UserRow } from '../store/users.ts';
import { addIdentity } from './identities.ts';
import type { OidcProviderConfig } from './oidc-config.ts';
import type { Person } from './person.ts';
import { SignInProblem } from './problem.ts';

type SignInDeps = Pick<Deps, 'db' | 'now' | 'config'>;

/** An account, and the identity with which someone signed in to it. */
export interface SignedIn {
  readonly user: UserRow;
  readonly identityId: string;
}

/** The address has an account with a password: whoever knows it may link the provider with it. */
export class NeedsPassword extends Error {
  override name = 'NeedsPassword';
  readonly email: string;

  constructor(email: string) {
    super(email);
    this.email = email;
  }
}

/**
 * The account of a person: the one that is linked with them; or else a new one, where the provider speaks for the
 * address's domain or someone invited it. An address alone opens no account that its owner can sign in to in another
 * way: addresses are given to others, and providers are wrong. Rejects with SignInProblem, or with NeedsPassword.
 */
export async function accountOf(
  deps: SignInDeps,
  provider: OidcProviderConfig,
  person: Person,
  ip: string,
): Promise<SignedIn> {
  const known = await findIdentity(deps.db, person.issuer, person.subject);
  if (known) return signInLinked(deps, provider, person, known, ip);
  const email = verifiedEmail(person);
  checkMethod(deps, provider, email);
  const user = await findUserByEmail(deps.db, email);
  if (user) return linkUnused(deps, provider, person, user, ip);
  return createFor(deps, provider, { ...person, email }, ip);
}

async function signInLinked(
  { db, now, config }: SignInDeps,
  provider: OidcProviderConfig,
  person: Person,
  { user, identity }: NonNullable<Awaited<ReturnType<typeof findIdentity>>>,
  ip: string,
): Promise<SignedIn> {
  if (user.disabled_at !== null) throw new SignInProblem('disabled');
  checkMethod({ config }, provider, user.email);
  const at = now();
  await db.transaction().execute(async (trx) => {
    await lockUser(trx, user.id);
    await touchIdentity(trx, identity.id, {
      email: person.email ?? identity.email,
      last_used_at: at,
    });
    await setGroups(trx, { user, provider, person, at }, actorOf(user, ip));
  });
  return { user, identityId: identity.id };
}

/**
 * An account that nobody can sign in to yet, since SCIM or the operator made it without a password, is its owner's from
 * the first time on, where the provider speaks for the domain of its address.
 */
async function linkUnused(
  { db, now }: SignInDeps,
  provider: OidcProviderConfig,
  person: Person,
  user: UserRow,
  ip: string,
): Promise<SignedIn> {
  if (user.disabled_at !== null) throw new SignInProblem('disabled');
  if (user.password_hash !== NO_PASSWORD) throw new NeedsPassword(user.email);
  if (!speaksFor(provider, user.email)) throw new SignInProblem('account_exists');
  const identityId = await db.transaction().execute(async (trx) => {
    const current = await lockUser(trx, user.id);
    if ((await listIdentities(trx, user.id)).length > 0) throw new SignInProblem('other_identity');
    if (!current || (await hasWayIn(trx, current))) throw new SignInProblem('account_exists');
    const at = now();
    const actor = actorOf(user, ip);
    const id = await addIdentity(trx, { user, provider, person, at }, actor);
    await setGroups(trx, { user, provider, person, at }, actor);
    return id;
  });
  return { user, identityId };
}

async function createFor(
  deps: SignInDeps,
  provider: OidcProviderConfig,
  person: Person & { email: string },
  ip: string,
): Promise<SignedIn> {
  const { db, now } = deps;
  // The first account owns the installation: it is made by whoever runs it.
  if (!(await hasUsers(db))) throw new SignInProblem('no_owner_yet');
  const isWelcome =
    deps.config.signUp === 'open' ||
    speaksFor(provider, person.email) ||
    (await hasOpenInvitation(db, person.email, now()));
  if (!isWelcome) throw new SignInProblem('no_account');
  const at = now();
  const id = `usr_${randomId(16)}`;
  const made = { id, email: person.email, name: person.name };
  try {
    return await db.transaction().execute(async (trx) => {
      await insertUser(trx, { ...made, password_hash: NO_PASSWORD, role: 'user', created_at: at });
      const user = await lockUser(trx, id);
      if (!user) throw new Error('the account that was just made is gone');
      const actor = actorOf(user, ip);
      await writeAudit(trx, at, actor, {
        action: 'account.create',
        target: user.email,
        details: { provider: provider.id },
      });
      const identityId = await addIdentity(trx, { user, provider, person, at }, actor);
      await setGroups(trx, { user, provider, person, at }, actor);
      return { user, identityId };
    });
  } catch (error) {
    // The same person in two tabs, and the other one was first.
    if (isUniqueViolation(error)) throw new SignInProblem('used', { cause: error });
    throw error;
  }
}

/** The groups that the provider says someone is in, and no others of its. */
async function setGroups(
  trx: Trx,
  {
    user,
    provider: { id },
    person: { groups },
    at,
  }: { user: UserRow; provider: OidcProviderConfig; person: Person; at: number },
  actor: Actor,
): Promise<void> {
  if (groups) await setGroupsOfUser(trx, user.id, groups, `oidc:${id}`, at, actor);
}

/** Throws SignInProblem where the provider gave no address, or did not verify it. */
function verifiedEmail({ email, isVerified }: Person): string {
  if (email === undefined) throw new SignInProblem('email_missing');
  if (!isVerified) throw new SignInProblem('email_unverified');
  return email;
}

function checkMethod({ config }: Pick<Deps, 'config'>, { id }: OidcProviderConfig, email: string) {
  if (!isMethodAllowed(config, email, `provider:${id}`)) throw new SignInProblem('other_provider');
}

export function actorOf(user: Pick<UserRow, 'id' | 'email'>, ip: string): Actor {
  return { userId: user.id, name: user.email, via: 'session', ip };
}
