import { sql } from 'kysely';
import { deleteRows, findRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';
import type { UserRow } from './users.ts';

export type IdentityRow = Row<'identities'>;

/** Who an issuer's subject is here; undefined where nobody is. */
export async function findIdentity(
  db: Db,
  issuer: string,
  subject: string,
): Promise<{ identity: IdentityRow; user: UserRow } | undefined> {
  const identity = await findRow(db, 'identities', { issuer, subject });
  if (!identity) return undefined;
  const user = await findRow(db, 'users', { id: identity.user_id });
  return user && { identity, user };
}

/** A user's identities, the oldest first. */
export function listIdentities(db: Db, userId: string): Promise<IdentityRow[]> {
  return db
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Rejects with a unique violation where the issuer's subject is someone already. */
export async function insertIdentity(trx: Trx, identity: NewRow<'identities'>): Promise<void> {
  await trx.insertInto('identities').values(identity).execute();
}

export async function touchIdentity(
  trx: Trx,
  id: string,
  seen: { email: string | null; last_used_at: number },
): Promise<void> {
  await updateRows(trx, 'identities', { id }, seen);
}

/** Whether there was one. */
export function deleteIdentity(trx: Trx, userId: string, id: string): Promise<boolean> {
  return deleteRows(trx, 'identities', { user_id: userId, id });
}

/** How many people each provider is linked with, by its name. */
export async function countIdentities(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('identities')
    .select(['provider', ({ fn }) => fn.count<number>('user_id').distinct().as('people')])
    .groupBy('provider')
    .execute();
  return new Map(rows.map(({ provider, people }) => [provider, Number(people)]));
}

/** When each person last signed in with each provider: by the provider's id and the user's, with a space between. */
export async function listProviderSignIns(db: Db): Promise<Map<string, number | null>> {
  const rows = await db
    .selectFrom('identities')
    .select(['provider', 'user_id', ({ fn }) => fn.max('last_used_at').as('at')])
    .groupBy(['provider', 'user_id'])
    .execute();
  return new Map(rows.map(({ provider, user_id, at }) => [`${provider} ${user_id}`, at]));
}

/** Which sessions a provider has ended: those of its own session, of a person, or of both. */
export interface ProviderSessions {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly sid: string | undefined;
}

/**
 * Ends sessions that began with a provider, and sign-ins with it that are under way. Where the person is known, their
 * sessions without a recorded provider session end as well. Returns whose sessions ended.
 */
export async function deleteProviderSessions(
  trx: Trx,
  { issuer, subject, sid }: ProviderSessions,
): Promise<{ userId: string; email: string; count: number }[]> {
  // First: one that is being finished is a session when this goes on.
  let pending = trx.deleteFrom('pending_sign_ins').where('identity_id', 'in', ({ selectFrom }) => {
    const identities = selectFrom('identities').select('id').where('issuer', '=', issuer);
    return subject === undefined ? identities : identities.where('subject', '=', subject);
  });
  if (sid !== undefined) pending = pending.where(isOfSession(sid, subject));
  await pending.execute();
  let query = trx
    .selectFrom('sessions')
    .innerJoin('identities', 'identities.id', 'sessions.identity_id')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id as id', 'users.id as userId', 'users.email as email'])
    .where('identities.issuer', '=', issuer);
  if (subject !== undefined) query = query.where('identities.subject', '=', subject);
  if (sid !== undefined) query = query.where(isOfSession(sid, subject));
  const found = await query.execute();
  const ended = new Map<string, { userId: string; email: string; count: number }>();
  for (const { id, userId, email } of found) {
    if (!(await deleteRows(trx, 'sessions', { id }))) continue;
    ended.set(userId, { userId, email, count: (ended.get(userId)?.count ?? 0) + 1 });
  }
  return [...ended.values()];
}

const isOfSession = (sid: string, subject: string | undefined) =>
  subject === undefined
    ? sql<boolean>`provider_sid = ${sid}`
    : sql<boolean>`(provider_sid = ${sid} OR provider_sid IS NULL)`;

/** Ends the sessions that began with an identity, and sign-ins with it that are under way. */
export async function deleteIdentitySessions(trx: Trx, identityId: string): Promise<void> {
  await deleteRows(trx, 'pending_sign_ins', { identity_id: identityId });
  await deleteRows(trx, 'sessions', { identity_id: identityId });
}
