import { roleIn } from '../accounts/caller.ts';
import { isAllowed, PERMISSIONS } from '../accounts/permissions.ts';
import type { DeployRow } from '../store/deploys.ts';
import { findProjectForUser, type ProjectRow } from '../store/projects.ts';
import { findRepositoryById } from '../store/repositories.ts';
import type { Role } from '../store/schema/projects.ts';
import type { Trx } from '../store/schema.ts';
import { lockValidToken } from '../store/tokens.ts';
import { findUser } from '../store/users.ts';

/**
 * The role that the sender of a deploy has in a locked project, or why they may no longer deploy to it. It stays true
 * until the transaction ends, since roles change under the project's lock.
 */
export async function senderOf(
  trx: Trx,
  project: ProjectRow,
  { created_by, created_by_email: sender, token_id, repository_id }: DeployRow,
  at: number,
): Promise<{ lost: string; role?: undefined } | { lost?: undefined; role: Role }> {
  if (repository_id !== null) {
    const repository = await findRepositoryById(trx, repository_id);
    // It deploys as an editor would, and confirms nothing.
    if (repository?.project_id === project.id) return { role: 'editor' };
    return { lost: 'the repository that it was fetched from was disconnected' };
  }
  const user = created_by === null ? undefined : await findUser(trx, created_by);
  const found = user && (await findProjectForUser(trx, project.id, user.id));
  if (!found) return { lost: `${sender} has no account any more` };
  if (user.disabled_at !== null) return { lost: `the account of ${sender} is disabled` };
  const role = roleIn(found, user);
  if (role === null) return { lost: `${sender} is no member of the project any more` };
  if (!isAllowed(role, 'deploy.create')) {
    const allowed = PERMISSIONS['deploy.create'].roles.join(' or ');
    return { lost: `${sender} has the role ${role} in the project now, and this needs ${allowed}` };
  }
  const isValid = token_id === null || (await lockValidToken(trx, token_id, at));
  return isValid
    ? { role }
    : { lost: `the API token that ${sender} sent it with was revoked or has expired` };
}
