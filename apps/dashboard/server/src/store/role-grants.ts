import { type Expression, sql } from 'kysely';
import type { Role } from './schema/projects.ts';
import type { Db } from './schema.ts';

// A user's role in a project is the highest of their own membership and of those of their groups. The view
// `role_grants` has a row for each; these are the questions to it.

const ROLES = ['owner', 'editor', 'viewer'] as const satisfies readonly Role[];

/** The rank of a user's role in a project, for a `select`; null without a role. `roleOfRank` reads it. */
export function rankIn(projectId: string | Expression<string>, userId: string) {
  return sql<number | null>`(
    SELECT MIN(CASE role WHEN 'owner' THEN 0 WHEN 'editor' THEN 1 ELSE 2 END) FROM role_grants
    WHERE role_grants.project_id = ${projectId} AND role_grants.user_id = ${userId})`;
}

export function roleOfRank(rankOrNull: number | null): Role | null {
  return rankOrNull === null ? null : (ROLES[rankOrNull] ?? null);
}

/** The highest of some roles; null of none. */
export function highestRole(roles: readonly Role[]): Role | null {
  return ROLES.find((role) => roles.includes(role)) ?? null;
}

/** The ids of the projects in which a user has a role, for a `where`. */
export function projectsOf(db: Db, userId: string) {
  return db.selectFrom('role_grants').select('project_id').where('user_id', '=', userId);
}

/** The ids of those who have a role in a project, or one role of it, for a `where`. */
export function usersIn(
  db: Pick<Db, 'selectFrom'>,
  projectId: string | Expression<string>,
  role?: Role,
) {
  const users = db.selectFrom('role_grants').select('user_id').where('project_id', '=', projectId);
  return role === undefined ? users : users.where('role', '=', role);
}

/** The owners of a project, by themselves or through a group, each once. */
export function listOwners(
  db: Db,
  projectId: string,
): Promise<{ id: string; email: string; disabled_at: number | null }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'disabled_at'])
    .where('id', 'in', usersIn(db, projectId, 'owner'))
    .orderBy('id')
    .execute();
}

/** How many people have a role in a project, each counted once. */
export async function countPeople(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('role_grants')
    .select(({ fn }) => fn.count<number>('user_id').distinct().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Whether somebody, but one user where `except` names one, can act as an owner of a locked project. Who is disabled
 * cannot, and a group of owners without members is no way in.
 */
export async function hasOwner(db: Db, projectId: string, except = ''): Promise<boolean> {
  const owner = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', usersIn(db, projectId, 'owner'))
    .where('id', '!=', except)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return owner !== undefined;
}
