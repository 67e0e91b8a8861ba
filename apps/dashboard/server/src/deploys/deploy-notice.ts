import type { Deps } from '../deps.ts';
import type { DeployEvent } from '../notices/event-types.ts';
import { queueDeployNotice } from '../notices/queue-notice.ts';
import { queueEnded } from '../repositories/statuses/queue-status.ts';
import { findDeployChanges } from '../store/deploy-changes.ts';
import { type DeployRow, findDeploy } from '../store/deploys.ts';
import { findActivePrimary } from '../store/domains.ts';
import { findProjectById, type ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { countsInWords, type DeployChange } from './changes/deploy-change.ts';
import type { Deploy } from './deploy.ts';
import { presentDeploy, presentDeployDetails, readDeployView } from './present-deploy.ts';

/** How many problems of a failed deploy, and changes of an API, a message has; the deploy has them all. */
const MAX_ERRORS = 20;
const MAX_CHANGES = 100;

type NoticeDeps = Pick<Deps, 'addresses'>;

type DeployKey = Pick<DeployRow, 'project_id' | 'id'>;

/** Whom to tell of what: the deploy as it is by now, and its project. */
interface Telling {
  readonly trx: Trx;
  readonly at: number;
  readonly deploy: DeployRow;
  readonly presented: Deploy;
  readonly project: ProjectRow;
  readonly addresses: NoticeDeps['addresses'];
  /** Its page in the dashboard. */
  readonly pageUrl: string;
  /** Queues the notice for the project's webhooks. */
  readonly tell: (type: DeployEvent, message: string, more?: object) => Promise<void>;
}

// Call these at the end of the event's transaction, which has locked the project: a notice shows the deploy as it is
// then.

/** Queues that a deploy was built. */
export async function queueSucceededNotice(trx: Trx, at: number, deps: NoticeDeps, key: DeployKey) {
  const telling = await tellingOf(trx, at, deps, key);
  if (!telling) return;
  const { deploy, tell } = telling;
  const { held } = telling.presented;
  const waits = held ? ` It is held back: an owner puts it live. ${held.message}` : '';
  await tell('deploy.succeeded', `${nameOf(telling)} succeeded${placeOf(deploy)}.${waits}`);
  const { live, branchUrl, url } = telling.presented;
  await queueEnded(trx, at, deploy, {
    state: 'success',
    description: `Deploy #${deploy.number} succeeded${placeOf(deploy)}.${waits}`,
    url: (live ? await siteUrlOf(telling) : branchUrl) ?? url,
  });
}

/** Queues that a deploy could not be built. */
export async function queueFailedNotice(trx: Trx, at: number, deps: NoticeDeps, key: DeployKey) {
  const telling = await tellingOf(trx, at, deps, key);
  if (!telling) return;
  const { deploy, tell } = telling;
  const { errors } = telling.presented;
  const [first] = errors;
  await tell(
    'deploy.failed',
    `${nameOf(telling)} failed${placeOf(deploy)}. ${first?.message ?? ''}`.trimEnd(),
    { errors: errors.slice(0, MAX_ERRORS), errorCount: errors.length },
  );
  const description = `Deploy #${deploy.number} failed. ${first?.message ?? ''}`.trimEnd();
  await queueEnded(trx, at, deploy, { state: 'failure', description, url: telling.pageUrl });
}

/**
 * Queues that readers find a deploy, and what that changes in the API. `before`: the id of the deploy that they found
 * there until now; null: none. Where the deploy was compared with another one, nobody knows what changes for readers.
 */
export async function queueLiveNotice(
  trx: Trx,
  at: number,
  deps: NoticeDeps,
  key: DeployKey,
  before: string | null,
): Promise<void> {
  if (before === key.id) return;
  const telling = await tellingOf(trx, at, deps, key);
  if (!telling) return;
  const siteUrl = await siteUrlOf(telling);
  const where = siteUrl === null ? '' : ` at ${siteUrl}`;
  await telling.tell('deploy.live', `${nameOf(telling)} is live${where}.`, { siteUrl });
  const { changes, comparedWith } = telling.presented;
  if (changes && comparedWith?.id === before)
    await tellChanged(telling, changes, { comparedWith, siteUrl });
}

/** `summary` counts all changes, the list has the gravest of them. */
async function tellChanged(
  { trx, deploy, project, addresses, tell }: Telling,
  summary: Parameters<typeof countsInWords>[0],
  more: object,
): Promise<void> {
  const total = Object.values(summary).reduce((sum, number) => sum + number, 0);
  if (total === 0) return;
  const stored = await findDeployChanges(trx, deploy.id);
  const all = JSON.parse(stored?.changes ?? '[]') as DeployChange[];
  const changes = all
    .slice(0, MAX_CHANGES)
    .map(({ code, verdict, operation, message }) => ({ code, verdict, operation, message }));
  const path = `/projects/${encodeURIComponent(project.slug)}/deploys/${deploy.id}/changes`;
  await tell('api.changed', `The API of ${project.name} has ${countsInWords(summary)}.`, {
    summary,
    changes,
    leftOut: total - changes.length,
    changesUrl: `${addresses().dashboard}/api${path}`,
    ...more,
  });
}

async function tellingOf(
  trx: Trx,
  at: number,
  { addresses }: NoticeDeps,
  { project_id, id }: DeployKey,
): Promise<Telling | undefined> {
  const project = await findProjectById(trx, project_id);
  const deploy = await findDeploy(trx, project_id, id);
  if (!project || !deploy) return undefined;
  const view = await readDeployView(trx, project, at);
  const pageUrl = `${addresses().dashboard}/projects/${encodeURIComponent(project.slug)}/deploys/${id}`;
  const details = { deploy: presentDeploy(deploy, project, addresses(), view), pageUrl };
  const tell: Telling['tell'] = (type, message, more) =>
    queueDeployNotice(trx, at, { type, project, message, details: { ...details, ...more } });
  const presented = presentDeployDetails(deploy, project, addresses(), view);
  return { trx, at, deploy, presented, project, addresses, pageUrl, tell };
}

const nameOf = ({ deploy, project }: Telling) => `Deploy #${deploy.number} of ${project.name}`;

function placeOf({ branch, version }: DeployRow): string {
  if (branch !== null) return `, as a preview of the branch ${branch}`;
  return version === null ? '' : `, as the version ${version}`;
}

/** Where readers find a live deploy; null: nowhere, since the site's address leads to its default version. */
async function siteUrlOf({
  trx,
  at,
  deploy: { version },
  project,
  addresses,
}: Telling): Promise<string | null> {
  const primary = await findActivePrimary(trx, project, at);
  const origin = primary ? addresses().domain(primary.hostname) : addresses().site(project.slug);
  if (version !== null) return `${origin}/${version}`;
  return project.default_version === null ? origin : null;
}
