import type { Insertable, Selectable, Transaction } from 'kysely';
import type { Db } from './open-database.ts';
import type { Database } from './schema.ts';

type Reader = Db | Transaction<Database>;

/** An invitation as people see it: with the address of who invites, and the project's name and slug. */
export type InvitationRow = Selectable<Database['invitations']> & {
  inviter: string | null;
  slug: string;
  project_name: string;
};

function invitations(db: Reader) {
  return db
    .selectFrom('invitations')
    .innerJoin('projects', 'projects.id', 'invitations.project_id')
    .leftJoin('users', 'users.id', 'invitations.invited_by')
    .selectAll('invitations')
    .select(['users.email as inviter', 'projects.slug as slug', 'projects.name as project_name']);
}

/** The newest first. */
export function listInvitations(db: Reader, projectId: string): Promise<InvitationRow[]> {
  return invitations(db)
    .where('invitations.project_id', '=', projectId)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id')
    .execute();
}

/** The invitation with this secret, while it can be accepted. */
export function findOpenInvitation(
  db: Reader,
  tokenHash: string,
  now: number,
): Promise<InvitationRow | undefined> {
  return invitations(db)
    .where('invitations.token_hash', '=', tokenHash)
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.revoked_at', 'is', null)
    .where('invitations.expires_at', '>', now)
    .executeTakeFirst();
}

export async function insertInvitation(
  trx: Transaction<Database>,
  invitation: Insertable<Database['invitations']>,
): Promise<void> {
  await trx.insertInto('invitations').values(invitation).execute();
}

/** Whether it was still open: of two who accept at the same time, one did. */
export async function markAccepted(
  trx: Transaction<Database>,
  id: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('invitations')
    .set({ accepted_at: now })
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Revokes an invitation of a project that can be accepted. The address; undefined where there is none. */
export async function revokeInvitation(
  trx: Transaction<Database>,
  projectId: string,
  id: string,
  now: number,
): Promise<string | undefined> {
  const row = await trx
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('email')
    .executeTakeFirst();
  return row?.email;
}
