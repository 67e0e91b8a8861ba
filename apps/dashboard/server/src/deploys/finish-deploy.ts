import { count } from '@petstore/service/text.ts';
import { type BuildProblem, type Finding, problemOf } from '@petstore/site/build-log.ts';
import { isAllowed } from '../accounts/permissions.ts';
import { SYSTEM } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { PLANS } from '../projects/project.ts';
import { notifyFull, notifyNearLimit } from '../quotas/notify-near-limit.ts';
import { type Full, fullInWords, lockPayers, whyNoRoomForSite } from '../quotas/room-for-bytes.ts';
import { putArtifact } from '../store/artifacts.ts';
import { writeAudit } from '../store/audit.ts';
import { findBranchPreview } from '../store/branch-previews.ts';
import { putDeployChanges } from '../store/deploy-changes.ts';
import {
  appendLog,
  type DeployRow,
  findLiveDeploy,
  finishDeploy,
  listPrunable,
  markActivated,
  pruneDeploys,
  setLiveDeploy,
} from '../store/deploys.ts';
import { holdContents } from '../store/project-contents.ts';
import { findProjectById, lockProject, type ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import { lockUser } from '../store/users.ts';
import { showOnPreview } from './branch-previews.ts';
import type { Compared } from './changes/compare-with-shown.ts';
import { comparisonOf, heldInWords, whyHeld } from './changes/hold-back.ts';
import { queueFailedNotice, queueLiveNotice, queueSucceededNotice } from './deploy-notice.ts';
import { settleExceptions } from './exceptions/apply-exceptions.ts';
import { readExceptions } from './exceptions/change-exceptions.ts';
import { senderOf } from './sender-of.ts';
import { whileFinishing } from './served-deploys.ts';
import {
  isNewerThanShown,
  showAsVersion,
  shownBy,
  versionOf,
  whyNoRoom,
} from './versions/site-versions.ts';

type FinishDeps = Pick<Deps, 'addresses' | 'db' | 'now' | 'siteChanged'>;

/** Marks a deploy as failed, unless another worker has it by now. The live deploy stays live. */
export async function finishFailed(
  deps: FinishDeps,
  worker: string,
  deploy: DeployRow,
  result: Failure,
): Promise<void> {
  const at = deps.now();
  await deps.db.transaction().execute(async (trx) => {
    if (await lockProject(trx, deploy.project_id))
      await failDeploy(trx, at, deps, worker, deploy, result);
  });
}

/**
 * The same for a deploy whose site has no room. Whose quota is full is told in the same transaction: who sees the
 * deploy as failed finds that too, and no crash comes between.
 */
export async function finishFull(
  deps: FinishDeps,
  worker: string,
  deploy: DeployRow,
  findings: readonly Finding[],
  full: Full,
): Promise<void> {
  const at = deps.now();
  await deps.db.transaction().execute(async (trx) => {
    // Accounts are locked before projects.
    if (full.accountId !== undefined) await lockUser(trx, full.accountId);
    if (!(await lockProject(trx, deploy.project_id))) return;
    const message = await fullInWords(trx, deploy.project_id, full);
    const failure = { problems: [problemOf(message)], findings };
    const isMine = await failDeploy(trx, at, deps, worker, deploy, failure);
    if (isMine) await notifyFull(trx, at, deploy.project_id, full, message);
  });
}

interface Failure {
  readonly problems: readonly BuildProblem[];
  readonly findings: readonly Finding[];
}

/** The project must be locked. false: another worker has the deploy by now, and nothing was done. */
async function failDeploy(
  trx: Trx,
  at: number,
  deps: FinishDeps,
  worker: string,
  deploy: DeployRow,
  { problems, findings }: Failure,
  line = `Failed with ${count(problems.length, 'problem')}.`,
): Promise<boolean> {
  const isMine = await finishDeploy(trx, deploy.id, worker, {
    state: 'failed',
    artifact_hash: null,
    errors: JSON.stringify(problems),
    findings: JSON.stringify(findings),
    finished_at: at,
  });
  if (!isMine) return false;
  const project = await findProjectById(trx, deploy.project_id);
  const rest = project?.live_deploy_id ? ' What is live stays as it was.' : '';
  await appendLog(trx, deploy.id, at, 'error', line + rest);
  await writeAudit(trx, at, SYSTEM, {
    action: 'deploy.fail',
    projectId: deploy.project_id,
    target: `#${deploy.number}`,
    details: { id: deploy.id, problems: problems.length },
  });
  await queueFailedNotice(trx, at, deps, deploy);
  return true;
}

interface Success {
  readonly artifact: Parameters<typeof putArtifact>[1];
  readonly findings: readonly Finding[];
  /** null where nothing was shown to compare it with. */
  readonly compared: Compared | null;
}

interface FinishOptions {
  readonly mayReturn: boolean;
}

/** A site has no room in its project, or with an owner. The transaction is undone. */
export class NoRoomError extends Error {
  override name = 'NoRoomError';
  readonly full: Full;

  constructor(full: Full) {
    super(full.holds);
    this.full = full;
  }
}

/**
 * Marks a deploy as succeeded and puts it live or on its branch's preview, in one transaction; or as failed, where its sender lost the right to
 * deploy meanwhile. The blobs of its artifact must be stored. Prunes the deploys that the project's plan does not keep.
 * false: another deploy went live since it was compared, and whether it breaks clients decides where it goes; with
 * `mayReturn` nothing was done then. Rejects with NoRoomError where a quota has no room for it.
 */
export function finishSucceeded(
  deps: FinishDeps,
  worker: string,
  deploy: DeployRow,
  success: Success,
  options: FinishOptions,
): Promise<boolean> {
  return whileFinishing(deploy.id, async () => {
    const isFinished = await storeSucceeded(deps, worker, deploy, success, options);
    if (isFinished) deps.siteChanged(deploy.project_id);
    return isFinished;
  });
}

function storeSucceeded(
  deps: FinishDeps,
  worker: string,
  deploy: DeployRow,
  { artifact, findings, compared }: Success,
  { mayReturn }: FinishOptions,
): Promise<boolean> {
  const at = deps.now();
  return deps.db.transaction().execute(async (trx) => {
    const payers = await lockPayers(trx, deploy.project_id);
    const project = await lockProject(trx, deploy.project_id);
    if (!project) return true;
    const fail = async (message: string) => {
      const failure = { problems: [problemOf(message)], findings };
      await failDeploy(trx, at, deps, worker, deploy, failure, `Failed. ${message}`);
      return true;
    };
    const { lost, role } = await senderOf(trx, project, deploy, at);
    if (lost !== undefined)
      return fail(
        `The right to deploy ended before the build did: ${lost}. Have someone with that right deploy it again, or use a valid token.`,
      );
    const preview =
      deploy.branch === null ? null : await findBranchPreview(trx, project.id, deploy.branch);
    if (preview === undefined)
      return fail(
        `The preview of the branch ${deploy.branch} was deleted before the build ended. Deploy it again to open another one.`,
      );
    const version = await versionOf(trx, deploy);
    if (deploy.version !== null && !version)
      return fail(
        `The version ${deploy.version} was retired before the build ended. Deploy it again to take it up.`,
      );
    const crowded = version && deploy.activate === 1 ? await whyNoRoom(trx, version) : undefined;
    if (crowded !== undefined) return fail(crowded);
    const isNewest = version
      ? await isNewerThanShown(trx, version, deploy)
      : await isNewerThanLive(trx, project, deploy);
    const mayGoLive = deploy.activate === 1 && isNewest;
    const shown = version ? shownBy(version) : (project.live_deploy_id ?? undefined);
    const exceptions = await readExceptions(trx, project.id, at);
    const stored = compared && JSON.stringify(compared.comparison);
    const comparison = comparisonOf({ comparison: stored }, exceptions);
    const isConfirmed = deploy.allow_breaking !== null && isAllowed(role, 'deploy.confirm');
    const reason = mayGoLive ? whyHeld(project, comparison, deploy, shown) : undefined;
    const held = isConfirmed ? undefined : reason;
    const isOutdated = shown !== null && comparison?.against.id !== shown;
    if (held !== undefined && isOutdated && mayReturn) return false;
    await putArtifact(trx, artifact, at);
    const isMine = await finishDeploy(trx, deploy.id, worker, {
      state: 'succeeded',
      artifact_hash: artifact.hash,
      errors: '[]',
      findings: JSON.stringify(findings),
      comparison: stored,
      held: held ?? null,
      finished_at: at,
    });
    if (!isMine) return true;
    await holdContents(trx, { id: deploy.id, projectId: project.id }, artifact.hash);
    if (compared) {
      const { changes, leftOut: left_out } = compared.stored;
      await putDeployChanges(trx, { deploy_id: deploy.id, changes, left_out });
    }
    const goesLive = mayGoLive && held === undefined;
    if (goesLive && version) {
      await showAsVersion(trx, project, version, deploy.id);
      await markActivated(trx, deploy.id, at);
    } else if (goesLive) await setLiveDeploy(trx, project.id, deploy.id, at);
    if (goesLive) await settleExceptions(trx, { id: deploy.id, comparison: stored }, exceptions);
    const isShown = preview !== null && (await showOnPreview(trx, preview, deploy, at));
    const end =
      held === undefined
        ? endOf(deploy, project, goesLive || isShown)
        : `Succeeded, and held back. ${heldInWords(held, comparison)} An owner of the project puts it live. What is live stays as it was.`;
    await appendLog(trx, deploy.id, at, 'info', end);
    await writeAudit(trx, at, SYSTEM, {
      action: 'deploy.succeed',
      projectId: project.id,
      target: `#${deploy.number}`,
      details: {
        ...{ id: deploy.id, live: goesLive },
        ...(comparison?.changes && { breaking: comparison.changes.breaking }),
        ...(held !== undefined && { held }),
        ...(reason !== undefined && isConfirmed && { allowBreaking: deploy.allow_breaking }),
      },
    });
    await queueSucceededNotice(trx, at, deps, deploy);
    if (goesLive) await queueLiveNotice(trx, at, deps, deploy, shown ?? null);
    const pruned = await listPrunable(trx, project.id, PLANS[project.plan].keptDeploys);
    await pruneDeploys(trx, project.id, pruned, at);
    const after = await findProjectById(trx, project.id);
    const full = after && (await whyNoRoomForSite(trx, project, after, payers));
    if (full !== undefined) throw new NoRoomError(full);
    if (after) await notifyNearLimit(trx, at, project, after, payers);
    await recordSiteChange(trx, project.id, at);
    return true;
  });
}

/** An old deploy that took long does not replace a newer one. */
async function isNewerThanLive(trx: Trx, project: ProjectRow, deploy: DeployRow): Promise<boolean> {
  const live = await findLiveDeploy(trx, project);
  return !live || deploy.number > live.number;
}

/** `isShown`: live, or at the address of its branch or version. */
function endOf(deploy: DeployRow, { default_version }: ProjectRow, isShown: boolean): string {
  if (deploy.branch !== null) {
    return isShown
      ? `Succeeded, and shown at the address of the branch ${deploy.branch}.`
      : `Succeeded. A newer deploy of the branch ${deploy.branch} is shown, so this one is not, and its files are removed.`;
  }
  if (isShown && deploy.version !== null)
    return `Succeeded, and live as the version ${deploy.version}.`;
  if (isShown && default_version !== null)
    return `Succeeded. Readers do not see it: the site's address leads to the default version ${default_version}. Deploy it with a version, or make it the default: dashboard versions default --unversioned.`;
  if (isShown) return 'Succeeded, and live.';
  return deploy.activate === 1
    ? 'Succeeded. A newer deploy is live, so this one is not.'
    : 'Succeeded. It is not live, because it was uploaded with activate=false.';
}
