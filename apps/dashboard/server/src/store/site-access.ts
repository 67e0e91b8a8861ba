import { deleteRows, findRow, updateRows } from './rows.ts';
import type { Private } from './schema/site-access.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';
import type { UserRow } from './users.ts';

export type SiteAccessRow = Row<'site_access'>;
export type SiteKeyRow = Row<'site_access_keys'>;

/** What is chosen; a password with all three of its columns. */
type Change =
  | Pick<SiteAccessRow, 'everyone'>
  | Pick<SiteAccessRow, 'password_hash' | 'password_id' | 'password_at'>;

/** How a project's private sites let visitors in; undefined: no way was ever chosen. */
export function findSiteAccess(db: Db, projectId: string): Promise<SiteAccessRow | undefined> {
  return findRow(db, 'site_access', { project_id: projectId });
}

/** Changes it under the lock of the project. */
export async function setSiteAccess(trx: Trx, projectId: string, change: Change): Promise<void> {
  if (await updateRows(trx, 'site_access', { project_id: projectId }, change)) return;
  const row: SiteAccessRow = {
    project_id: projectId,
    ...{ everyone: 0, password_hash: null, password_id: null, password_at: null },
    ...change,
  };
  await trx.insertInto('site_access').values(row).execute();
}

/** The groups that may read, in the order of their names. */
export function listAccessGroups(
  db: Db,
  projectId: string,
): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('site_access_groups')
    .innerJoin('groups', 'groups.id', 'site_access_groups.group_id')
    .select(['groups.id', 'groups.name'])
    .where('site_access_groups.project_id', '=', projectId)
    .orderBy('groups.name_key')
    .execute();
}

export async function setAccessGroups(
  trx: Trx,
  projectId: string,
  groupIds: readonly string[],
): Promise<void> {
  await deleteRows(trx, 'site_access_groups', { project_id: projectId });
  if (groupIds.length === 0) return;
  const rows = groupIds.map((group_id) => ({ project_id: projectId, group_id }));
  await trx.insertInto('site_access_groups').values(rows).execute();
}

/** The oldest first. */
export function listSiteKeys(db: Db, projectId: string): Promise<SiteKeyRow[]> {
  return db
    .selectFrom('site_access_keys')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Rejects with a unique violation where the project has a key of that name. */
export async function insertSiteKey(trx: Trx, key: NewRow<'site_access_keys'>): Promise<void> {
  await trx.insertInto('site_access_keys').values(key).execute();
}

/** Removes a key, and with it the sessions that began by it. The key; undefined: there is none. */
export function deleteSiteKey(
  trx: Trx,
  projectId: string,
  id: string,
): Promise<SiteKeyRow | undefined> {
  return trx
    .deleteFrom('site_access_keys')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Whether a project has this key. */
export async function hasSiteKey(db: Db, projectId: string, id: string): Promise<boolean> {
  return (await findRow(db, 'site_access_keys', { project_id: projectId, id })) !== undefined;
}

/**
 * Whether an account may read a project's private sites: those with a role in it, everyone where that was chosen, and
 * members of the groups that were. The installation's owner may read everything.
 */
export async function mayAccountRead(
  db: Db,
  projectId: string,
  user: Pick<UserRow, 'id' | 'role'>,
): Promise<boolean> {
  if (user.role === 'owner') return true;
  const { may } = await db
    .selectNoFrom(({ exists, or, selectFrom }) =>
      or([
        exists(
          selectFrom('role_grants')
            .select('role')
            .where('project_id', '=', projectId)
            .where('user_id', '=', user.id),
        ),
        exists(
          selectFrom('site_access')
            .select('everyone')
            .where('project_id', '=', projectId)
            .where('everyone', '=', 1),
        ),
        exists(
          selectFrom('site_access_groups')
            .innerJoin('group_members', 'group_members.group_id', 'site_access_groups.group_id')
            .select('group_members.user_id')
            .where('site_access_groups.project_id', '=', projectId)
            .where('group_members.user_id', '=', user.id),
        ),
      ]).as('may'),
    )
    .executeTakeFirstOrThrow();
  return Boolean(may);
}

/** What of a project's sites is private. */
export async function setPrivate(trx: Trx, projectId: string, value: Private): Promise<void> {
  await updateRows(trx, 'projects', { id: projectId }, { private: value });
}
