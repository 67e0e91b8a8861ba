import { accessTo, type Caller, checkPermission } from '../accounts/caller.ts';
import type { Permission } from '../accounts/permissions.ts';
import { findProjectForUser, lockProject, type ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';

/**
 * Locks a project until the transaction ends, for a caller with a permission in it. Roles change under the same lock,
 * so the caller keeps the permission until then. Throws ApiError where the caller lacks it.
 */
export async function lockProjectFor(
  trx: Trx,
  caller: Caller,
  projectId: string,
  permission: Permission,
): Promise<ProjectRow> {
  await lockProject(trx, projectId);
  return lockedProjectFor(trx, caller, projectId, permission);
}

/** The same for a project that the transaction has locked. */
export async function lockedProjectFor(
  trx: Trx,
  caller: Caller,
  projectId: string,
  permission: Permission,
): Promise<ProjectRow> {
  const found = await findProjectForUser(trx, projectId, caller.user.id);
  const access = accessTo(caller, found);
  checkPermission(access, caller, permission);
  return access.project;
}

/** Whether the caller has one more permission in a project that the transaction has locked. */
export async function hasPermission(
  trx: Trx,
  caller: Caller,
  projectId: string,
  permission: Permission,
): Promise<boolean> {
  const found = await findProjectForUser(trx, projectId, caller.user.id);
  return accessTo(caller, found).can.includes(permission);
}
