import { type Expression, sql } from 'kysely';
import { assertLockOrder, lockInOrder } from './lock-order.ts';
import { projectsOf, rankIn, roleOfRank } from './role-grants.ts';
import { deleteRows, findRow, lockRow, updateRows } from './rows.ts';
import type { Role } from './schema/projects.ts';
import type { Db, NewRow, Row, RowChange, Trx } from './schema.ts';

export type ProjectRow = Row<'projects'>;

/** A project and a user's role in it, their own or through groups; null for one without, or who is disabled. */
export interface ProjectOfUser {
  readonly project: ProjectRow;
  readonly role: Role | null;
}

export async function findProject(
  db: Db,
  slug: string,
  userId: string | null,
): Promise<ProjectOfUser | undefined> {
  // Named by its slug in the question for the role, too, so that the role is found by its key, whatever else the user has.
  const id = sql<string>`(SELECT id FROM projects WHERE slug = ${slug})`;
  const row = await projectsForUser(db, id, userId)
    .where('projects.slug', '=', slug)
    .executeTakeFirst();
  return row && withRole(row);
}

export async function findProjectForUser(
  db: Db,
  id: string,
  userId: string,
): Promise<ProjectOfUser | undefined> {
  const row = await projectsForUser(db, id, userId)
    .where('projects.id', '=', id)
    .executeTakeFirst();
  return row && withRole(row);
}

function projectsForUser(db: Db, id: string | Expression<string>, userId: string | null) {
  const rank = rankIn(id, userId ?? '');
  const disabledAt = sql`(SELECT disabled_at FROM users WHERE id = ${userId})`;
  return db
    .selectFrom('projects')
    .selectAll('projects')
    .select(sql<number | null>`CASE WHEN ${disabledAt} IS NULL THEN ${rank} END`.as('rank'));
}

function withRole({ rank, ...project }: ProjectRow & { rank: number | null }): ProjectOfUser {
  return { project, role: roleOfRank(rank) };
}

export function findProjectById(db: Db, id: string) {
  return findRow(db, 'projects', { id });
}

/** The ids of all projects, in their order. */
export async function listProjectIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('projects').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** The projects of a user, or all where `isEverywhere`, at most `limit`, in the order of their slugs, after `after`. */
export async function listProjects(
  db: Db,
  options: {
    userId: string;
    isEverywhere: boolean;
    only?: string | undefined;
    after?: string | undefined;
    limit: number;
  },
): Promise<ProjectOfUser[]> {
  const { userId } = options;
  let query = projectsForUser(db, sql.ref<string>('projects.id'), userId)
    .orderBy('projects.slug')
    .limit(options.limit);
  if (!options.isEverywhere) query = query.where('projects.id', 'in', projectsOf(db, userId));
  if (options.only !== undefined) query = query.where('projects.id', '=', options.only);
  if (options.after !== undefined) query = query.where('projects.slug', '>', options.after);
  return (await query.execute()).map(withRole);
}

/** The ids of the projects that a user may see, or of all where `isEverywhere`, as a query. `only`: of this one at most. */
export function visibleProjectIds(
  db: Db,
  {
    userId,
    isEverywhere,
    only,
  }: { userId: string; isEverywhere: boolean; only?: string | undefined },
) {
  let query = db.selectFrom('projects as visible').select('visible.id');
  if (!isEverywhere) query = query.where('visible.id', 'in', projectsOf(db, userId));
  return only === undefined ? query : query.where('visible.id', '=', only);
}

/** Rejects with a unique violation when the slug is taken. */
export async function insertProject(trx: Trx, project: NewRow<'projects'>): Promise<void> {
  await trx.insertInto('projects').values(project).execute();
}

/** Rejects with a unique violation when the slug is taken. */
export async function updateProject(
  trx: Trx,
  id: string,
  change: RowChange<'projects'>,
): Promise<void> {
  await updateRows(trx, 'projects', { id }, change);
}

/** Deletes a project with its members, invitations, tokens and deploys. */
export async function deleteProject(trx: Trx, id: string): Promise<void> {
  await deleteRows(trx, 'projects', { id });
}

/**
 * Locks a project until the transaction ends, so that decisions based on it stay true: the last owner stays, the plan's
 * limits hold, the live deploy is not pruned.
 */
export async function lockProject(trx: Trx, id: string): Promise<ProjectRow | undefined> {
  assertLockOrder(trx, 'project', id);
  return lockRow(trx, 'projects', { id });
}

/** Locks several projects; deleted ones are left out. */
export function lockProjects(trx: Trx, ids: readonly string[]): Promise<ProjectRow[]> {
  return lockInOrder(ids, (id) => lockProject(trx, id));
}
