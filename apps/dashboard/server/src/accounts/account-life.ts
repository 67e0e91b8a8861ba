import { conflict, notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { revokeInvitationsOf } from '../projects/invitation-state.ts';
import { deleteAccountLinks } from '../store/account-links.ts';
import { writeAudit } from '../store/audit.ts';
import { ConcurrentChangeError, isUniqueViolation } from '../store/errors.ts';
import { listGroupIdsOf, lockGroups } from '../store/groups.ts';
import { listMemberships } from '../store/members.ts';
import { lockProjects } from '../store/projects.ts';
import { hasOwner } from '../store/role-grants.ts';
import type { Trx } from '../store/schema.ts';
import { deleteSessions } from '../store/sessions.ts';
import { listUsedTokens, type UsedToken } from '../store/tokens.ts';
import {
  deleteUser,
  findInstallationOwner,
  lockUser,
  lockUsers,
  setDisabled,
  setUserEmail,
  setUserRole,
  type UserRow,
} from '../store/users.ts';
import { addressChangedEmail } from './account-emails.ts';
import { readEmail } from './account-input.ts';
import { type HandedOver, type HandOver, handOver } from './hand-over.ts';
import { lockAsOwner } from './lock-as-owner.ts';
import { revokeTokensOf } from './tokens.ts';

const DAY_MS = 86_400_000;

/** Tokens that were used within this time are named when they end: a program may miss them. */
export const TOKENS_USED_WITHIN_MS = 30 * DAY_MS;

type LifeDeps = Pick<Deps, 'db' | 'now'>;
/** With `accountMail`, an old address is told of the new one. */
type EmailDeps = LifeDeps & Partial<Pick<Deps, 'accountMail' | 'addresses'>>;

/** What ended with an account, and what became of its projects. */
export interface EndedAccess {
  readonly sessions: number;
  /** The tokens that were used within TOKENS_USED_WITHIN_MS. */
  readonly tokens: readonly UsedToken[];
}

/** A project that has an owner, but none who can sign in. */
type OwnerlessProject = Awaited<ReturnType<typeof listMemberships>>[number];

type DisabledAccess = EndedAccess & { readonly ownerless: readonly OwnerlessProject[] };

/**
 * Disables an account: its sessions end, and its API tokens are refused until it is enabled again, in every process at
 * once. Its memberships stay, but nobody has a right by them. Its open invitations end. Returns what ended, and the
 * projects in which no other owner can sign in: there the installation's owner has an owner's rights. Throws ApiError
 * for the installation's owner, and for an account that is gone. A disabled account stays as it is.
 */
export function disableAccount(
  { db, now }: LifeDeps,
  { id }: Pick<UserRow, 'id'>,
  actor: Actor,
): Promise<DisabledAccess> {
  return db
    .transaction()
    .execute(async (trx) => disableLocked(trx, await lockAccount(trx, id), now(), actor));
}

/** As disableAccount, in a transaction that has locked the user, and no group or project yet. */
export async function disableLocked(
  trx: Trx,
  locked: UserRow,
  at: number,
  actor: Actor,
): Promise<DisabledAccess> {
  const { id, email, disabled_at } = mayEnd(locked, 'disabled');
  // Locked: whoever leaves one of them at this moment is not its last owner.
  const memberships = await lockMemberships(trx, id);
  const ownerless = await withoutOtherOwner(trx, id, memberships);
  if (disabled_at !== null) return { sessions: 0, tokens: [], ownerless };
  const tokens = await listUsedTokens(trx, id, at - TOKENS_USED_WITHIN_MS, at);
  await setDisabled(trx, id, at);
  await deleteAccountLinks(trx, id);
  await revokeInvitationsOf(trx, { invitedBy: id }, at, actor, 'inviter disabled');
  const sessions = await deleteSessions(trx, id);
  await writeAudit(trx, at, actor, {
    action: 'account.disable',
    target: email,
    details: { sessions, tokens: tokens.map(({ name }) => name) },
  });
  return { sessions, tokens, ownerless };
}

/**
 * Enables a disabled account: its owner can sign in, and its API tokens are accepted again. Throws ApiError for one that
 * is gone.
 */
export async function enableAccount(
  { db, now }: LifeDeps,
  { id }: Pick<UserRow, 'id'>,
  actor: Actor,
): Promise<void> {
  await db
    .transaction()
    .execute(async (trx) => enableLocked(trx, await lockAccount(trx, id), now(), actor));
}

/** As enableAccount, in a transaction that has locked the user. */
export async function enableLocked(
  trx: Trx,
  { id, email, disabled_at }: UserRow,
  at: number,
  actor: Actor,
): Promise<void> {
  if (disabled_at === null) return;
  await setDisabled(trx, id, null);
  await writeAudit(trx, at, actor, { action: 'account.enable', target: email });
}

/**
 * Removes an account with its sessions, API tokens, memberships and open invitations, in every process at once. Each
 * project in which no other owner can sign in gets one of those whom `handOverTo` names. What the account did stays in
 * audit logs and deploys under its e-mail address. Throws ApiError for the installation's owner, for an account that is
 * gone, and where a project would be left without an owner.
 */
export async function removeAccount(
  { db, now }: LifeDeps,
  { id }: Pick<UserRow, 'id'>,
  { handOverTo }: { readonly handOverTo: HandOver },
  actor: Actor,
): Promise<EndedAccess & { readonly handedOver: readonly HandedOver[] }> {
  const heirs = typeof handOverTo === 'string' ? [handOverTo] : [...handOverTo.values()];
  return db.transaction().execute(async (trx) => {
    const locked = await lockUsers(trx, [id, ...heirs]);
    const user = mayEnd(
      locked.find((row) => row.id === id),
      'removed',
    );
    const at = now();
    const memberships = await lockMemberships(trx, id);
    const tokens = await listUsedTokens(trx, id, at - TOKENS_USED_WITHIN_MS, at);
    const handedOver = await handOver(trx, at, {
      user,
      projects: await withoutOtherOwner(trx, id, memberships),
      handOverTo,
      locked,
      actor,
    });
    for (const { project_id, role } of memberships) {
      await writeAudit(trx, at, actor, {
        action: 'member.remove',
        projectId: project_id,
        target: user.email,
        details: { role, because: 'account removed' },
      });
    }
    await revokeInvitationsOf(trx, { invitedBy: id }, at, actor, 'inviter removed');
    await revokeTokensOf(trx, { userId: id }, at, actor);
    const sessions = await deleteSessions(trx, id);
    await deleteUser(trx, id);
    await writeAudit(trx, at, actor, {
      action: 'account.remove',
      target: user.email,
      details: { name: user.name, sessions, tokens: tokens.map(({ name }) => name) },
    });
    return { sessions, tokens, handedOver };
  });
}

/**
 * Gives an account another e-mail address, and tells the old one. Links to change the address or the password end.
 * `first` comes first in the transaction, with the account locked. Returns the changed user. Throws ApiError for an
 * invalid address, one that has an account, and for an account that is gone.
 */
export async function setEmail(
  deps: EmailDeps,
  { id }: Pick<UserRow, 'id'>,
  email: string,
  actor: Actor,
  { first }: { readonly first?: (trx: Trx, locked: UserRow) => Promise<void> } = {},
): Promise<UserRow> {
  const { db, now } = deps;
  const next = readEmail(email);
  try {
    const before = await db.transaction().execute(async (trx) => {
      const user = await lockAccount(trx, id);
      await first?.(trx, user);
      await setEmailLocked(trx, user, next, now(), actor);
      return user;
    });
    tellOldAddress(deps, before, next);
    return { ...before, email: next, is_provisional: 0 };
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict(`${next} has an account already.`);
    throw error;
  }
}

/**
 * As setEmail, in a transaction that has locked the user; the caller tells the old address. `email` in its stored
 * spelling. Rejects with a unique violation where it has an account.
 */
export async function setEmailLocked(
  trx: Trx,
  before: UserRow,
  email: string,
  at: number,
  actor: Actor,
): Promise<void> {
  if (before.email === email) return;
  await setUserEmail(trx, before.id, email);
  await deleteAccountLinks(trx, before.id);
  await writeAudit(trx, at, actor, {
    action: 'account.email',
    target: email,
    details: { from: before.email },
  });
}

/** Mails the old address that the account has another one. Call it after the commit: a mail is not rolled back. */
export function tellOldAddress(
  { accountMail, addresses }: Pick<EmailDeps, 'accountMail' | 'addresses'>,
  before: UserRow,
  email: string,
): void {
  if (before.email === email || before.is_provisional !== 0 || !addresses) return;
  const change = { from: before.email, to: email };
  accountMail?.sendLater(async () => [addressChangedEmail(change, addresses())]);
}

/**
 * Makes another account the owner of the installation; there is one at a time. The former one keeps the projects that it
 * is a member of. Throws ApiError where the account is gone or disabled, and where the author is not the owner any more.
 */
export async function handInstallationTo(
  { db, now }: LifeDeps,
  { id }: Pick<UserRow, 'id'>,
  actor: Actor,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const before = await findInstallationOwner(trx);
    const locked = await lockAsOwner(trx, actor, before ? [before.id, id] : [id]);
    const user = locked.find((row) => row.id === id);
    if (!user) throw notFound('account');
    if (user.disabled_at !== null) throw conflict(`${user.email} is disabled. Enable it first.`);
    // Another one became the owner meanwhile: the transaction begins again.
    if (before && locked.find((row) => row.id === before.id)?.role !== 'owner') {
      throw new ConcurrentChangeError();
    }
    if (user.role === 'owner') return;
    if (before) await setUserRole(trx, before.id, 'user');
    await setUserRole(trx, id, 'owner');
    await writeAudit(trx, now(), actor, {
      action: 'installation.hand_over',
      target: user.email,
      details: { from: before?.email ?? null },
    });
  });
}

async function lockAccount(trx: Trx, id: string): Promise<UserRow> {
  const user = await lockUser(trx, id);
  if (!user) throw notFound('account');
  return user;
}

function mayEnd(user: UserRow | undefined, participle: string): UserRow {
  if (!user) throw notFound('account');
  if (user.role === 'owner') {
    throw conflict(
      `${user.email} owns the installation and cannot be ${participle}. Hand the installation to another account first.`,
    );
  }
  return user;
}

/** Locks the groups and the projects of a locked user. */
async function lockMemberships(trx: Trx, userId: string) {
  await lockGroups(trx, await listGroupIdsOf(trx, userId));
  const seen = await listMemberships(trx, userId);
  await lockProjects(
    trx,
    seen.map(({ project_id }) => project_id),
  );
  // Again under the locks: a role may have changed meanwhile, and a project may be gone.
  return listMemberships(trx, userId);
}

/** Of the memberships of a user, those as the only owner who can sign in. */
async function withoutOtherOwner(
  trx: Trx,
  userId: string,
  memberships: readonly OwnerlessProject[],
): Promise<OwnerlessProject[]> {
  const found: OwnerlessProject[] = [];
  for (const membership of memberships) {
    if (membership.role !== 'owner') continue;
    if (!(await hasOwner(trx, membership.project_id, userId))) found.push(membership);
  }
  return found;
}
