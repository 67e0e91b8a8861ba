import { sql } from 'kysely';
import { highestRole, projectsOf, rankIn, roleOfRank } from './role-grants.ts';
import { deleteRows } from './rows.ts';
import type { Role } from './schema/projects.ts';
import type { Db, Trx } from './schema.ts';

/** Somebody with a role in a project, and where it comes from. */
export interface MemberRow {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  /** null: the account is not disabled. */
  readonly disabled_at: number | null;
  /** The highest of all that they have. */
  readonly role: Role;
  /** The role of their own membership; null: they have a role through groups alone. */
  readonly own_role: Role | null;
  /** The groups that give them a role, in the order of their names. */
  readonly through: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
  /** Since when they have had a role. */
  readonly since: number;
}

/** Everyone with a role in a project, in the order in which they came. */
export function listMembers(db: Db, projectId: string): Promise<MemberRow[]> {
  return readMembers(db, projectId);
}

export async function findMember(
  db: Db,
  projectId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return (await readMembers(db, projectId, userId))[0];
}

async function readMembers(db: Db, projectId: string, userId?: string): Promise<MemberRow[]> {
  let query = db
    .selectFrom('role_grants')
    .innerJoin('users', 'users.id', 'role_grants.user_id')
    .leftJoin('groups', 'groups.id', 'role_grants.group_id')
    .selectAll('role_grants')
    .select(['users.email', 'users.name', 'users.disabled_at', 'groups.name as group_name'])
    .where('role_grants.project_id', '=', projectId)
    .orderBy('role_grants.created_at')
    .orderBy('role_grants.user_id')
    .orderBy('groups.name_key');
  if (userId !== undefined) query = query.where('role_grants.user_id', '=', userId);
  const grants = await query.execute();
  return [...Map.groupBy(grants, ({ user_id }) => user_id).values()].map((theirs) => {
    const [{ user_id, email, name, disabled_at, created_at }] = theirs as [(typeof theirs)[0]];
    // Several sources may say that somebody is a member of the same group.
    const through = new Map<string, { id: string; name: string; role: Role }>();
    for (const { group_id, group_name, role } of theirs) {
      if (group_id !== null) through.set(group_id, { id: group_id, name: group_name ?? '', role });
    }
    return {
      ...{ user_id, email, name, disabled_at, since: created_at },
      role: highestRole(theirs.map(({ role }) => role)) ?? 'viewer',
      own_role: theirs.find(({ group_id }) => group_id === null)?.role ?? null,
      through: [...through.values()],
    };
  });
}

/** The projects in which a user has a role, in the order of their slugs, with the role there. */
export async function listMemberships(
  db: Db,
  userId: string,
): Promise<{ project_id: string; slug: string; name: string; role: Role }[]> {
  const rows = await db
    .selectFrom('projects')
    .select(['id as project_id', 'slug', 'name'])
    .select(rankIn(sql.ref('projects.id'), userId).as('rank'))
    .where('id', 'in', projectsOf(db, userId))
    .orderBy('slug')
    .execute();
  return rows.map(({ rank, ...project }) => ({ ...project, role: roleOfRank(rank) ?? 'viewer' }));
}

/** Makes a user a member, or gives a member another role. */
export async function setMember(
  trx: Trx,
  member: { project_id: string; user_id: string; role: Role; created_at: number },
): Promise<void> {
  await trx
    .insertInto('members')
    .values(member)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'user_id']).doUpdateSet({ role: member.role }),
    )
    .execute();
}

export async function deleteMember(trx: Trx, projectId: string, userId: string): Promise<void> {
  await deleteRows(trx, 'members', { project_id: projectId, user_id: userId });
}
