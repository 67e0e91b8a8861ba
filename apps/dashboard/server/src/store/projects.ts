import type { Insertable, Selectable, Transaction, Updateable } from 'kysely';
import { assertLockOrder } from './lock-order.ts';
import type { Db } from './open-database.ts';
import type { Database, Role } from './schema.ts';

export type ProjectRow = Selectable<Database['projects']>;

type Reader = Db | Transaction<Database>;

/** A project and the role that a user has in it; null for one who is no member. */
export interface ProjectOfUser {
  readonly project: ProjectRow;
  readonly role: Role | null;
}

export async function findProject(
  db: Reader,
  slug: string,
  userId: string | null,
): Promise<ProjectOfUser | undefined> {
  const row = await projectsForUser(db, userId)
    .where('projects.slug', '=', slug)
    .executeTakeFirst();
  return row && withRole(row);
}

export async function findProjectForUser(
  db: Reader,
  id: string,
  userId: string,
): Promise<ProjectOfUser | undefined> {
  const row = await projectsForUser(db, userId).where('projects.id', '=', id).executeTakeFirst();
  return row && withRole(row);
}

function projectsForUser(db: Reader, userId: string | null) {
  return db
    .selectFrom('projects')
    .leftJoin('members', (join) =>
      join.onRef('members.project_id', '=', 'projects.id').on('members.user_id', '=', userId ?? ''),
    )
    .selectAll('projects')
    .select('members.role as role');
}

function withRole({ role, ...project }: ProjectRow & { role: Role | null }): ProjectOfUser {
  return { project, role };
}

export function findProjectById(db: Reader, id: string): Promise<ProjectRow | undefined> {
  return db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * The projects of a user, or all where `isEverywhere`, at most `limit`, in the order of their slugs from
 * behind `after` on.
 */
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
  let query = projectsForUser(db, options.userId).orderBy('projects.slug').limit(options.limit);
  if (!options.isEverywhere) query = query.where('members.role', 'is not', null);
  if (options.only !== undefined) query = query.where('projects.id', '=', options.only);
  if (options.after !== undefined) query = query.where('projects.slug', '>', options.after);
  return (await query.execute()).map(withRole);
}

/** Rejects with a unique violation when the slug is taken. */
export async function insertProject(
  trx: Transaction<Database>,
  project: Insertable<Database['projects']>,
): Promise<void> {
  await trx.insertInto('projects').values(project).execute();
}

/** Rejects with a unique violation when the slug is taken. */
export async function updateProject(
  trx: Transaction<Database>,
  id: string,
  change: Updateable<Database['projects']>,
): Promise<void> {
  await trx.updateTable('projects').set(change).where('id', '=', id).execute();
}

/** With its members, invitations, tokens and deploys. */
export async function deleteProject(trx: Transaction<Database>, id: string): Promise<void> {
  await trx.deleteFrom('projects').where('id', '=', id).execute();
}

/**
 * Locks a project until the transaction ends, so that what is decided by it stays true: the last
 * owner stays, a plan's bounds are kept to, what is live is not pruned.
 */
export async function lockProject(
  trx: Transaction<Database>,
  id: string,
): Promise<ProjectRow | undefined> {
  assertLockOrder(trx, 'project', id);
  // An update that changes nothing locks the row on either database.
  return trx
    .updateTable('projects')
    .set((set) => ({ plan: set.ref('plan') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Locks several projects; deleted ones are left out. */
export async function lockProjects(
  trx: Transaction<Database>,
  ids: readonly string[],
): Promise<ProjectRow[]> {
  const locked: ProjectRow[] = [];
  for (const id of [...new Set(ids)].sort()) {
    const project = await lockProject(trx, id);
    if (project) locked.push(project);
  }
  return locked;
}
