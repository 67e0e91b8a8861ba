import { ApiError } from '@petstore/http/errors.ts';
import { forbidden, notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { ProjectOfUser, ProjectRow } from '../store/projects.ts';
import type { Role } from '../store/schema/projects.ts';
import type { UserRow } from '../store/users.ts';
import { isAllowed, PERMISSIONS, type Permission, type Scope } from './permissions.ts';

/** The sender of a request: a user, with a session or with an API token. */
export interface Caller {
  readonly user: UserRow;
  readonly actor: Actor;
  /** undefined for a caller with an API token. */
  readonly sessionId: string | undefined;
  /** When the user of a session last proved who they are; undefined for a caller with an API token. */
  readonly confirmedAt: number | undefined;
  /** undefined for a caller with a session. */
  readonly token: CallerToken | undefined;
}

interface CallerToken {
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** The one project that it is valid for; null: every project of the user. */
  readonly projectId: string | null;
  readonly expiresAt: number | null;
}

/** A project, and the caller's role and rights in it. */
export interface Access {
  readonly project: ProjectRow;
  readonly role: Role;
  readonly can: readonly Permission[];
}

/** A user's role in a project. The installation's owner has an owner's rights everywhere. null: not a member. */
export function roleIn({ role }: ProjectOfUser, user: UserRow): Role | null {
  return user.role === 'owner' ? 'owner' : role;
}

/**
 * The caller's role in a project, given the role of their membership. Throws ApiError without access, the same as for a
 * project that does not exist (undefined).
 */
export function accessTo(
  caller: Pick<Caller, 'user' | 'token'>,
  found: ProjectOfUser | undefined,
): Access {
  if (!found) throw notFound('project');
  const { user, token } = caller;
  const { project } = found;
  const role = roleIn(found, user);
  const isOfOther = token && token.projectId !== null && token.projectId !== project.id;
  if (isOfOther || role === null) throw notFound('project');
  const can = (Object.keys(PERMISSIONS) as Permission[]).filter(
    (permission) => isAllowed(role, permission) && hasScope(caller, PERMISSIONS[permission].scope),
  );
  return { project, role, can };
}

/** Throws ApiError, with the reason, where a caller with this access lacks the permission. */
export function checkPermission(
  { role }: Pick<Access, 'role'>,
  caller: Pick<Caller, 'token'>,
  permission: Permission,
): void {
  if (!isAllowed(role, permission)) {
    const allowed = PERMISSIONS[permission].roles.join(' or ');
    throw forbidden(`Your role in this project is ${role}; this needs ${allowed}.`);
  }
  checkScope(caller, PERMISSIONS[permission].scope);
}

/** Throws ApiError for a token without the scope; with `scope` null for every token. */
export function checkScope(caller: Pick<Caller, 'token'>, scope: Scope | null): void {
  if (hasScope(caller, scope)) return;
  if (scope === null) throw forbidden('An API token cannot do this; sign in to the dashboard.');
  throw new ApiError(
    'forbidden',
    `This API token lacks the scope ${scope}. Create a token with it, or sign in to the dashboard.`,
    // RFC 6750, section 3.1.
    { headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` } },
  );
}

function hasScope({ token }: Pick<Caller, 'token'>, scope: Scope | null): boolean {
  return token === undefined || (scope !== null && token.scopes.includes(scope));
}
