import type { Caller } from '../accounts/caller.ts';
import { isAllowed } from '../accounts/permissions.ts';
import { revokeTokensOf } from '../accounts/tokens.ts';
import { conflict, forbidden, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import { listInvitations } from '../store/invitations.ts';
import {
  deleteMember,
  findMember,
  hasOtherOwner,
  listMembers,
  type MemberRow,
  setMember,
} from '../store/members.ts';
import { lockProject, type ProjectRow } from '../store/projects.ts';
import { removeFromReservations } from '../store/reserved-labels.ts';
import type { Role, Trx } from '../store/schema.ts';
import { findUser } from '../store/users.ts';
import { invitationState, revokeInvitationsOf } from './invitation-state.ts';
import { lockProjectFor } from './lock-project.ts';
import { PLANS } from './project.ts';

type MemberDeps = Pick<Deps, 'db' | 'now'>;

/**
 * Gives a member another role and returns the changed member. The last owner keeps theirs. When an owner stops being
 * one, their open invitations are revoked.
 */
export async function changeRole(
  { db, now }: MemberDeps,
  project: ProjectRow,
  userId: string,
  role: Role,
  caller: Caller,
): Promise<MemberRow> {
  const { actor } = caller;
  refuseTokenForOwners(caller, role);
  return db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'member.write');
    const member = await memberToChange(trx, project, userId, role === 'owner');
    refuseTokenForOwners(caller, member.role);
    if (member.role === role) return member;
    const { project_id, user_id, created_at } = member;
    await setMember(trx, { project_id, user_id, role, created_at });
    await writeAudit(trx, now(), actor, {
      action: 'member.role',
      projectId: project.id,
      target: member.email,
      details: { from: member.role, to: role },
    });
    await endRights(trx, { ...member, role }, caller, now());
    return { ...member, role };
  });
}

/**
 * Removes a member from a project, or lets them leave, with their tokens for it and their open invitations. The last
 * owner stays.
 */
export async function removeMember(
  { db, now }: MemberDeps,
  project: ProjectRow,
  userId: string,
  caller: Caller,
): Promise<void> {
  const { user, actor } = caller;
  await db.transaction().execute(async (trx) => {
    // Every member may leave.
    if (userId === user.id) await lockProject(trx, project.id);
    else await lockProjectFor(trx, caller, project.id, 'member.write');
    const member = await memberToChange(trx, project, userId, false);
    refuseTokenForOwners(caller, member.role);
    await deleteMember(trx, project.id, userId);
    await writeAudit(trx, now(), actor, {
      action: userId === user.id ? 'member.leave' : 'member.remove',
      projectId: project.id,
      target: member.email,
      details: { role: member.role },
    });
    await endRights(trx, { ...member, role: null }, caller, now());
  });
}

/**
 * Revokes a member's tokens and invitations, as far as their new role (null: removed) does not allow them, and their
 * claim to slugs that the project released. Call it in the transaction that changes the role. The installation's owner
 * keeps an owner's rights.
 */
async function endRights(
  trx: Trx,
  member: Pick<MemberRow, 'project_id' | 'user_id'> & { role: Role | null },
  { actor }: Caller,
  at: number,
): Promise<void> {
  const { project_id: projectId, user_id: userId, role } = member;
  if (role !== 'owner') await removeFromReservations(trx, projectId, userId);
  const user = await findUser(trx, userId);
  if (user?.role === 'owner') return;
  if (role === null) await revokeTokensOf(trx, { userId, projectId }, at, actor);
  if (role === null || !isAllowed(role, 'member.write')) {
    await revokeInvitationsOf(trx, { projectId, invitedBy: userId }, at, actor);
  }
}

/** Refuses to let a token add, change or remove an owner, who can do more than any token. */
export function refuseTokenForOwners({ token }: Caller, role: Role): void {
  if (token && role === 'owner') {
    throw forbidden(
      'An API token cannot make, change or remove an owner; sign in to the dashboard.',
    );
  }
}

/** Refuses an invitation beyond the plan of a locked project, so that everyone who is invited can join. */
export async function checkInvitationFitsPlan(
  trx: Trx,
  project: ProjectRow,
  now: number,
): Promise<void> {
  const members = await listMembers(trx, project.id);
  const invitations = await listInvitations(trx, project.id);
  const open = invitations.filter((invitation) => invitationState(invitation, now) === 'open');
  checkMemberLimit(project, members.length + open.length);
}

/** Refuses a member beyond the plan of a locked project. */
export async function checkMemberFitsPlan(trx: Trx, project: ProjectRow): Promise<void> {
  checkMemberLimit(project, (await listMembers(trx, project.id)).length);
}

function checkMemberLimit({ plan }: ProjectRow, taken: number): void {
  const { members: limit } = PLANS[plan];
  if (limit !== null && taken >= limit) {
    throw conflict(
      `The ${plan} plan allows ${limit} members, open invitations included. Remove one, or have the owner of the installation switch the project to a larger plan.`,
    );
  }
}

/** A member of a locked project. */
async function memberToChange(
  trx: Trx,
  project: ProjectRow,
  userId: string,
  staysOwner: boolean,
): Promise<MemberRow> {
  const member = await findMember(trx, project.id, userId);
  if (!member) throw notFound('member');
  if (member.role === 'owner' && !staysOwner) {
    if (!(await hasOtherOwner(trx, project.id, userId))) {
      throw conflict(
        'A project needs an owner who can sign in. Make another member an owner first, or ask the owner of the installation, who has the rights of one.',
      );
    }
  }
  return member;
}
