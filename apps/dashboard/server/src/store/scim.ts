import { sql } from 'kysely';
import { findRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';
import type { UserRow } from './users.ts';

export type ScimTokenRow = Row<'scim_tokens'>;
type ScimUser = Row<'scim_users'>;

/** An account with what a directory says of it; null where none has said anything yet. */
export type ScimUserRow = Omit<UserRow, 'password_hash'> & { scim: ScimUser | null };

/** The token with this secret, unless it was revoked. */
export function findScimToken(db: Db, tokenHash: string): Promise<ScimTokenRow | undefined> {
  return findRow(db, 'scim_tokens', { token_hash: tokenHash, revoked_at: null });
}

/** The newest first. */
export function listScimTokens(db: Db): Promise<ScimTokenRow[]> {
  return db
    .selectFrom('scim_tokens')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

export async function insertScimToken(trx: Trx, token: NewRow<'scim_tokens'>): Promise<void> {
  await trx.insertInto('scim_tokens').values(token).execute();
}

export async function touchScimToken(db: Db, id: string, now: number): Promise<void> {
  await updateRows(db, 'scim_tokens', { id }, { last_used_at: now });
}

/** Revokes a token. Returns its name; undefined where there is none that could be revoked. */
export async function revokeScimToken(
  trx: Trx,
  id: string,
  now: number,
): Promise<string | undefined> {
  const row = await trx
    .updateTable('scim_tokens')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

/** Which accounts: those with one of these properties, a page of all, or all. */
export interface ScimUsersOf {
  readonly id?: string;
  /** In lower case. */
  readonly userName?: string;
  readonly externalId?: string;
  /** The account's, or among those of the directory; in lower case, of ASCII without quotes and backslashes. */
  readonly email?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Accounts in the order in which they were made. */
export async function listScimUsers(
  db: Db,
  { id, userName, externalId, email, offset, limit }: ScimUsersOf,
): Promise<ScimUserRow[]> {
  let query = db
    .selectFrom('users')
    .leftJoin('scim_users', 'scim_users.user_id', 'users.id')
    .select(['id', 'email', 'name', 'role', 'users.created_at', 'disabled_at'])
    .select(['last_seen_at', 'is_provisional', 'first_steps_hidden_at', 'stored_told'])
    .select(['user_id', 'user_name', 'user_name_key', 'external_id', 'attributes'])
    .select(['scim_users.created_at as scim_created_at', 'updated_at'])
    .orderBy('users.created_at')
    .orderBy('users.id');
  if (id !== undefined) query = query.where('users.id', '=', id);
  if (email !== undefined) {
    const pattern = `%"${email.replaceAll(/[%_]/g, String.raw`\$&`)}"%`;
    query = query.where((where) =>
      where.or([
        where('users.email', '=', email),
        sql<boolean>`lower(attributes) LIKE ${pattern} ESCAPE '\\'`,
      ]),
    );
  }
  if (externalId !== undefined) query = query.where('external_id', '=', externalId);
  if (userName !== undefined) {
    // Who is not linked yet is called by their address, unless somebody has that name: anybody may take an address, and
    // nobody is kept out of the reach of their directory by that.
    query = query.where(({ and, eb, exists, not, or, selectFrom }) =>
      or([
        eb('user_name_key', '=', userName),
        and([
          eb('user_name_key', 'is', null),
          eb('users.email', '=', userName),
          not(
            exists(
              selectFrom('scim_users as others')
                .select('others.user_id')
                .where('others.user_name_key', '=', userName),
            ),
          ),
        ]),
      ]),
    );
  }
  if (limit !== undefined) query = query.limit(limit).offset(offset ?? 0);
  const rows = await query.execute();
  return rows.map((row) => {
    const { user_id, user_name, user_name_key, external_id, attributes, ...rest } = row;
    const { scim_created_at, updated_at, ...user } = rest;
    const isLinked = user_id !== null && user_name !== null && user_name_key !== null;
    if (!isLinked || attributes === null || scim_created_at === null || updated_at === null)
      return { ...user, scim: null };
    return {
      ...user,
      scim: {
        ...{ user_id, user_name, user_name_key, external_id, attributes, updated_at },
        created_at: scim_created_at,
      },
    };
  });
}

/** How many accounts there are. */
export async function countUsers(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Stores what a directory says of an account. Rejects with a unique violation where another one has the userName. */
export async function setScimUser(trx: Trx, row: NewRow<'scim_users'>): Promise<void> {
  const { user_id: _id, created_at: _at, ...change } = row;
  await trx
    .insertInto('scim_users')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(change))
    .execute();
}

/** Of some ids, those of accounts that there are, with their addresses. */
export async function findUsersByIds(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { email: string; name: string }>> {
  const found = new Map<string, { email: string; name: string }>();
  for (let start = 0; start < ids.length; start += 500) {
    const rows = await db
      .selectFrom('users')
      .select(['id', 'email', 'name'])
      .where('id', 'in', ids.slice(start, start + 500))
      .execute();
    for (const { id, ...user } of rows) found.set(id, user);
  }
  return found;
}

/** The groups that users are in, by any source, in the order of their names. */
export async function listGroupsOfUsers(db: Db, userIds: readonly string[]) {
  if (userIds.length === 0) return [];
  return db
    .selectFrom('group_members')
    .innerJoin('groups', 'groups.id', 'group_members.group_id')
    .select(['user_id', 'groups.id', 'groups.name'])
    .distinct()
    .where('user_id', 'in', userIds)
    .orderBy('groups.name')
    .execute();
}

/** The members that a directory has put into groups. */
export async function listScimMembers(db: Db, groupIds: readonly string[] | undefined) {
  let query = db
    .selectFrom('group_members')
    .innerJoin('users', 'users.id', 'group_members.user_id')
    .select(['group_id', 'user_id', 'users.name', 'users.email'])
    .where('source', '=', 'scim')
    .orderBy('group_id')
    .orderBy('user_id');
  if (groupIds) {
    if (groupIds.length === 0) return [];
    query = query.where('group_id', 'in', groupIds);
  }
  return query.execute();
}

/** The groups with a property, or all, in the order in which they were made. */
export function listScimGroups(
  db: Db,
  {
    id,
    nameKey,
    externalId,
    member,
  }: { id?: string; nameKey?: string; externalId?: string; member?: string },
): Promise<Row<'groups'>[]> {
  let query = db.selectFrom('groups').selectAll().orderBy('created_at').orderBy('id');
  if (id !== undefined) query = query.where('id', '=', id);
  if (nameKey !== undefined) query = query.where('name_key', '=', nameKey);
  if (externalId !== undefined) query = query.where('external_id', '=', externalId);
  if (member !== undefined) {
    const theirs = db
      .selectFrom('group_members')
      .select('group_id')
      .where('user_id', '=', member)
      .where('source', '=', 'scim');
    query = query.where('id', 'in', theirs);
  }
  return query.execute();
}
