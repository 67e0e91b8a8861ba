import type { Caller } from '../accounts/caller.ts';
import { notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { endRights } from '../projects/end-rights.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { checkPeopleFitPlan, refuseTokenForOwners, requireOwner } from '../projects/members.ts';
import { writeAudit } from '../store/audit.ts';
import { listGroups, lockGroups, rolesOfGroupsIn, setGroupRole } from '../store/groups.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { Role } from '../store/schema/projects.ts';
import type { ProjectGroup } from './group.ts';

/** The groups with a role in a project, in the order of their names. */
export async function readProjectGroups(
  { db }: Pick<Deps, 'db'>,
  project: ProjectRow,
): Promise<ProjectGroup[]> {
  const roles = await rolesOfGroupsIn(db, project.id);
  if (roles.size === 0) return [];
  return present(await listGroups(db, {}), roles).filter(({ role }) => role !== null);
}

/**
 * The groups that the caller may choose for a project of theirs, the first `limit`. Where anybody may sign up, those that
 * they are in: strangers neither read a company's groups nor put projects into their lists.
 */
export function listGroupsToChoose(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { user }: Caller,
  limit?: number,
) {
  const isAll = config.signUp !== 'open' || user.role === 'owner';
  return listGroups(db, { of: isAll ? undefined : user.id, ...(limit && { limit }) });
}

/** The same with the roles that they have in the project. */
export async function readGroupsToChoose(
  deps: Pick<Deps, 'db' | 'config'>,
  project: ProjectRow,
  caller: Caller,
): Promise<ProjectGroup[]> {
  const groups = await listGroupsToChoose(deps, caller);
  return present(groups, await rolesOfGroupsIn(deps.db, project.id));
}

function present(
  groups: Awaited<ReturnType<typeof listGroups>>,
  roles: ReadonlyMap<string, Role>,
): ProjectGroup[] {
  return groups.map(({ id, name, source, members }) => ({
    ...{ id, name, source, members },
    role: roles.get(id) ?? null,
  }));
}

/**
 * Gives a group a role in a project, or another one, or takes it away (null). Throws ApiError where the caller may not,
 * where the plan has no room for the people of the group, and where the project would be left without an owner.
 */
export async function setRoleOfGroup(
  deps: Pick<Deps, 'db' | 'now' | 'config'>,
  project: ProjectRow,
  groupId: string,
  role: Role | null,
  caller: Caller,
): Promise<ProjectGroup | undefined> {
  const { db, now } = deps;
  await db.transaction().execute(async (trx) => {
    const at = now();
    const [group] = await lockGroups(trx, [groupId]);
    const current = await lockProjectFor(trx, caller, project.id, 'member.write');
    const before = (await rolesOfGroupsIn(trx, project.id)).get(groupId) ?? null;
    if (!group || (role === null && before === null)) throw notFound('group');
    if (before === null) {
      const choices = await readGroupsToChoose({ ...deps, db: trx }, current, caller);
      if (!choices.some(({ id }) => id === groupId)) throw notFound('group');
    }
    for (const each of [role, before]) if (each !== null) refuseTokenForOwners(caller, each);
    if (role === before) return;
    await setGroupRole(trx, { group_id: groupId, project_id: project.id, role, created_at: at });
    if (before === null) await checkPeopleFitPlan(trx, current);
    if (before === 'owner') await requireOwner(trx, project.id);
    await endRights(trx, project.id, at, caller.actor);
    await writeAudit(trx, at, caller.actor, {
      action: 'group.role',
      projectId: project.id,
      target: group.name,
      details: { from: before ?? 'none', to: role ?? 'none' },
    });
  });
  return (await readProjectGroups(deps, project)).find(({ id }) => id === groupId);
}
