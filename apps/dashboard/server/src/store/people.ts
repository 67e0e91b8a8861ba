import { sql } from 'kysely';
import type { Db } from './schema.ts';
import type { UserRow } from './users.ts';

/** An account as the installation's owner sees it. */
export type PersonRow = Pick<
  UserRow,
  'id' | 'email' | 'name' | 'role' | 'created_at' | 'disabled_at' | 'last_seen_at'
> & {
  /** How many projects the account owns. */
  projects: number;
  /** How many usable API tokens it has. */
  tokens: number;
};

/** What a search of accounts looks at. */
export type SearchedAccount = Pick<UserRow, 'email' | 'name' | 'disabled_at'>;

/**
 * Accounts in the order of their addresses, after `after`, at most `limit`: those that `isWanted`. That is asked here and
 * not in SQL, since SQLite knows upper and lower case of ASCII alone.
 */
export async function listPeople(
  db: Db,
  {
    isWanted,
    after,
    limit,
    now,
  }: {
    isWanted: ((account: SearchedAccount) => boolean) | undefined;
    after: string | undefined;
    limit: number;
    now: number;
  },
): Promise<PersonRow[]> {
  let query = db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'disabled_at'])
    .orderBy('email');
  if (after !== undefined) query = query.where('email', '>', after);
  if (!isWanted) query = query.limit(limit);
  const found = await query.execute();
  const ids = (isWanted ? found.filter(isWanted).slice(0, limit) : found).map(({ id }) => id);
  if (ids.length === 0) return [];
  return people(db, now).where('users.id', 'in', ids).orderBy('users.email').execute();
}

export function findPerson(db: Db, id: string, now: number): Promise<PersonRow | undefined> {
  return people(db, now).where('users.id', '=', id).executeTakeFirst();
}

function people(db: Db, now: number) {
  return db.selectFrom('users').select([
    'users.id',
    'users.email',
    'users.name',
    'users.role',
    'users.created_at',
    'users.disabled_at',
    'users.last_seen_at',
    'users.is_provisional',
    sql<number>`(SELECT count(DISTINCT project_id) FROM role_grants
        WHERE role_grants.user_id = users.id AND role_grants.role = 'owner')`.as('projects'),
    sql<number>`(SELECT count(*) FROM api_tokens
        WHERE api_tokens.user_id = users.id AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${now}))`.as('tokens'),
  ]);
}
