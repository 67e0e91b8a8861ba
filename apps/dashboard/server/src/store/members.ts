import { deleteRows } from './rows.ts';
import type { Db, Role, Row, Trx } from './schema.ts';

export type MemberRow = Row<'members'> & {
  email: string;
  name: string;
  /** null: the account is not disabled. */
  disabled_at: number | null;
};

/** In the order in which they came. */
export function listMembers(db: Db, projectId: string): Promise<MemberRow[]> {
  return members(db, projectId).orderBy('members.created_at').orderBy('members.user_id').execute();
}

/** Whether somebody but this user can act as an owner of a project. Lock the project before. */
export async function hasOtherOwner(db: Db, projectId: string, userId: string): Promise<boolean> {
  const found = await members(db, projectId)
    .where('members.role', '=', 'owner')
    .where('members.user_id', '!=', userId)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** The projects that a user is a member of, in the order of their slugs, with the role there. */
export function listMemberships(db: Db, userId: string) {
  return db
    .selectFrom('members')
    .innerJoin('projects', 'projects.id', 'members.project_id')
    .select(['members.project_id', 'members.role', 'projects.slug', 'projects.name'])
    .where('members.user_id', '=', userId)
    .orderBy('projects.slug')
    .execute();
}

export function findMember(
  db: Db,
  projectId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return members(db, projectId).where('members.user_id', '=', userId).executeTakeFirst();
}

function members(db: Db, projectId: string) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .selectAll('members')
    .select(['users.email', 'users.name', 'users.disabled_at'])
    .where('members.project_id', '=', projectId);
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
