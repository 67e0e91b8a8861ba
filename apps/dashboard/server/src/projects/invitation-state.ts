import type { Actor } from '../audit/actor.ts';
import { writeAudit } from '../store/audit.ts';
import { type InvitationRow, type InvitationsOf, revokeInvitations } from '../store/invitations.ts';
import type { Trx } from '../store/schema.ts';
import type { Invitation } from './project.ts';

type Marks = Pick<InvitationRow, 'accepted_at' | 'revoked_at' | 'expires_at'>;

export function invitationState(
  { accepted_at, revoked_at, expires_at }: Marks,
  now: number,
): Invitation['state'] {
  if (accepted_at !== null) return 'accepted';
  if (revoked_at !== null) return 'revoked';
  return expires_at <= now ? 'expired' : 'open';
}

/**
 * Revokes the open invitations of a user, or of a token, whose right to invite ends in the same transaction. Returns
 * how many there were.
 */
export async function revokeInvitationsOf(
  trx: Trx,
  of: InvitationsOf,
  at: number,
  actor: Actor,
  because = 'tokenId' in of ? 'token revoked' : 'inviter is no longer an owner',
): Promise<number> {
  const ended = await revokeInvitations(trx, of, at);
  for (const { project_id, email } of ended) {
    await writeAudit(trx, at, actor, {
      action: 'invitation.revoke',
      projectId: project_id,
      target: email,
      details: { because },
    });
  }
  return ended.length;
}
