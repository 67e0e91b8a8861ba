import type { Actor } from '../audit/actor.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { Role } from '../store/schema.ts';
import type { UserRow } from '../store/users.ts';
import { isAllowed, type Permission } from './permissions.ts';

/** Who makes a request. */
export interface Caller {
  readonly user: UserRow;
  readonly actor: Actor;
  /** undefined for a caller with an API token. */
  readonly sessionId: string | undefined;
  /** The one project that a token is good for; null for every project of the user. */
  readonly onlyProject: string | null;
}

/**
 * The role of a caller in a project, given the one that their membership has; null when the project is
 * none of their business. The installation's owner has an owner's rights everywhere.
 */
export function roleOf(caller: Caller, project: ProjectRow, membership: Role | null): Role | null {
  if (caller.onlyProject !== null && caller.onlyProject !== project.id) return null;
  return caller.user.role === 'owner' ? 'owner' : membership;
}

/** A project, and what the caller is in it. */
export interface Access {
  readonly project: ProjectRow;
  readonly role: Role;
}

export function mayDo({ role }: Pick<Access, 'role'>, permission: Permission): boolean {
  return isAllowed(role, permission);
}
