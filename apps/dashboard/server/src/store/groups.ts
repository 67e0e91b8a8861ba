import { assertLockOrder, lockInOrder } from './lock-order.ts';
import { deleteRows, findRow, lockRow, updateRows } from './rows.ts';
import type { MemberSource } from './schema/groups.ts';
import type { Role } from './schema/projects.ts';
import type { Db, NewRow, Row, RowChange, Trx } from './schema.ts';

export type GroupRow = Row<'groups'>;

/** So many values at most are in one list of a statement. */
const CHUNK = 500;

/** A group and how many people are in it. */
export type ListedGroup = GroupRow & { members: number };

export function findGroup(db: Db, id: string): Promise<GroupRow | undefined> {
  return findRow(db, 'groups', { id });
}

/** Groups in the order of their names, `limit` at most, after the one with the key `after`; those in which `of` is. */
export function listGroups(
  db: Db,
  { after, limit, of }: { after?: string | undefined; limit?: number; of?: string | undefined },
): Promise<ListedGroup[]> {
  let query = listedGroups(db).orderBy('groups.name_key');
  if (limit !== undefined) query = query.limit(limit);
  if (after !== undefined) query = query.where('groups.name_key', '>', after);
  if (of !== undefined) {
    const theirs = db.selectFrom('group_members').select('group_id').where('user_id', '=', of);
    query = query.where('groups.id', 'in', theirs);
  }
  return query.execute();
}

export function findListedGroup(db: Db, id: string): Promise<ListedGroup | undefined> {
  return listedGroups(db).where('groups.id', '=', id).executeTakeFirst();
}

function listedGroups(db: Db) {
  return db
    .selectFrom('groups')
    .selectAll('groups')
    .select(({ selectFrom }) =>
      selectFrom('group_members')
        .select(({ fn }) => fn.count<number>('user_id').distinct().as('count'))
        .whereRef('group_members.group_id', '=', 'groups.id')
        .$asScalar()
        .$notNull()
        .as('members'),
    );
}

/** The roles of groups, with the projects, in the order of their slugs. */
export async function listGroupRoles(db: Db, groupIds: readonly string[]) {
  if (groupIds.length === 0) return [];
  return db
    .selectFrom('group_roles')
    .innerJoin('projects', 'projects.id', 'group_roles.project_id')
    .select(['group_id', 'project_id', 'role', 'projects.slug', 'projects.name'])
    .where('group_id', 'in', groupIds)
    .orderBy('projects.slug')
    .execute();
}

/** The roles that groups have in a project, by the ids of the groups. */
export async function rolesOfGroupsIn(db: Db, projectId: string): Promise<Map<string, Role>> {
  const rows = await db
    .selectFrom('group_roles')
    .select(['group_id', 'role'])
    .where('project_id', '=', projectId)
    .execute();
  return new Map(rows.map(({ group_id, role }) => [group_id, role]));
}

/** Gives a locked group a role in a locked project, or another one; null takes it away. */
export async function setGroupRole(
  trx: Trx,
  row: { group_id: string; project_id: string; role: Role | null; created_at: number },
): Promise<void> {
  const { role, ...key } = row;
  if (role === null) {
    const { group_id, project_id } = key;
    await deleteRows(trx, 'group_roles', { group_id, project_id });
    return;
  }
  await trx
    .insertInto('group_roles')
    .values({ ...key, role })
    .onConflict((conflict) => conflict.columns(['group_id', 'project_id']).doUpdateSet({ role }))
    .execute();
}

/** The memberships of a group in the order of the addresses, a row for each source; of one user, where `userId` names one. */
export function listGroupMembers(
  db: Db,
  groupId: string,
  {
    userId,
    after,
    limit,
  }: { userId?: string; after?: string | undefined; limit?: number | undefined } = {},
) {
  let users = db
    .selectFrom('users')
    .select('id')
    .where(
      'id',
      'in',
      db.selectFrom('group_members').select('user_id').where('group_id', '=', groupId),
    )
    .orderBy('email');
  if (userId !== undefined) users = users.where('id', '=', userId);
  if (after !== undefined) users = users.where('email', '>', after);
  if (limit !== undefined) users = users.limit(limit);
  return db
    .selectFrom('group_members')
    .innerJoin('users', 'users.id', 'group_members.user_id')
    .select(['user_id', 'source', 'users.email', 'users.name', 'users.disabled_at'])
    .where('group_id', '=', groupId)
    .where('user_id', 'in', users)
    .orderBy('users.email')
    .orderBy('source')
    .execute();
}

/** The groups with these keys of names (groups/group-name.ts); those that there are not are left out. */
export async function findGroupsByKeys(db: Db, keys: readonly string[]): Promise<GroupRow[]> {
  const found: GroupRow[] = [];
  for (const some of chunks([...new Set(keys)])) {
    const rows = db.selectFrom('groups').selectAll().where('name_key', 'in', some);
    found.push(...(await rows.execute()));
  }
  return found;
}

/** Rejects with a unique violation where the name is taken. */
export async function insertGroup(trx: Trx, group: NewRow<'groups'>): Promise<void> {
  await trx.insertInto('groups').values(group).execute();
}

/** Rejects with a unique violation where the name is taken. */
export async function updateGroup(
  trx: Trx,
  id: string,
  change: RowChange<'groups'>,
): Promise<void> {
  await updateRows(trx, 'groups', { id }, change);
}

/** Deletes a group with its memberships and roles. */
export async function deleteGroup(trx: Trx, id: string): Promise<void> {
  await deleteRows(trx, 'groups', { id });
}

/** Locks groups until the transaction ends: who is in them, and which roles they have, stays. */
export function lockGroups(trx: Trx, ids: readonly string[]): Promise<GroupRow[]> {
  return lockInOrder(ids, (id) => {
    assertLockOrder(trx, 'group', id);
    return lockRow(trx, 'groups', { id });
  });
}

/** The ids of the groups that a user is in, by a source, or by any. */
export async function listGroupIdsOf(
  db: Db,
  userId: string,
  source?: MemberSource,
): Promise<string[]> {
  let query = db
    .selectFrom('group_members')
    .select('group_id')
    .distinct()
    .where('user_id', '=', userId);
  if (source !== undefined) query = query.where('source', '=', source);
  return (await query.execute()).map(({ group_id }) => group_id);
}

/** Makes users members of a group by a source; those who are already stay so. */
export async function addGroupMembers(
  trx: Trx,
  groupId: string,
  userIds: readonly string[],
  source: MemberSource,
  at: number,
): Promise<void> {
  for (const some of chunks(userIds)) {
    const rows = some.map((user_id) => ({ group_id: groupId, user_id, source, created_at: at }));
    await trx
      .insertInto('group_members')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Ends memberships of a group by a source. */
export async function removeGroupMembers(
  trx: Trx,
  groupId: string,
  userIds: readonly string[],
  source: MemberSource,
): Promise<void> {
  for (const some of chunks(userIds)) {
    await trx
      .deleteFrom('group_members')
      .where('group_id', '=', groupId)
      .where('source', '=', source)
      .where('user_id', 'in', some)
      .execute();
  }
}

/** The ids of the projects in which groups have a role. */
export async function listProjectIdsOfGroups(
  db: Db,
  groupIds: readonly string[],
): Promise<string[]> {
  const found = new Set<string>();
  for (const some of chunks(groupIds)) {
    const query = db.selectFrom('group_roles').select('project_id').distinct();
    for (const row of await query.where('group_id', 'in', some).execute())
      found.add(row.project_id);
  }
  return [...found];
}

function* chunks<T>(values: readonly T[]): Iterable<T[]> {
  for (let start = 0; start < values.length; start += CHUNK) {
    yield values.slice(start, start + CHUNK);
  }
}
