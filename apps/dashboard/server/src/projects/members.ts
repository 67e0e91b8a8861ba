import type { Transaction } from 'kysely';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { absent, conflict } from '../http/api-error.ts';
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
 * Refuses one more member or invitation than the project's plan allows. Holds the members until the
 * transaction ends, so that two who come at the same time are not both the last. `except`: an
 * invitation that does not count, being accepted.
 */
export async function checkRoom(
  trx: Transaction<Database>,
  projectId: string,
  now: number,
  except?: string,
): Promise<void> {
  const project = await holdProject(trx, projectId);
  if (!project) throw absent('project');
  const { members: limit } = PLANS[project.plan];
  if (limit === null) return;
  const members = await listMembers(trx, projectId);
  const open = (await listInvitations(trx, projectId)).filter(
    (invitation) => invitation.id !== except && stateOf(invitation, now) === 'open',
  );
  if (members.length + open.length >= limit) {
    throw conflict(
      `The ${project.plan} plan allows ${limit} members, open invitations included. Remove one, or ask the installation's owner for a larger plan.`,
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
