import { revokeTokensOf } from '../accounts/tokens.ts';
import type { Actor } from '../audit/actor.ts';
import { keepReservationsFor } from '../store/reserved-labels.ts';
import { listOwners } from '../store/role-grants.ts';
import type { Trx } from '../store/schema.ts';
import { listTokenOwnersWithoutRole } from '../store/tokens.ts';
import { revokeInvitationsOf } from './invitation-state.ts';

/**
 * Ends what people made in a locked project and may no longer have, after roles in it were taken away: the tokens for it
 * of those without a role, the open invitations of those who are no longer owners, and their claims to slugs that it
 * released. The installation's owner keeps an owner's rights. Call it in the transaction that changes the roles.
 */
export async function endRights(
  trx: Trx,
  projectId: string,
  at: number,
  actor: Actor,
): Promise<void> {
  const owners = await listOwners(trx, projectId);
  await keepReservationsFor(
    trx,
    projectId,
    owners.map(({ id }) => id),
  );
  for (const userId of await listTokenOwnersWithoutRole(trx, projectId)) {
    await revokeTokensOf(trx, { userId, projectId }, at, actor);
  }
  await revokeInvitationsOf(trx, { projectId, of: 'former owners' }, at, actor);
}
