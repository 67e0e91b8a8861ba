import type { Actor } from '../audit/actor.ts';
import { endRights } from '../projects/end-rights.ts';
import { handOverWithoutOwner } from '../projects/hand-over.ts';
import { requireOwner } from '../projects/members.ts';
import { type GroupRow, listProjectIdsOfGroups, lockGroups } from '../store/groups.ts';
import { lockProjects } from '../store/projects.ts';
import { hasOwner } from '../store/role-grants.ts';
import type { Trx } from '../store/schema.ts';

/**
 * Changes who is in groups, or deletes them, with all that follows in the projects where they have a role. Groups are
 * locked before projects, and roles change under the projects' locks (projects/lock-project.ts).
 *
 * `ownerless`: what happens where a project would be left without anybody who can act as its owner. Changes by hand are
 * refused (ApiError). A directory's or a provider's word counts: who has left is out, and the project is handed over to
 * the installation's owner.
 */
export async function changeGroups<T>(
  trx: Trx,
  groupIds: readonly string[],
  { at, actor, ownerless }: { at: number; actor: Actor; ownerless: 'refuse' | 'hand over' },
  change: (groups: GroupRow[]) => Promise<T>,
): Promise<T> {
  const groups = await lockGroups(trx, groupIds);
  const projectIds = await listProjectIdsOfGroups(trx, groupIds);
  await lockProjects(trx, projectIds);
  const owned = new Set<string>();
  for (const id of projectIds) if (await hasOwner(trx, id)) owned.add(id);
  const result = await change(groups);
  for (const projectId of projectIds.sort()) {
    if (ownerless === 'hand over') await handOverWithoutOwner(trx, projectId, at, actor);
    else if (owned.has(projectId)) await requireOwner(trx, projectId);
    await endRights(trx, projectId, at, actor);
  }
  return result;
}
