import type { Caller } from '../accounts/caller.ts';
import { lockActiveUser } from '../accounts/passwords.ts';
import { randomId } from '../accounts/secrets.ts';
import { hasWayIn } from '../accounts/ways-in.ts';
import { conflict, notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import {
  deleteIdentity,
  deleteIdentitySessions,
  findIdentity,
  insertIdentity,
  listIdentities,
} from '../store/identities.ts';
import type { Trx } from '../store/schema.ts';
import { findOwnSession } from '../store/sessions.ts';
import type { UserRow } from '../store/users.ts';
import type { OidcProviderConfig } from './oidc-config.ts';
import type { Person } from './person.ts';
import { SignInProblem } from './problem.ts';

/** Adds an identity to an account; its id. Rejects with a unique violation where it is someone's already. */
export async function addIdentity(
  trx: Trx,
  {
    user,
    provider,
    person,
    at,
  }: {
    user: UserRow;
    provider: Pick<OidcProviderConfig, 'id'>;
    person: Pick<Person, 'issuer' | 'subject' | 'email'>;
    at: number;
  },
  actor: Actor,
): Promise<string> {
  const id = `idn_${randomId(16)}`;
  await insertIdentity(trx, {
    id,
    user_id: user.id,
    provider: provider.id,
    issuer: person.issuer,
    subject: person.subject,
    email: person.email ?? null,
    created_at: at,
    last_used_at: at,
  });
  await writeAudit(trx, at, actor, {
    action: 'identity.link',
    target: user.email,
    details: { provider: provider.id, email: person.email ?? null },
  });
  return id;
}

/**
 * Links a person at a provider with an account whose owner asks for it. `prove` is done in the same transaction, with
 * the user locked: what it throws keeps the person from being linked. Rejects with SignInProblem where the person is
 * linked with another account, and with ApiError `unauthorized` where the account is disabled or gone.
 */
export async function linkIdentity(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  link: {
    user: UserRow;
    provider: Pick<OidcProviderConfig, 'id'>;
    person: Pick<Person, 'issuer' | 'subject' | 'email'>;
  },
  actor: Actor,
  prove: (trx: Trx) => Promise<void>,
): Promise<string> {
  const { user, person } = link;
  return db.transaction().execute(async (trx) => {
    await lockActiveUser(trx, user.id);
    await prove(trx);
    const known = await findIdentity(trx, person.issuer, person.subject);
    if (known && known.user.id !== user.id) throw new SignInProblem('identity_taken');
    if (known) return known.identity.id;
    return addIdentity(trx, { ...link, at: now() }, actor);
  });
}

/**
 * Removes an identity from its owner's account, and ends the sessions that began with it. Throws ApiError where there is
 * none, it is the only way in, or the caller's own session began with it: whoever has signed in in another way knows
 * that it works.
 */
export async function unlinkIdentity(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { user, actor, sessionId = '' }: Caller,
  id: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const current = await lockActiveUser(trx, user.id);
    const identity = (await listIdentities(trx, user.id)).find((one) => one.id === id);
    if (!identity) throw notFound('linked account');
    const own = await findOwnSession(trx, sessionId);
    await deleteIdentitySessions(trx, id);
    await deleteIdentity(trx, user.id, id);
    if (!(await hasWayIn(trx, current)))
      throw conflict(
        'This is the only way into your account. Add a passkey, or link another provider, before you remove it.',
      );
    if (own?.identity_id === id)
      throw conflict(
        'You are signed in with this one. Sign out, sign in in another way, and remove it then.',
      );
    await writeAudit(trx, now(), actor, {
      action: 'identity.unlink',
      target: user.email,
      details: { provider: identity.provider, email: identity.email },
    });
  });
}
