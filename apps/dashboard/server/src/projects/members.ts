import type { Caller } from '../accounts/caller.ts';
import { checkConfirmed } from '../accounts/factors/confirmation.ts';
import { conflict, forbidden, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import { listInvitations } from '../store/invitations.ts';
import { deleteMember, findMember, type MemberRow, setMember } from '../store/members.ts';
import { lockProject, type ProjectRow } from '../store/projects.ts';
import { countPeople, hasOwner } from '../store/role-grants.ts';
import type { Role } from '../store/schema/projects.ts';
import type { Trx } from '../store/schema.ts';
import { endRights } from './end-rights.ts';
import { invitationState } from './invitation-state.ts';
import { lockProjectFor } from './lock-project.ts';
import { PLANS } from './project.ts';

type MemberDeps = Pick<Deps, 'db' | 'now'>;

/**
 * Gives a member another role and returns the changed member. The last owner keeps theirs. When an owner stops being
 * one, their open invitations are revoked. Throws ApiError `confirmation_required` where an owner is made or unmade by
 * whoever has not proved lately who they are.
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
    const { own, ...member } = await memberToChange(trx, project, userId);
    refuseTokenForOwners(caller, own);
    if (own === role) return member;
    // As removing an owner, and making one by a group, asks.
    if (own === 'owner' || role === 'owner') checkConfirmed(caller, now());
    await setMember(trx, { project_id: project.id, user_id: userId, role, created_at: now() });
    if (own === 'owner') await requireOwner(trx, project.id);
    await writeAudit(trx, now(), actor, {
      action: 'member.role',
      projectId: project.id,
      target: member.email,
      details: { from: own, to: role },
    });
    await endRights(trx, project.id, now(), actor);
    return (await findMember(trx, project.id, userId)) ?? member;
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
    const { own, ...member } = await memberToChange(trx, project, userId);
    refuseTokenForOwners(caller, own);
    await deleteMember(trx, project.id, userId);
    if (own === 'owner') await requireOwner(trx, project.id);
    await writeAudit(trx, now(), actor, {
      action: userId === user.id ? 'member.leave' : 'member.remove',
      projectId: project.id,
      target: member.email,
      details: { role: own },
    });
    await endRights(trx, project.id, now(), actor);
  });
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
  const people = await countPeople(trx, project.id);
  const invitations = await listInvitations(trx, project.id);
  const open = invitations.filter((invitation) => invitationState(invitation, now) === 'open');
  checkMemberLimit(project, people + open.length);
}

/** Refuses a member beyond the plan of a locked project. */
export async function checkMemberFitsPlan(trx: Trx, project: ProjectRow): Promise<void> {
  checkMemberLimit(project, await countPeople(trx, project.id));
}

/** Refuses a group that has brought more people into a locked project than its plan has room for. */
export async function checkPeopleFitPlan(trx: Trx, project: ProjectRow): Promise<void> {
  checkMemberLimit(project, (await countPeople(trx, project.id)) - 1);
}

function checkMemberLimit({ plan }: ProjectRow, taken: number): void {
  const { members: limit } = PLANS[plan];
  if (limit !== null && taken >= limit) {
    throw conflict(
      `The ${plan} plan allows ${limit} members, open invitations included. Remove one, or have the owner of the installation switch the project to a larger plan.`,
    );
  }
}

/** A member of a locked project, and the role of their own membership. Throws ApiError for one who has none. */
async function memberToChange(
  trx: Trx,
  project: ProjectRow,
  userId: string,
): Promise<MemberRow & { own: Role }> {
  const member = await findMember(trx, project.id, userId);
  if (!member) throw notFound('member');
  const { own_role: own, through, email } = member;
  if (own !== null) return { ...member, own };
  const groups = through.map(({ name }) => name).join(', ');
  throw conflict(
    `${email} has a role here through ${groups} alone. Change the role of the group, or who is in it.`,
  );
}

/** Throws ApiError where a change has left a locked project without anybody who can act as its owner. */
export async function requireOwner(trx: Trx, projectId: string): Promise<void> {
  if (await hasOwner(trx, projectId)) return;
  throw conflict(
    'A project needs an owner who can sign in. Make another member an owner first, or ask the owner of the installation, who has the rights of one.',
  );
}
