import type { Insertable, Selectable, Transaction } from 'kysely';
import type { Db } from './open-database.ts';
import type { Database } from './schema.ts';
import { findUser, type UserRow } from './users.ts';

export type TokenRow = Selectable<Database['api_tokens']>;

/** A token as people see it: with its project's slug and its owner's address. */
export type ListedToken = TokenRow & { slug: string | null; email: string };

/** The token with this secret, and whose rights it has, unless it was revoked or has expired. */
export async function findToken(
  db: Db,
  tokenHash: string,
  now: number,
): Promise<{ token: TokenRow; user: UserRow } | undefined> {
  const token = await db
    .selectFrom('api_tokens')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .executeTakeFirst();
  const user = token && (await findUser(db, token.user_id));
  return token && user && { token, user };
}

export async function touchToken(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('api_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

export async function insertToken(
  trx: Transaction<Database>,
  token: Insertable<Database['api_tokens']>,
): Promise<void> {
  await trx.insertInto('api_tokens').values(token).execute();
}

/** Those of a user, or those for one project alone; the newest first. */
export function listTokens(
  db: Db,
  of: { userId: string } | { projectId: string },
): Promise<ListedToken[]> {
  const query = db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .leftJoin('projects', 'projects.id', 'api_tokens.project_id')
    .selectAll('api_tokens')
    .select(['projects.slug as slug', 'users.email as email'])
    .orderBy('api_tokens.created_at', 'desc')
    .orderBy('api_tokens.id');
  return 'userId' in of
    ? query.where('api_tokens.user_id', '=', of.userId).execute()
    : query.where('api_tokens.project_id', '=', of.projectId).execute();
}

/**
 * Revokes a token of a user, or one for a project alone. The token; undefined where there is none that
 * was not revoked before.
 */
export function revokeToken(
  trx: Transaction<Database>,
  id: string,
  of: { userId: string } | { projectId: string },
  now: number,
): Promise<TokenRow | undefined> {
  const query = trx
    .updateTable('api_tokens')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll();
  return 'userId' in of
    ? query.where('user_id', '=', of.userId).executeTakeFirst()
    : query.where('project_id', '=', of.projectId).executeTakeFirst();
}
