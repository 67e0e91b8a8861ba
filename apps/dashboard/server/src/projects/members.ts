import type { Transaction } from 'kysely';
import { absent, conflict } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import { listInvitations } from '../store/invitations.ts';
import {
  deleteMember,
  findMember,
  listMembers,
  type MemberRow,
  setMember,
} from '../store/members.ts';
import { holdProject, type ProjectRow } from '../store/projects.ts';
import type { Database, Role } from '../store/schema.ts';
import { stateOf } from './invitation-state.ts';
import { PLANS } from './plans.ts';

type MemberDeps = Pick<Deps, 'db' | 'now'>;

/** Gives a member another role; the member as they are then. The last owner keeps theirs. */
export async function changeRole(
  { db, now }: MemberDeps,
  project: ProjectRow,
  userId: string,
  role: Role,
  actor: Actor,
): Promise<MemberRow> {
  return db.transaction().execute(async (trx) => {
    const member = await memberToChange(trx, project, userId, role === 'owner');
    if (member.role === role) return member;
    await setMember(trx, { ...keysOf(member), role, created_at: member.created_at });
    await writeAudit(trx, now(), actor, {
      action: 'member.role',
      projectId: project.id,
      target: member.email,
      details: { from: member.role, to: role },
    });
    return { ...member, role };
  });
}

/** Takes a member out of a project, or lets them leave. The last owner stays. */
export async function removeMember(
  { db, now }: MemberDeps,
  project: ProjectRow,
  userId: string,
  actor: Actor,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const member = await memberToChange(trx, project, userId, false);
    await deleteMember(trx, project.id, userId);
    await writeAudit(trx, now(), actor, {
      action: userId === actor.userId ? 'member.leave' : 'member.remove',
      projectId: project.id,
      target: member.email,
      details: { role: member.role },
    });
  });
}

/**
 * Refuses one more invitation than the plan of a project that is held allows, so that whoever is invited
 * finds room.
 */
export async function checkRoomForInvitation(
  trx: Transaction<Database>,
  project: ProjectRow,
  now: number,
): Promise<void> {
  const members = await listMembers(trx, project.id);
  const invitations = await listInvitations(trx, project.id);
  const open = invitations.filter((invitation) => stateOf(invitation, now) === 'open');
  checkRoom(project, members.length + open.length);
}

/** Refuses one more member than the plan of a project that is held allows. */
export async function checkRoomForMember(
  trx: Transaction<Database>,
  project: ProjectRow,
): Promise<void> {
  checkRoom(project, (await listMembers(trx, project.id)).length);
}

function checkRoom({ plan }: ProjectRow, taken: number): void {
  const { members: limit } = PLANS[plan];
  if (limit !== null && taken >= limit) {
    throw conflict(
      `The ${plan} plan allows ${limit} members, open invitations included. Remove one, or have the owner of the installation switch the project to a larger plan.`,
    );
  }
}

async function memberToChange(
  trx: Transaction<Database>,
  project: ProjectRow,
  userId: string,
  staysOwner: boolean,
): Promise<MemberRow> {
  await holdProject(trx, project.id);
  const member = await findMember(trx, project.id, userId);
  if (!member) throw absent('member');
  if (member.role === 'owner' && !staysOwner) {
    const members = await listMembers(trx, project.id);
    if (!members.some(({ user_id, role }) => role === 'owner' && user_id !== userId)) {
      throw conflict('A project needs an owner. Make someone else one first.');
    }
  }
  return member;
}

function keysOf({ project_id, user_id }: MemberRow) {
  return { project_id, user_id };
}
