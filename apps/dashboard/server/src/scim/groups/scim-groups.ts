import { ApiError } from '@petstore/http/errors.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Deps } from '../../deps.ts';
import { changeGroups } from '../../groups/change-groups.ts';
import { auditMembers, createGroup, deleteGroup, renameGroup } from '../../groups/groups.ts';
import { writeAudit } from '../../store/audit.ts';
import {
  addGroupMembers,
  findGroup,
  type GroupRow,
  removeGroupMembers,
  updateGroup,
} from '../../store/groups.ts';
import type { Trx } from '../../store/schema.ts';
import { findUsersByIds, listScimMembers } from '../../store/scim.ts';
import type { Resource } from '../resource.ts';
import { badRequest, noResource, notUnique } from '../scim-error.ts';
import type { Change } from '../users/users.ts';
import { checkVersion } from '../versions.ts';
import { groupAttributes, groupVersion } from './group-resource.ts';

type GroupDeps = Pick<Deps, 'db' | 'now'>;

/** The group with this id. Throws ScimError where there is none. */
export async function readScimGroup({ db }: Pick<Deps, 'db'>, id: string): Promise<GroupRow> {
  const group = await findGroup(db, id);
  if (!group) throw noResource('group', id);
  return group;
}

/** Makes a group that the directory changes from here on. Throws ScimError or ApiError. */
export async function createScimGroup(
  { db, now }: GroupDeps,
  resource: Resource,
  actor: Actor,
): Promise<string> {
  return db.transaction().execute(async (trx) => {
    const group = await asUniqueness(
      createGroup(
        trx,
        {
          name: `${resource.displayName}`,
          source: 'scim',
          externalId: textOrNull(resource.externalId),
        },
        now(),
        actor,
      ),
    );
    await setMembers(trx, group, memberIds(resource), now(), actor);
    return group.id;
  });
}

/**
 * Changes a group as its directory says: `change` makes the new attributes of those that it has, members among them. The
 * first change of a group that was made by hand links it to the directory; its roles stay. Who is no longer a member has
 * no role by it from then on. Changes of one group come one after the other.
 */
export async function changeScimGroup(
  { db, now }: GroupDeps,
  id: string,
  change: (before: Resource) => Resource,
  { actor, ifMatch }: Change,
): Promise<void> {
  await db.transaction().execute((trx) =>
    changeGroups(trx, [id], { at: now(), actor, ownerless: 'hand over' }, async ([group]) => {
      if (!group) throw noResource('group', id);
      checkVersion(ifMatch, groupVersion(group));
      const before = await listScimMembers(trx, [id]);
      const members = before.map(({ user_id, name }) => ({
        ...{ value: user_id, display: name, type: 'User' },
      }));
      const resource = change({ ...groupAttributes(group), members });
      const at = Math.max(now(), group.updated_at + 1);
      if (group.source === 'local') await link(trx, group, at, actor);
      await asUniqueness(renameGroup(trx, group, `${resource.displayName}`, at, actor));
      const externalId = textOrNull(resource.externalId);
      if (externalId !== group.external_id) {
        await updateGroup(trx, id, { external_id: externalId, updated_at: at });
      }
      await setMembers(trx, group, memberIds(resource), at, actor, before);
    }),
  );
}

/** Deletes a group with its roles. Throws ScimError. */
export async function deleteScimGroup(
  { db, now }: GroupDeps,
  id: string,
  { actor, ifMatch }: Change,
): Promise<void> {
  await db.transaction().execute((trx) =>
    changeGroups(trx, [id], { at: now(), actor, ownerless: 'hand over' }, async ([group]) => {
      if (!group) throw noResource('group', id);
      checkVersion(ifMatch, groupVersion(group));
      await deleteGroup(trx, group, now(), actor);
    }),
  );
}

async function link(trx: Trx, { id, name }: GroupRow, at: number, actor: Actor): Promise<void> {
  await updateGroup(trx, id, { source: 'scim', updated_at: at });
  await writeAudit(trx, at, actor, { action: 'group.link', target: name });
}

/** Makes these users the members by the directory, and tells who came and who left. */
async function setMembers(
  trx: Trx,
  group: GroupRow,
  ids: ReadonlySet<string>,
  at: number,
  actor: Actor,
  before: Awaited<ReturnType<typeof listScimMembers>> = [],
): Promise<void> {
  const present = new Set(before.map(({ user_id }) => user_id));
  const added = [...ids].filter((id) => !present.has(id));
  const gone = before.filter(({ user_id }) => !ids.has(user_id));
  if (added.length === 0 && gone.length === 0) return;
  const users = await findUsersByIds(trx, added);
  const unknown = added.filter((id) => !users.has(id));
  if (unknown.length > 0) {
    throw badRequest(
      'invalidValue',
      `members must be ids of users here; there ${unknown.length === 1 ? 'is' : 'are'} no ${unknown.slice(0, 5).join(', ')}. Groups in groups are not supported.`,
    );
  }
  await addGroupMembers(trx, group.id, added, 'scim', at);
  await removeGroupMembers(
    trx,
    group.id,
    gone.map(({ user_id }) => user_id),
    'scim',
  );
  await auditMembers(
    trx,
    group,
    {
      added: added.map((id) => users.get(id)?.email ?? id),
      removed: gone.map(({ email }) => email),
      source: 'scim',
    },
    at,
    actor,
  );
}

function memberIds({ members }: Resource): Set<string> {
  const list = Array.isArray(members) ? (members as Resource[]) : [];
  return new Set(
    list.map(({ value }) => {
      if (typeof value !== 'string' || value === '') {
        throw badRequest('invalidValue', 'Each of members must have the id of a user as value.');
      }
      return value;
    }),
  );
}

/** A conflict of names in the words of SCIM. */
async function asUniqueness<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') throw notUnique(error.message);
    throw error;
  }
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);
