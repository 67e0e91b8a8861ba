import type { InvitationRow } from '../store/invitations.ts';
import type { Invitation } from './project.ts';

type Marks = Pick<InvitationRow, 'accepted_at' | 'revoked_at' | 'expires_at'>;

export function stateOf(
  { accepted_at, revoked_at, expires_at }: Marks,
  now: number,
): Invitation['state'] {
  if (accepted_at !== null) return 'accepted';
  if (revoked_at !== null) return 'revoked';
  return expires_at <= now ? 'expired' : 'open';
}
