import type { Transaction } from 'kysely';
import { accessOrNotFound, accessTo, type Caller, checkPermission } from '../accounts/caller.ts';
import type { Permission } from '../accounts/permissions.ts';
import { findProjectForUser, lockProject, type ProjectRow } from '../store/projects.ts';
import type { Database } from '../store/schema.ts';

/**
 * Holds a project as it is until the transaction ends, for a caller who may do something in it. Roles change under
 * the same lock, so a right that is there now has not ended before what is done by it. Throws ApiError where it has.
 */
export async function lockProjectFor(
  trx: Transaction<Database>,
  caller: Caller,
  projectId: string,
  permission: Permission,
): Promise<ProjectRow> {
  await lockProject(trx, projectId);
  const found = await findProjectForUser(trx, projectId, caller.user.id);
  const access = accessOrNotFound(found && accessTo(caller, found.project, found.role));
  checkPermission(access, caller, permission);
  return access.project;
}
