import { readEmail } from '../accounts/account-input.ts';
import type { Caller } from '../accounts/caller.ts';
import { randomId } from '../accounts/secrets.ts';
import { conflict, forbidden, notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import { writeAudit } from '../store/audit.ts';
import { isUniqueViolation } from '../store/errors.ts';
import {
  addGroupMembers,
  deleteGroup as deleteRow,
  findListedGroup,
  type GroupRow,
  insertGroup,
  type ListedGroup,
  listGroupMembers,
  listGroupRoles,
  removeGroupMembers,
  updateGroup,
} from '../store/groups.ts';
import type { Db, Trx } from '../store/schema.ts';
import { findUserByEmail } from '../store/users.ts';
import { changeGroups } from './change-groups.ts';
import type { Group, GroupMember } from './group.ts';
import { groupNameKey, readGroupName } from './group-name.ts';

type GroupDeps = Pick<Deps, 'db' | 'now'>;

/** Groups as the installation's owner sees them. */
export async function presentGroups(db: Db, rows: readonly ListedGroup[]): Promise<Group[]> {
  const roles = await listGroupRoles(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, name, source, members, created_at }) => ({
    ...{ id, name, source, members, createdAt: instant(created_at) },
    roles: roles
      .filter(({ group_id }) => group_id === id)
      .map(({ slug, name: project, role }) => ({ project: slug, name: project, role })),
  }));
}

/** The group with this id. Throws ApiError where there is none. */
export async function readGroup(db: Db, id: string): Promise<Group> {
  const row = await findListedGroup(db, id);
  const [group] = row ? await presentGroups(db, [row]) : [];
  if (!group) throw notFound('group');
  return group;
}

/** The people of a group, one of each for all sources. */
export function presentGroupMembers(
  rows: Awaited<ReturnType<typeof listGroupMembers>>,
): GroupMember[] {
  return [...Map.groupBy(rows, ({ user_id }) => user_id)].map(([userId, theirs]) => {
    const [{ email, name, disabled_at }] = theirs as [(typeof theirs)[0]];
    const sources = theirs.map(({ source }) => source);
    return { userId, email, name, disabledAt: instantOrNull(disabled_at), sources };
  });
}

/**
 * Makes a group. `source`: who changes it from here on. Throws ApiError `conflict` where another group has the name,
 * upper and lower case being the same.
 */
export async function createGroup(
  trx: Trx,
  input: { name: string; source: GroupRow['source']; externalId?: string | null },
  at: number,
  actor: Actor,
): Promise<GroupRow> {
  const name = readGroupName(input.name);
  const group: GroupRow = {
    id: `grp_${randomId(16)}`,
    ...{ name, name_key: groupNameKey(name), source: input.source },
    external_id: input.externalId ?? null,
    ...{ created_at: at, updated_at: at },
  };
  await refusingTaken(name, () => insertGroup(trx, group));
  await writeAudit(trx, at, actor, {
    action: 'group.create',
    target: name,
    details: { source: input.source },
  });
  return group;
}

/** Gives a locked group another name. Throws ApiError `conflict` where another group has it. */
export async function renameGroup(
  trx: Trx,
  group: GroupRow,
  input: string,
  at: number,
  actor: Actor,
): Promise<void> {
  const name = readGroupName(input);
  if (name === group.name) return;
  const change = { name, name_key: groupNameKey(name), updated_at: at };
  await refusingTaken(name, () => updateGroup(trx, group.id, change));
  await writeAudit(trx, at, actor, {
    action: 'group.update',
    target: group.name,
    details: { from: group.name, to: name },
  });
}

async function refusingTaken(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict(`There is a group called ${name} already.`);
    throw error;
  }
}

/** Deletes a locked group, in the work of `changeGroups`. */
export async function deleteGroup(
  trx: Trx,
  { id, name }: GroupRow,
  at: number,
  actor: Actor,
): Promise<void> {
  const roles = await listGroupRoles(trx, [id]);
  await deleteRow(trx, id);
  await writeAudit(trx, at, actor, {
    action: 'group.delete',
    target: name,
    details: { roles: roles.map(({ slug, role }) => `${role} in ${slug}`) },
  });
  for (const { project_id, role } of roles) {
    await writeAudit(trx, at, actor, {
      action: 'group.role',
      projectId: project_id,
      target: name,
      details: { from: role, to: 'none', because: 'group deleted' },
    });
  }
}

/**
 * Works on a group that people change by hand, as `changeGroups` has it. Throws ApiError for one of a directory, for one
 * that is gone, and for a token where the group owns a project: no token makes or removes owners.
 */
export function changeByHand<T>(
  { db, now }: GroupDeps,
  id: string,
  caller: Caller,
  change: (trx: Trx, group: GroupRow, at: number) => Promise<T>,
): Promise<T> {
  const { actor, token } = caller;
  return db.transaction().execute((trx) => {
    const at = now();
    return changeGroups(trx, [id], { at, actor, ownerless: 'refuse' }, async ([group]) => {
      if (!group) throw notFound('group');
      const roles = await listGroupRoles(trx, [id]);
      if (token && roles.some(({ role }) => role === 'owner')) {
        throw forbidden(
          'An API token cannot change a group that owns a project; sign in to the dashboard.',
        );
      }
      return change(trx, group, at);
    });
  });
}

/** Throws ApiError for a group that a directory changes. */
export function refuseDirectory({ name, source }: GroupRow): void {
  if (source === 'local') return;
  throw conflict(
    `${name} comes from your directory by SCIM. Change it there: what is changed here would not stay.`,
  );
}

/** Makes an account a member of a local group, by hand. Throws ApiError where no account has the address. */
export async function addMember(
  deps: GroupDeps,
  groupId: string,
  input: string,
  caller: Caller,
): Promise<GroupMember> {
  const email = readEmail(input);
  return changeByHand(deps, groupId, caller, async (trx, group, at) => {
    refuseDirectory(group);
    const user = await findUserByEmail(trx, email);
    if (!user) {
      throw notFound(`account: ${email} has not signed up here`);
    }
    const before = await listGroupMembers(trx, groupId, { userId: user.id });
    if (!before.some(({ source }) => source === 'local')) {
      await addGroupMembers(trx, groupId, [user.id], 'local', at);
      await auditMembers(trx, group, { added: [user.email], source: 'local' }, at, caller.actor);
    }
    const [member] = presentGroupMembers(await listGroupMembers(trx, groupId, { userId: user.id }));
    if (!member) throw new Error('the member was added');
    return member;
  });
}

/** Ends a membership by hand. Throws ApiError where there is none, and for one that a directory or a provider vouches for. */
export async function removeMember(
  deps: GroupDeps,
  groupId: string,
  userId: string,
  caller: Caller,
): Promise<void> {
  await changeByHand(deps, groupId, caller, async (trx, group, at) => {
    const [member] = presentGroupMembers(await listGroupMembers(trx, groupId, { userId }));
    if (!member) throw notFound('member');
    if (!member.sources.includes('local')) {
      throw conflict(
        `${member.email} is in ${group.name} by ${member.sources.join(' and ')}. Take them out of it there.`,
      );
    }
    await removeGroupMembers(trx, groupId, [userId], 'local');
    await auditMembers(trx, group, { removed: [member.email], source: 'local' }, at, caller.actor);
  });
}

/** At most so many addresses are in an entry of the audit log. */
const MOST_TOLD = 50;

/** Writes who came into a group or left it, and when it changed. */
export async function auditMembers(
  trx: Trx,
  { id, name, updated_at }: GroupRow,
  change: { added?: readonly string[]; removed?: readonly string[]; source: string },
  at: number,
  actor: Actor,
): Promise<void> {
  const shown = (emails: readonly string[] = []) =>
    emails.length > MOST_TOLD
      ? [...emails.slice(0, MOST_TOLD), `and ${emails.length - MOST_TOLD} more`]
      : emails;
  const { added = [], removed = [], source } = change;
  // Each change has an instant of its own: it is the version that directories know.
  await updateGroup(trx, id, { updated_at: Math.max(at, updated_at + 1) });
  await writeAudit(trx, at, actor, {
    action: 'group.members',
    target: name,
    details: {
      ...(added.length > 0 && { added: shown(added) }),
      ...(removed.length > 0 && { removed: shown(removed) }),
      source,
    },
  });
}
