import { roleIn } from '../accounts/caller.ts';
import { isAllowed, PERMISSIONS } from '../accounts/permissions.ts';
import { SYSTEM } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { PLANS } from '../projects/project.ts';
import { putArtifact } from '../store/artifacts.ts';
import { writeAudit } from '../store/audit.ts';
import {
  appendLog,
  type DeployRow,
  findLiveDeploy,
  finishDeploy,
  listPrunable,
  pruneDeploys,
  setLiveDeploy,
} from '../store/deploys.ts';
import {
  findProjectById,
  findProjectForUser,
  lockProject,
  type ProjectRow,
} from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import { lockValidToken } from '../store/tokens.ts';
import { findUser } from '../store/users.ts';
import type { DeployProblem } from './artifact.ts';
import type { PackedArtifact } from './build/artifact/pack.ts';

type FinishDeps = Pick<Deps, 'db' | 'now' | 'siteChanged'>;

/** Marks a deploy as failed, unless another worker has it by now. The live deploy stays live. */
export async function finishFailed(
  { db, now }: FinishDeps,
  worker: string,
  deploy: DeployRow,
  problems: readonly DeployProblem[],
): Promise<void> {
  const at = now();
  const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  await db
    .transaction()
    .execute((trx) => fail(trx, at, worker, deploy, problems, `Failed with ${count}.`));
}

async function fail(
  trx: Trx,
  at: number,
  worker: string,
  deploy: DeployRow,
  problems: readonly DeployProblem[],
  line: string,
): Promise<void> {
  const isMine = await finishDeploy(trx, deploy.id, worker, {
    state: 'failed',
    artifact_hash: null,
    errors: JSON.stringify(problems),
    finished_at: at,
  });
  if (!isMine) return;
  const project = await findProjectById(trx, deploy.project_id);
  const rest = project?.live_deploy_id ? ' What is live stays as it was.' : '';
  await appendLog(trx, { deploy_id: deploy.id, at, level: 'error', message: line + rest });
  await writeAudit(trx, at, SYSTEM, {
    action: 'deploy.fail',
    projectId: deploy.project_id,
    target: `#${deploy.number}`,
    details: { id: deploy.id, problems: problems.length },
  });
}

/**
 * Marks a deploy as succeeded and puts it live, in one transaction; or as failed, where its sender lost the right to
 * deploy meanwhile. The blobs of its artifact must be stored. Prunes the deploys that the project's plan does not keep.
 */
export async function finishSucceeded(
  { db, now, siteChanged }: FinishDeps,
  worker: string,
  deploy: DeployRow,
  artifact: PackedArtifact,
): Promise<void> {
  const at = now();
  await db.transaction().execute(async (trx) => {
    const project = await lockProject(trx, deploy.project_id);
    if (!project) return;
    const lost = await findLostRight(trx, project, deploy, at);
    if (lost !== undefined) {
      const message = `The right to deploy ended before the build did: ${lost}. Have someone with that right deploy it again, or use a valid token.`;
      const problem = { message, path: '', line: null };
      return fail(trx, at, worker, deploy, [problem], `Failed. ${message}`);
    }
    await putArtifact(trx, artifact, at);
    const isMine = await finishDeploy(trx, deploy.id, worker, {
      state: 'succeeded',
      artifact_hash: artifact.hash,
      errors: '[]',
      finished_at: at,
    });
    if (!isMine) return;
    const goesLive = deploy.activate === 1 && (await isNewerThanLive(trx, project, deploy));
    if (goesLive) await setLiveDeploy(trx, project.id, deploy.id, at);
    await recordSiteChange(trx, project.id, at);
    await appendLog(trx, {
      deploy_id: deploy.id,
      at,
      level: 'info',
      message: endOf(deploy, goesLive),
    });
    await writeAudit(trx, at, SYSTEM, {
      action: 'deploy.succeed',
      projectId: project.id,
      target: `#${deploy.number}`,
      details: { id: deploy.id, live: goesLive },
    });
    const pruned = await listPrunable(trx, project.id, PLANS[project.plan].keptDeploys);
    await pruneDeploys(trx, pruned, at);
  });
  siteChanged(deploy.project_id);
}

/**
 * Why the sender of a deploy may no longer deploy to a locked project; undefined while they may. It stays true until
 * the transaction ends, since roles change under the project's lock.
 */
async function findLostRight(
  trx: Trx,
  project: ProjectRow,
  { created_by, created_by_email: sender, token_id }: DeployRow,
  at: number,
): Promise<string | undefined> {
  const user = created_by === null ? undefined : await findUser(trx, created_by);
  const found = user && (await findProjectForUser(trx, project.id, user.id));
  if (!found) return `${sender} has no account any more`;
  const role = roleIn(found, user);
  if (role === null) return `${sender} is no member of the project any more`;
  if (!isAllowed(role, 'deploy.create')) {
    const allowed = PERMISSIONS['deploy.create'].roles.join(' or ');
    return `${sender} has the role ${role} in the project now, and this needs ${allowed}`;
  }
  const isValid = token_id === null || (await lockValidToken(trx, token_id, at));
  return isValid
    ? undefined
    : `the API token that ${sender} sent it with was revoked or has expired`;
}

/** An old deploy that took long does not replace a newer one. */
async function isNewerThanLive(trx: Trx, project: ProjectRow, deploy: DeployRow): Promise<boolean> {
  const live = await findLiveDeploy(trx, project);
  return !live || deploy.number > live.number;
}

function endOf(deploy: DeployRow, isLive: boolean): string {
  if (isLive) return 'Succeeded, and live.';
  return deploy.activate === 1
    ? 'Succeeded. A newer deploy is live, so this one is not.'
    : 'Succeeded. It is not live, because it was uploaded with activate=false.';
}
