import type { Selectable, Transaction } from 'kysely';
import type { Db } from './open-database.ts';
import type { Database, Role } from './schema.ts';

type Reader = Db | Transaction<Database>;

export type MemberRow = Selectable<Database['members']> & { email: string; name: string };

/** In the order in which they came. */
export function listMembers(db: Reader, projectId: string): Promise<MemberRow[]> {
  return members(db, projectId).orderBy('members.created_at').orderBy('members.user_id').execute();
}

export function findMember(
  db: Reader,
  projectId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return members(db, projectId).where('members.user_id', '=', userId).executeTakeFirst();
}

function members(db: Reader, projectId: string) {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .selectAll('members')
    .select(['users.email', 'users.name'])
    .where('members.project_id', '=', projectId);
}

/** Makes a user a member, or gives a member another role. */
export async function setMember(
  trx: Transaction<Database>,
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

export async function deleteMember(
  trx: Transaction<Database>,
  projectId: string,
  userId: string,
): Promise<void> {
  await trx
    .deleteFrom('members')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .execute();
}
