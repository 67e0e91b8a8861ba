import { assertLockOrder, lockInOrder } from './lock-order.ts';
import { lockRow } from './rows.ts';
import type { Db, MemberSource, NewRow, Row, Trx } from './schema.ts';

export type GroupRow = Row<'groups'>;

/** So many values at most are in one list of a statement. */
const CHUNK = 500;

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

/** Locks groups until the transaction ends: who is in them, and which roles they have, stays. */
export function lockGroups(trx: Trx, ids: readonly string[]): Promise<GroupRow[]> {
  return lockInOrder(ids, (id) => {
    assertLockOrder(trx, 'group', id);
    return lockRow(trx, 'groups', id, 'source');
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
