import type { Log } from '@petstore/service/log.ts';
import type { Caller } from '../accounts/caller.ts';
import { conflict, notFound } from '../api-error.ts';
import { SYSTEM } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { PLANS } from '../projects/project.ts';
import { instant } from '../schema-types.ts';
import { writeAudit } from '../store/audit.ts';
import {
  type BranchPreviewRow,
  countBranchPreviews,
  deleteBranchPreview,
  findBranchPreview,
  insertBranchPreview,
  listBranchPreviews,
  listUnusedPreviews,
  updateBranchPreview,
} from '../store/branch-previews.ts';
import { type DeployRow, findDeploy, listBranchDeploys, pruneDeploys } from '../store/deploys.ts';
import { lockProject, type ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import { branchLabel } from './branch-name.ts';
import type { BranchPreview } from './branch-preview.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Opens the preview of a branch of a locked project, or notes that it is in use. Throws ApiError `conflict` where the
 * project has as many as its plan keeps.
 */
export async function openPreview(
  trx: Trx,
  { id, plan }: ProjectRow,
  branch: string,
  at: number,
): Promise<void> {
  if (await updateBranchPreview(trx, { project_id: id, branch }, { deployed_at: at })) return;
  const { keptDeploys: most } = PLANS[plan];
  if ((await countBranchPreviews(trx, id)) >= most) {
    throw conflict(
      `This project has previews of ${most} branches, as many as its plan keeps. Delete one that is no longer needed: dashboard previews delete.`,
    );
  }
  await insertBranchPreview(trx, {
    project_id: id,
    branch,
    label: branchLabel(id, branch),
    deploy_id: null,
    created_at: at,
    deployed_at: at,
  });
}

/**
 * Shows a deploy that has succeeded at the address of its branch, unless a newer one is there. The contents of the
 * branch's other deploys are deleted. Whether it is shown. The project must be locked.
 */
export async function showOnPreview(
  trx: Trx,
  preview: BranchPreviewRow,
  deploy: Pick<DeployRow, 'id' | 'number'>,
  at: number,
): Promise<boolean> {
  const { project_id, branch, deploy_id } = preview;
  const before = deploy_id === null ? undefined : await findDeploy(trx, project_id, deploy_id);
  const isShown = before === undefined || deploy.number > before.number;
  if (isShown) await updateBranchPreview(trx, preview, { deploy_id: deploy.id });
  const shown = isShown ? deploy.id : before.id;
  const others = await listBranchDeploys(trx, project_id, branch);
  await pruneDeploys(
    trx,
    project_id,
    others.filter((id) => id !== shown),
    at,
  );
  return isShown;
}

/** The previews of a project, the latest deployed first. */
export async function readPreviews(
  { addresses, config, db }: Pick<Deps, 'addresses' | 'config' | 'db'>,
  { id, slug }: ProjectRow,
): Promise<BranchPreview[]> {
  const rows = await listBranchPreviews(db, id);
  return rows.map(({ branch, label, deploy_id, number, created_at, deployed_at }) => ({
    branch,
    url: addresses().preview(slug, label),
    deploy: deploy_id === null || number === null ? null : { id: deploy_id, number },
    createdAt: instant(created_at),
    deployedAt: instant(deployed_at),
    endsAt: instant(deployed_at + config.previewDays * DAY_MS),
  }));
}

/** Deletes the preview of a branch with the contents of its deploys. Throws ApiError where there is none. */
export async function deletePreview(
  { db, now, siteChanged }: Pick<Deps, 'db' | 'now' | 'siteChanged'>,
  project: ProjectRow,
  branch: string,
  caller: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'deploy.create');
    const preview = await findBranchPreview(trx, project.id, branch);
    if (!preview) throw notFound('preview of a branch');
    await endPreview(trx, preview, now());
    await writeAudit(trx, now(), caller.actor, {
      action: 'preview.delete',
      projectId: project.id,
      target: branch,
      details: {},
    });
    await recordSiteChange(trx, project.id, now());
  });
  siteChanged(project.id);
}

/** Ends unused previews in the background. */
export function startPreviewEnder({ log, ...deps }: EnderDeps & { readonly log: Log }): JobRunner {
  return startJobRunner({
    // A few short transactions, done here: nothing is under way that would have to be leased.
    async take() {
      await endUnusedPreviews(deps);
      return undefined;
    },
    ...{ limit: 1, log, failureMessage: 'unused previews of branches could not be ended' },
  });
}

type EnderDeps = Pick<Deps, 'config' | 'db' | 'now' | 'siteChanged'>;

/** Ends the previews of branches that had no deploy for as many days as the operator says. */
async function endUnusedPreviews({ config, db, now, siteChanged }: EnderDeps): Promise<void> {
  const { previewDays } = config;
  const since = now() - previewDays * DAY_MS;
  for (const { project_id, branch } of await listUnusedPreviews(db, since)) {
    await db.transaction().execute(async (trx) => {
      await lockProject(trx, project_id);
      // Again under the lock: there may be a new deploy, or another process may have ended it.
      const preview = await findBranchPreview(trx, project_id, branch);
      if (!preview || preview.deployed_at >= since) return;
      await endPreview(trx, preview, now());
      await writeAudit(trx, now(), SYSTEM, {
        action: 'preview.end',
        projectId: project_id,
        target: branch,
        details: { days: previewDays },
      });
      await recordSiteChange(trx, project_id, now());
    });
    siteChanged(project_id);
  }
}

/**
 * Deletes a preview of a locked project with the contents of its deploys, whose rows and logs stay. The caller records
 * the change of the site.
 */
export async function endPreview(trx: Trx, preview: BranchPreviewRow, at: number): Promise<void> {
  const { project_id, branch } = preview;
  await deleteBranchPreview(trx, preview);
  await pruneDeploys(trx, project_id, await listBranchDeploys(trx, project_id, branch), at);
}
