import type { Actor } from '../audit/actor.ts';
import { writeAudit } from '../store/audit.ts';
import { setMember } from '../store/members.ts';
import { hasOwner } from '../store/role-grants.ts';
import type { Trx } from '../store/schema.ts';
import { findInstallationOwner } from '../store/users.ts';

/**
 * Makes the installation's owner an owner of a locked project that nobody can act as the owner of any more. Call it where
 * a change that must not be refused, such as somebody's leaving the company, may have taken the last one away.
 */
export async function handOverWithoutOwner(
  trx: Trx,
  projectId: string,
  at: number,
  actor: Actor,
): Promise<void> {
  if (await hasOwner(trx, projectId)) return;
  const owner = await findInstallationOwner(trx);
  if (!owner) return;
  await setMember(trx, {
    ...{ project_id: projectId, user_id: owner.id },
    ...{ role: 'owner', created_at: at },
  });
  await writeAudit(trx, at, actor, {
    action: 'project.hand_over',
    projectId,
    target: owner.email,
    details: { because: 'nobody else could act as its owner' },
  });
}
