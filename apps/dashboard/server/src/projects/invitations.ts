import { ApiError } from '@petstore/http/errors.ts';
import { invitationEmail } from '../accounts/account-emails.ts';
import { readEmail } from '../accounts/account-input.ts';
import type { Caller } from '../accounts/caller.ts';
import { lockActiveUser } from '../accounts/passwords.ts';
import { hashSecret, makeSecret, randomId } from '../accounts/secrets.ts';
import { conflict, forbidden, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { instant } from '../schema-types.ts';
import { writeAudit } from '../store/audit.ts';
import {
  findOpenInvitation,
  type InvitationRow,
  insertInvitation,
  listInvitations,
  markAccepted,
  revokeInvitations,
} from '../store/invitations.ts';
import { findMember, listMembers, setMember } from '../store/members.ts';
import { lockProject, type ProjectRow } from '../store/projects.ts';
import { incrementCounter } from '../store/rate-counters.ts';
import type { Role } from '../store/schema/projects.ts';
import type { Db } from '../store/schema.ts';
import { invitationState } from './invitation-state.ts';
import { lockProjectFor } from './lock-project.ts';
import { checkInvitationFitsPlan, checkMemberFitsPlan, refuseTokenForOwners } from './members.ts';
import type { CreatedInvitation, Invitation } from './project.ts';

/** How long an invitation can be accepted, in milliseconds. */
const LIFETIME_MS = 7 * 86_400_000;

type InvitationDeps = Pick<Deps, 'db' | 'now' | 'addresses' | 'accountMail'>;

/**
 * E-mails to people who are invited, in a day: nobody is written to by strangers without end. Whoever invites may make
 * any number of projects, and accounts where anybody may sign up.
 */
const MAILS_A_DAY = { project: 50, inviter: 50, address: 10 } as const;
const DAY_MS = 86_400_000;
const TOO_MANY = {
  project: 'The project has mailed too many invitations today.',
  inviter: 'You have mailed too many invitations today.',
  address: 'The address was mailed too many invitations today.',
} as const;

/**
 * Invites an address to a project; the link is mailed or, where the installation sends no mail or that fails, for
 * whoever invites to hand over. Says nothing about whether the address has an account. One that was open for the same address is replaced. It ends when whoever created
 * it loses the right to invite, and with the token that it was created with.
 */
export async function invite(
  deps: InvitationDeps,
  project: ProjectRow,
  input: { email: string; role: Role },
  caller: Caller,
): Promise<CreatedInvitation> {
  const { db, now, addresses } = deps;
  const { user, actor, token } = caller;
  refuseTokenForOwners(caller, input.role);
  const email = readEmail(input.email);
  const secret = makeSecret();
  const at = now();
  const row = {
    id: `inv_${randomId(16)}`,
    token_hash: hashSecret(secret),
    project_id: project.id,
    email,
    role: input.role,
    invited_by: user.id,
    token_id: token?.id ?? null,
    created_at: at,
    expires_at: Math.min(at + LIFETIME_MS, token?.expiresAt ?? Number.POSITIVE_INFINITY),
    accepted_at: null,
    revoked_at: null,
  };
  await db.transaction().execute(async (trx) => {
    // Of two invitations of one address at the same time the second replaces the first.
    const current = await lockProjectFor(trx, caller, project.id, 'member.write');
    const members = await listMembers(trx, project.id);
    // Every member can see who is a member, so this reveals nothing new.
    if (members.some((member) => member.email === email && member.own_role !== null))
      throw conflict(`${email} is a member already.`);
    for (const { id, ...open } of await listInvitations(trx, project.id)) {
      const isReplaced = open.email === email && invitationState(open, at) === 'open';
      if (isReplaced) await revokeInvitations(trx, { projectId: project.id, id }, at);
    }
    await checkInvitationFitsPlan(trx, current, at);
    await insertInvitation(trx, row);
    await writeAudit(trx, at, actor, {
      action: 'invitation.create',
      projectId: project.id,
      target: email,
      details: { role: input.role },
    });
  });
  const presented = presentInvitation({ ...row, inviter: user.email }, at);
  const link = `${addresses().dashboard}/invitations/${secret}`;
  const mailError = await mailInvitation(deps, { ...row, inviter: user.email, project }, link);
  const mailed = mailError === null;
  return { ...presented, link: mailed ? null : link, mailed, mailError: mailError ?? null };
}

/** Why an invitation was not mailed: undefined where there is no mail; null where it was. */
async function mailInvitation(
  { db, now, accountMail, addresses }: InvitationDeps,
  {
    email,
    role,
    inviter,
    project,
    expires_at: expiresAt,
    invited_by: invitedBy,
  }: Pick<InvitationRow, 'email' | 'role' | 'inviter' | 'invited_by' | 'expires_at'> & {
    project: ProjectRow;
  },
  link: string,
): Promise<string | null | undefined> {
  if (!accountMail) return undefined;
  const keys = {
    project: `invite:${project.id}`,
    inviter: `invite-by:${invitedBy}`,
    address: `invite-to:${email}`,
  };
  for (const kind of ['project', 'inviter', 'address'] as const) {
    const { count } = await incrementCounter(db, keys[kind], now(), DAY_MS);
    if (count > MAILS_A_DAY[kind]) return TOO_MANY[kind];
  }
  const about = { email, role, project: project.name, inviter: inviter ?? '', link, expiresAt };
  return (await accountMail.send(invitationEmail(about, addresses()))) ?? null;
}

export function presentInvitation(
  row: Omit<InvitationRow, 'slug' | 'project_name'>,
  now: number,
): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: row.inviter ?? 'someone who has left',
    createdAt: instant(row.created_at),
    expiresAt: instant(row.expires_at),
    state: invitationState(row, now),
  };
}

/** Revokes an invitation. Throws ApiError where it is not open. */
export async function revokeInvitation(
  { db, now }: InvitationDeps,
  project: ProjectRow,
  id: string,
  caller: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'member.write');
    const [revoked] = await revokeInvitations(trx, { projectId: project.id, id }, now());
    if (!revoked) throw notFound('open invitation');
    await writeAudit(trx, now(), caller.actor, {
      action: 'invitation.revoke',
      projectId: project.id,
      target: revoked.email,
    });
  });
}

/** The open invitation with this secret. Throws ApiError where there is none. */
export async function invitationBySecret(
  { db, now }: { db: Db; now: () => number },
  secret: string,
): Promise<InvitationRow> {
  const invitation = await findOpenInvitation(db, hashSecret(secret), now());
  if (!invitation) throw invitationIsGone();
  return invitation;
}

const invitationIsGone = () =>
  new ApiError(
    'not_found',
    'This invitation was used, was revoked, or has expired. Ask for a new one.',
  );

/** Makes the caller a member of the project that an invitation to their address is for; whoever is one keeps their role. */
export async function acceptInvitation(
  deps: InvitationDeps,
  secret: string,
  { user, actor }: Caller,
): Promise<{ project: ProjectRow; role: Role }> {
  const { db, now } = deps;
  const invitation = await invitationBySecret(deps, secret);
  if (invitation.email !== user.email) {
    throw forbidden(
      `This invitation is for ${invitation.email}; you are signed in as ${user.email}.`,
    );
  }
  return db.transaction().execute(async (trx) => {
    await lockActiveUser(trx, user.id);
    const project = await lockProject(trx, invitation.project_id);
    // Again under the lock: the inviter may have been removed meanwhile, or the invitation accepted.
    const { id } = await invitationBySecret({ db: trx, now }, secret);
    const isOpen = project && (await markAccepted(trx, id, now()));
    if (!isOpen) throw invitationIsGone();
    const before = await findMember(trx, project.id, user.id);
    // Who has a role through a group is counted already.
    if (!before) await checkMemberFitsPlan(trx, project);
    // The project may have been handed over to them since they were invited: they stay its owner.
    const role = before?.own_role ?? invitation.role;
    await setMember(trx, { project_id: project.id, user_id: user.id, role, created_at: now() });
    await writeAudit(trx, now(), actor, {
      action: 'invitation.accept',
      projectId: project.id,
      target: user.email,
      details: { role },
    });
    const member = await findMember(trx, project.id, user.id);
    return { project, role: member?.role ?? role };
  });
}
