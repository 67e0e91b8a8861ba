import { type ExpressionBuilder, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import { usersIn } from './role-grants.ts';
import type { Database, Db, NewRow, Row, Trx } from './schema.ts';

/** An invitation as people see it: with the address of the inviter, and the project's name and slug. */
export type InvitationRow = Row<'invitations'> & {
  inviter: string | null;
  slug: string;
  project_name: string;
};

function invitations(db: Db) {
  return db
    .selectFrom('invitations')
    .innerJoin('projects', 'projects.id', 'invitations.project_id')
    .leftJoin('users', 'users.id', 'invitations.invited_by')
    .selectAll('invitations')
    .select(['users.email as inviter', 'projects.slug as slug', 'projects.name as project_name']);
}

/** The newest first. */
export function listInvitations(db: Db, projectId: string): Promise<InvitationRow[]> {
  return invitations(db)
    .where('invitations.project_id', '=', projectId)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id')
    .execute();
}

/**
 * The invitation with this secret, if it can be accepted: its creator is still an owner and not disabled, and the token
 * that it was created with, if any, was not revoked.
 */
export function findOpenInvitation(
  db: Db,
  tokenHash: string,
  now: number,
): Promise<InvitationRow | undefined> {
  return invitations(db)
    .leftJoin('api_tokens', 'api_tokens.id', 'invitations.token_id')
    .where('invitations.token_hash', '=', tokenHash)
    .where(isOpen(now))
    .where(({ or, eb }) =>
      // The installation's owner has an owner's rights in every project.
      or([
        eb('users.role', '=', 'owner'),
        eb('users.id', 'in', usersIn(db, sql.ref('invitations.project_id'), 'owner')),
      ]),
    )
    .where('users.disabled_at', 'is', null)
    .where('api_tokens.revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Whether someone with this address could accept an invitation. */
export async function hasOpenInvitation(db: Db, email: string, now: number): Promise<boolean> {
  const rows = await db
    .selectFrom('invitations')
    .select('token_hash')
    .where('email', '=', email)
    .where(isOpen(now))
    .execute();
  for (const { token_hash } of rows) if (await findOpenInvitation(db, token_hash, now)) return true;
  return false;
}

function isOpen(now: number) {
  return ({ and, eb }: ExpressionBuilder<Database, 'invitations'>) =>
    and([
      eb('invitations.accepted_at', 'is', null),
      eb('invitations.revoked_at', 'is', null),
      eb('invitations.expires_at', '>', now),
    ]);
}

export async function insertInvitation(trx: Trx, invitation: NewRow<'invitations'>): Promise<void> {
  await trx.insertInto('invitations').values(invitation).execute();
}

/** Marks it as accepted. Whether it was still open: of two that accept at the same time, one succeeds. */
export async function markAccepted(trx: Trx, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('invitations')
    .set({ accepted_at: now })
    .where('id', '=', id)
    .where(isOpen(now))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** One invitation of a project, those of its former owners, those of a user, or those created with a token. */
export type InvitationsOf =
  | { readonly projectId: string; readonly id: string }
  | { readonly projectId: string; readonly of: 'former owners' }
  | { readonly invitedBy: string }
  | { readonly tokenId: string };

/** Revokes invitations. Returns those that were open. */
export function revokeInvitations(
  trx: Trx,
  of: InvitationsOf,
  now: number,
): Promise<{ project_id: string; email: string }[]> {
  const query = trx.updateTable('invitations').set({ revoked_at: now }).where(isOpen(now));
  return chosen(trx, query, of).returning(['project_id', 'email']).execute();
}

/** Every kind has its condition: without one, all invitations of the installation would be meant. */
function chosen(
  trx: Trx,
  query: UpdateQueryBuilder<Database, 'invitations', 'invitations', UpdateResult>,
  of: InvitationsOf,
) {
  if ('tokenId' in of) return query.where('token_id', '=', of.tokenId);
  if ('invitedBy' in of) return query.where('invited_by', '=', of.invitedBy);
  const ofProject = query.where('project_id', '=', of.projectId);
  if ('id' in of) return ofProject.where('id', '=', of.id);
  return ofProject
    .where('invited_by', 'not in', usersIn(trx, of.projectId, 'owner'))
    .where(
      'invited_by',
      'not in',
      trx.selectFrom('users').select('id').where('role', '=', 'owner'),
    );
}
