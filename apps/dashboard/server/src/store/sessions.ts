import { deletePendingSignIns } from './pending-sign-ins.ts';
import { deleteRows, findRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';
import type { UserRow } from './users.ts';

export type SessionRow = Row<'sessions'>;

/**
 * The session with this secret, and its user, unless it has ended or the user is disabled. Both are read by one statement: a new password ends
 * sessions, so an old session is never found with the changed user.
 */
export async function findSession(
  db: Db,
  tokenHash: string,
  now: number,
): Promise<
  | {
      session: Pick<SessionRow, 'id' | 'created_at' | 'last_seen_at' | 'confirmed_at' | 'method'>;
      user: UserRow;
    }
  | undefined
> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('users')
    .select([
      'sessions.id as session_id',
      'sessions.created_at as session_created_at',
      'sessions.last_seen_at as session_last_seen_at',
      'sessions.confirmed_at as session_confirmed_at',
      'sessions.method as session_method',
    ])
    .where('sessions.token_hash', '=', tokenHash)
    .where('sessions.expires_at', '>', now)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
  if (!row) return undefined;
  const {
    session_id: id,
    session_created_at: created_at,
    session_last_seen_at: last_seen_at,
    session_confirmed_at: confirmed_at,
    session_method: method,
    ...user
  } = row;
  return { session: { id, created_at, last_seen_at, confirmed_at, method }, user };
}

/** A session by its id, whatever has become of its user. */
export function findOwnSession(db: Db, id: string): Promise<SessionRow | undefined> {
  return findRow(db, 'sessions', { id });
}

/** Also deletes expired sessions of all users. Lock the user before. */
export async function insertSession(trx: Trx, session: NewRow<'sessions'>): Promise<void> {
  await trx.deleteFrom('sessions').where('expires_at', '<=', session.created_at).execute();
  await trx.insertInto('sessions').values(session).execute();
  await updateRows(trx, 'users', { id: session.user_id }, { last_seen_at: session.created_at });
}

export async function touchSession(
  db: Db,
  { id, userId }: { id: string; userId: string },
  now: number,
  expiresAt: number,
): Promise<void> {
  await updateRows(db, 'sessions', { id }, { last_seen_at: now, expires_at: expiresAt });
  await updateRows(db, 'users', { id: userId }, { last_seen_at: now });
}

/** The user of a session proved who they are. */
export async function confirmSession(db: Db, id: string, at: number): Promise<void> {
  await updateRows(db, 'sessions', { id }, { confirmed_at: at });
}

/** The open sessions of a user, the one used last first. */
export function listSessions(db: Db, userId: string, now: number) {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id')
    .execute();
}

/** How each session began, with the address of its user. */
export function listSessionMethods(
  db: Db,
): Promise<{ id: string; email: string; method: string }[]> {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'users.email', 'sessions.method'])
    .execute();
}

/** Databases take so many values in a statement. */
const MAX_IDS = 500;

/** Ends sessions of any users. */
export async function endSessions(db: Db, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_IDS)
    await db
      .deleteFrom('sessions')
      .where('id', 'in', ids.slice(at, at + MAX_IDS))
      .execute();
}

/** Ends one session of a user. Whether there was one. */
export function deleteSession(trx: Trx, userId: string, id: string): Promise<boolean> {
  return deleteRows(trx, 'sessions', { user_id: userId, id });
}

/**
 * Ends all sessions of a user, except one where `except` names it, and all sign-ins that are under way. Returns how many
 * sessions there were.
 */
export async function deleteSessions(trx: Trx, userId: string, except?: string): Promise<number> {
  await deletePendingSignIns(trx, userId);
  let query = trx.deleteFrom('sessions').where('user_id', '=', userId);
  if (except !== undefined) query = query.where('id', '!=', except);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}
