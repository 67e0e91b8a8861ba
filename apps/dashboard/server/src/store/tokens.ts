import type { ExpressionBuilder } from 'kysely';
import { assertLockOrder } from './lock-order.ts';
import { usersIn } from './role-grants.ts';
import { findRow } from './rows.ts';
import type { Database, Db, NewRow, Row, Trx } from './schema.ts';
import type { UserRow } from './users.ts';

export type TokenRow = Row<'api_tokens'>;

/** A token as people see it: with its project's slug and its owner's address. */
export type ListedToken = TokenRow & { slug: string | null; email: string };

/** The token with this secret, and its user, unless it was revoked or has expired, or the user is disabled. */
export async function findToken(
  db: Db,
  tokenHash: string,
  now: number,
): Promise<{ token: TokenRow; user: UserRow } | undefined> {
  const token = await db
    .selectFrom('api_tokens')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where(isGood(now))
    .executeTakeFirst();
  const user = token && (await findRow(db, 'users', { id: token.user_id, disabled_at: null }));
  return token && user && { token, user };
}

/** Locks a token until the transaction ends. Whether it is valid, and stays so until then. */
export async function lockValidToken(trx: Trx, id: string, now: number): Promise<boolean> {
  assertLockOrder(trx, 'token', id);
  const token = await trx
    .selectFrom('api_tokens')
    .select('id')
    .where('id', '=', id)
    .where(isGood(now))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return token !== undefined;
}

export async function touchToken(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('api_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

export async function insertToken(trx: Trx, token: NewRow<'api_tokens'>): Promise<void> {
  await trx.insertInto('api_tokens').values(token).execute();
}

/** The tokens of a user, those for one project, or those of a user for it; one of them, where `id` names it. */
export type TokensOf = { readonly id?: string } & (
  | { readonly userId: string; readonly projectId?: string }
  | { readonly userId?: undefined; readonly projectId: string }
);

/** The newest first. */
export function listTokens(db: Db, of: TokensOf): Promise<ListedToken[]> {
  return db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .leftJoin('projects', 'projects.id', 'api_tokens.project_id')
    .selectAll('api_tokens')
    .select(['projects.slug as slug', 'users.email as email'])
    .where(isOf(of))
    .orderBy('api_tokens.created_at', 'desc')
    .orderBy('api_tokens.id')
    .execute();
}

/** Revokes tokens. Returns those that were not revoked before. */
export function revokeTokens(trx: Trx, of: TokensOf, now: number) {
  assertLockOrder(trx, 'token', of.id);
  return trx
    .updateTable('api_tokens')
    .set({ revoked_at: now })
    .where(isOf(of))
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute();
}

/** Who has tokens for a project that were not revoked, and no role in it. The installation's owner has one everywhere. */
export async function listTokenOwnersWithoutRole(trx: Trx, projectId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .select('user_id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('revoked_at', 'is', null)
    .where('users.role', '!=', 'owner')
    .where('user_id', 'not in', usersIn(trx, projectId))
    .execute();
  return rows.map(({ user_id }) => user_id);
}

function isOf({ userId, projectId, id }: TokensOf) {
  return ({ and, eb }: ExpressionBuilder<Database, 'api_tokens'>) =>
    and([
      ...(userId === undefined ? [] : [eb('api_tokens.user_id', '=', userId)]),
      ...(projectId === undefined ? [] : [eb('api_tokens.project_id', '=', projectId)]),
      ...(id === undefined ? [] : [eb('api_tokens.id', '=', id)]),
    ]);
}

/** How many usable tokens a user has. */
export async function countValidTokens(db: Db, userId: string, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('api_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where(isGood(now))
    .executeTakeFirstOrThrow();
  return count;
}

/** An account that can sign in and has usable tokens. */
export interface TokenHolder {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly tokens: number;
  /** When one of them was used last. */
  readonly last_used_at: number | null;
}

/** All accounts with usable tokens. */
export function listTokenHolders(db: Db, now: number): Promise<TokenHolder[]> {
  return db
    .selectFrom('users')
    .innerJoin('api_tokens', 'api_tokens.user_id', 'users.id')
    .select(['users.id', 'users.email', 'users.name'])
    .select(({ fn }) => [
      fn.countAll<number>().as('tokens'),
      fn.max('api_tokens.last_used_at').as('last_used_at'),
    ])
    .where('users.disabled_at', 'is', null)
    .where(isGood(now))
    .groupBy(['users.id', 'users.email', 'users.name'])
    .execute();
}

function isGood(now: number) {
  return ({ and, or, eb }: ExpressionBuilder<Database, 'api_tokens'>) =>
    and([
      eb('revoked_at', 'is', null),
      or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]),
    ]);
}

/** A token that a program used, and the projects it was used in: its own, or by the audit log those of its changes. */
export interface UsedToken {
  readonly id: string;
  readonly name: string;
  readonly lastUsedAt: number;
  /** Slugs; empty where a token for all projects changed nothing. */
  readonly projects: readonly string[];
  readonly isForAll: boolean;
}

/** The usable tokens of a user that were used since an instant, the one used last first. */
export async function listUsedTokens(
  db: Db,
  userId: string,
  since: number,
  now: number,
): Promise<UsedToken[]> {
  const tokens = await db
    .selectFrom('api_tokens')
    .leftJoin('projects', 'projects.id', 'api_tokens.project_id')
    .select(['api_tokens.id', 'api_tokens.name', 'last_used_at', 'project_id', 'slug'])
    .where('user_id', '=', userId)
    .where('last_used_at', '>=', since)
    .where(isGood(now))
    .orderBy('last_used_at', 'desc')
    .orderBy('api_tokens.id')
    .execute();
  return Promise.all(
    tokens.map(async ({ id, name, last_used_at, project_id, slug }) => ({
      id,
      name,
      lastUsedAt: last_used_at ?? since,
      projects: slug === null ? await listProjectsOfToken(db, id, since) : [slug],
      isForAll: project_id === null,
    })),
  );
}

async function listProjectsOfToken(db: Db, id: string, since: number): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_log')
    .innerJoin('projects', 'projects.id', 'audit_log.project_id')
    .select('projects.slug')
    .distinct()
    .where('audit_log.token_id', '=', id)
    .where('audit_log.at', '>=', since)
    .orderBy('projects.slug')
    .execute();
  return rows.map(({ slug }) => slug);
}
