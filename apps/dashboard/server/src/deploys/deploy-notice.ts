import type { Deps } from '../deps.ts';
import type { DeployEvent } from '../notices/event-types.ts';
import { queueDeployNotice } from '../notices/queue-notice.ts';
import { type DeployRow, findDeploy, listShownDeploys } from '../store/deploys.ts';
import { findUnrevokedPrimary } from '../store/domains.ts';
import { findProjectById, type ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { presentDeploy, presentDeployDetails } from './present-deploy.ts';

/** How many problems of a failed deploy a webhook is told; the deploy has them all. */
const MAX_ERRORS = 20;

export type DeployNoticeDeps = Pick<Deps, 'addresses'>;

/**
 * Queues what has just happened to a deploy for the project's webhooks. Call it at the end of the event's transaction,
 * which has locked the project: the notice shows the deploy as it is then.
 */
export async function tellOfDeploy(
  trx: Trx,
  at: number,
  { addresses }: DeployNoticeDeps,
  type: DeployEvent,
  { project_id, id }: Pick<DeployRow, 'project_id' | 'id'>,
): Promise<void> {
  const project = await findProjectById(trx, project_id);
  const deploy = await findDeploy(trx, project_id, id);
  if (!project || !deploy) return;
  const shown = await listShownDeploys(trx, project);
  const { dashboard } = addresses();
  const details = {
    deploy: presentDeploy(deploy, project, addresses(), shown),
    pageUrl: `${dashboard}/projects/${encodeURIComponent(project.slug)}/deploys/${id}`,
  };
  const name = `Deploy #${deploy.number}`;
  const tell = (message: string, more: object = {}) =>
    queueDeployNotice(trx, at, { type, project, message, details: { ...details, ...more } });
  switch (type) {
    case 'deploy.succeeded': {
      const { held } = details.deploy;
      const waits = held ? `, and is held back. ${held.message}` : '.';
      return tell(`${name} of ${project.name} succeeded${placeOf(deploy)}${waits}`);
    }
    case 'deploy.failed': {
      const { errors } = presentDeployDetails(deploy, project, addresses(), shown);
      const [first] = errors;
      return tell(`${name} of ${project.name} failed${placeOf(deploy)}. ${first?.message ?? ''}`, {
        errors: errors.slice(0, MAX_ERRORS),
        errorCount: errors.length,
      });
    }
    case 'deploy.live': {
      const siteUrl = await siteUrlOf(trx, at, { addresses }, project, deploy);
      const where = siteUrl === null ? '' : ` at ${siteUrl}`;
      return tell(`${name} of ${project.name} is live${where}.`, { siteUrl });
    }
  }
}

function placeOf({ branch, version }: DeployRow): string {
  if (branch !== null) return `, as a preview of the branch ${branch}`;
  return version === null ? '' : `, as the version ${version}`;
}

/** Where readers find a live deploy; null: nowhere, since the site's address leads to its default version. */
async function siteUrlOf(
  trx: Trx,
  at: number,
  { addresses }: DeployNoticeDeps,
  project: ProjectRow,
  { version }: DeployRow,
): Promise<string | null> {
  const primary = await findUnrevokedPrimary(trx, project, at);
  const origin = primary ? addresses().domain(primary.hostname) : addresses().site(project.slug);
  if (version !== null) return `${origin}/${version}`;
  return project.default_version === null ? origin : null;
}
