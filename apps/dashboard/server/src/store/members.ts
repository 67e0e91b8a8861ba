import { deleteRows } from './rows.ts';
import type { Db, Role, Row, Trx } from './schema.ts';

export type MemberRow = Row<'members'> & { email: string; name: string };

/** In the order in which they came. */
export function listMembers(db: Db, projectId: string): Promise<MemberRow[]> {
  return members(db, projectId).orderBy('members.created_at').orderBy('members.user_id').execute();
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
    .select(['users.email', 'users.name'])
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
