import type { Actor } from '../audit/actor.ts';
import {
  addGroupMembers,
  findGroupsByKeys,
  listGroupIdsOf,
  removeGroupMembers,
} from '../store/groups.ts';
import type { MemberSource } from '../store/schema/groups.ts';
import type { Trx } from '../store/schema.ts';
import { findUser } from '../store/users.ts';
import { changeGroups } from './change-groups.ts';
import { groupNameKey, sameName } from './group-name.ts';
import { auditMembers } from './groups.ts';

/**
 * Makes a user, by a source such as `oidc:PROVIDER`, a member of the groups with these names and of no others; what other
 * sources say stays. Names are compared without case; one that merely looks the
 * same is another one, which anybody may be able to make at the source. Those that no group has are left out: a provider's token names
 * every group of the company, and a group matters here once somebody has made it. Nothing is locked or written where
 * nothing changes, so it may be called at each sign-in. Where the user was the last owner of a project, it is handed over
 * to the installation's owner.
 *
 * Call it with no lock but that of the user: groups are locked before projects.
 */
export async function setGroupsOfUser(
  trx: Trx,
  userId: string,
  names: readonly string[],
  source: Exclude<MemberSource, 'local'>,
  at: number,
  actor: Actor,
): Promise<void> {
  const before = new Set(await listGroupIdsOf(trx, userId, source));
  const named = new Set(names.map(sameName));
  const groups = (await findGroupsByKeys(trx, names.map(groupNameKey))).filter(({ name }) =>
    named.has(sameName(name)),
  );
  const after = new Set(groups.map(({ id }) => id));
  const changed = [...before.symmetricDifference(after)];
  if (changed.length === 0) return;
  const user = await findUser(trx, userId);
  await changeGroups(trx, changed, { at, actor, ownerless: 'hand over' }, async (locked) => {
    for (const group of locked) {
      const isIn = after.has(group.id);
      if (isIn) await addGroupMembers(trx, group.id, [userId], source, at);
      else await removeGroupMembers(trx, group.id, [userId], source);
      const told = { [isIn ? 'added' : 'removed']: [user?.email ?? userId], source };
      await auditMembers(trx, group, told, at, actor);
    }
  });
}
