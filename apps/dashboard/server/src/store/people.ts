import { sql } from 'kysely';
import type { Db } from './schema.ts';
import type { UserRow } from './users.ts';

/** An account as the installation's owner sees it. */
export type PersonRow = Omit<UserRow, 'password_hash'> & {
  /** How many projects the account owns. */
  projects: number;
  /** How many usable API tokens it has. */
  tokens: number;
};

/** Accounts in the order of their addresses, after `after`, at most `limit`; those that `ids` names, where it is given. */
export async function listPeople(
  db: Db,
  {
    ids,
    after,
    limit,
    now,
  }: {
    ids: readonly string[] | undefined;
    after: string | undefined;
    limit: number;
    now: number;
  },
): Promise<PersonRow[]> {
  if (ids?.length === 0) return [];
  let query = people(db, now).orderBy('users.email').limit(limit);
  if (ids) query = query.where('users.id', 'in', ids);
  if (after !== undefined) query = query.where('users.email', '>', after);
  return query.execute();
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
    sql<number>`(SELECT count(*) FROM members
        WHERE members.user_id = users.id AND members.role = 'owner')`.as('projects'),
    sql<number>`(SELECT count(*) FROM api_tokens
        WHERE api_tokens.user_id = users.id AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${now}))`.as('tokens'),
  ]);
}

/** Every account, as far as a search looks at it. */
export function listNames(db: Db) {
  return db.selectFrom('users').select(['id', 'email', 'name', 'disabled_at']).execute();
}
