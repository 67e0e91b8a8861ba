import type { Caller } from '../accounts/caller.ts';
import { conflict, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { writeAudit } from '../store/audit.ts';
import { findDeploy, pruneDeploys } from '../store/deploys.ts';
import { findProjectById, type ProjectRow } from '../store/projects.ts';
import { whatShows } from '../store/removable-deploys.ts';
import { recordSiteChange } from '../store/sites.ts';

/**
 * Removes the files of a deploy that nothing shows, to make room; its entry and its log stay. Its own preview is gone at
 * once. Throws ApiError where it has none, or something shows it.
 */
export async function removeDeployFiles(
  { db, now, siteChanged }: Pick<Deps, 'db' | 'now' | 'siteChanged'>,
  project: ProjectRow,
  id: string,
  caller: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const before = await lockProjectFor(trx, caller, project.id, 'deploy.create');
    const deploy = await findDeploy(trx, project.id, id);
    if (!deploy) throw notFound('deploy');
    const name = `Deploy #${deploy.number}`;
    if (deploy.state === 'queued' || deploy.state === 'building')
      throw conflict(`${name} is not built yet. Try again when it is.`);
    if (deploy.artifact_hash === null) throw conflict(`${name} has no files any more.`);
    const shows = await whatShows(trx, project.id, id);
    if (shows !== undefined)
      throw conflict(
        `Readers find ${name.toLowerCase()} as ${shows}, so its files stay. Put another deploy there first.`,
      );
    const at = now();
    await pruneDeploys(trx, project.id, [id], at);
    const after = await findProjectById(trx, project.id);
    await writeAudit(trx, at, caller.actor, {
      action: 'deploy.remove_files',
      projectId: project.id,
      target: `#${deploy.number}`,
      details: { id, freed: before.stored_bytes - (after?.stored_bytes ?? 0) },
    });
    await recordSiteChange(trx, project.id, at);
  });
  siteChanged(project.id);
}
