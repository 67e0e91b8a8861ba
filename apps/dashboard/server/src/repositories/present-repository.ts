import { fingerprint } from '@petstore/git/fingerprint.ts';
import { commitAddress } from '@petstore/site/repository/file-addresses.ts';
import { type RepositoryHost, webAddress } from '@petstore/site/repository/web-address.ts';
import type { Addresses } from '../addresses.ts';
import type { DeploySummary } from '../deploys/deploy.ts';
import { presentDeploy, readDeployView } from '../deploys/present-deploy.ts';
import { untilServed } from '../deploys/served-deploys.ts';
import type { Deps } from '../deps.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import { findDeploy, listDeploysWithIds } from '../store/deploys.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { RepositoryRow } from '../store/repositories.ts';
import {
  countBranchRows,
  listShownBranches,
  type RepositoryBranchRow,
} from '../store/repository-branches.ts';
import type { Db } from '../store/schema.ts';
import { problemState, readProblem, stateOf } from './problem.ts';
import type { Provider, Repository, RepositoryBranch } from './repository.ts';
import type { RepositoryState } from './repository-state.ts';

/** How many branches a response has. */
const MAX_SHOWN = 100;

/** Where the host of a repository sends its webhooks. */
export const webhookUrl = ({ dashboard }: Addresses, { id }: Pick<RepositoryRow, 'id'>) =>
  `${dashboard}/api/git/${id}`;

/** A repository with its state and its branches, without its secrets. */
export async function presentRepository(
  { addresses, config, db, now }: Pick<Deps, 'addresses' | 'config' | 'db' | 'now'>,
  project: ProjectRow,
  row: RepositoryRow,
): Promise<Repository> {
  const rows = await listShownBranches(db, row, MAX_SHOWN);
  const total = await countBranchRows(db, row.id);
  const web = webAddress(row.url);
  const deploys = await deploysOf(db, rows, project, addresses(), now());
  const branches: RepositoryBranch[] = [];
  for (const branch of rows) {
    const deploy = deploys.get(branch.deploy_id ?? '');
    const state = await stateOfBranch(db, branch, project, deploy, now());
    branches.push(presentBranch(branch, row, deploy, state));
  }
  const problem = (json: string | null) => {
    const read = readProblem(json);
    return read && problemState(read);
  };
  return {
    url: row.url,
    webUrl: row.provider === 'other' && row.url.startsWith('ssh:') ? null : (web ?? null),
    provider: row.provider as Provider,
    branch: row.branch,
    folder: row.folder,
    previews: row.previews === 1,
    statuses: row.statuses === 1,
    access: row.access,
    username: row.username,
    publicKey: row.public_key,
    hostKeys: (JSON.parse(row.host_keys) as string[]).map((key) => ({
      type: key.split(' ', 1)[0] ?? '',
      fingerprint: fingerprint(key),
    })),
    webhook: {
      url: webhookUrl(addresses(), row),
      hasSecret: row.sealed_webhook_secret !== null,
      lastDeliveredAt: instantOrNull(row.webhook_delivered_at),
      lastProblem: problem(row.webhook_problem),
    },
    state:
      config.git.sources === 'refuse'
        ? stateOf('switched_off', 'Repositories are switched off here.', row.created_at)
        : stateOfRepository(row, branches, now()),
    statusProblem: problem(row.status_problem),
    previewProblem: problem(row.preview_problem),
    lastCheckedAt: instantOrNull(row.checked_at),
    nextCheckAt: config.git.sources === 'refuse' ? null : instant(row.next_check_at),
    branches,
    branchesLeftOut: total - branches.length,
  };
}

/** What is wrong with the host comes first, then the branch that goes live. */
function stateOfRepository(
  row: RepositoryRow,
  branches: readonly RepositoryBranch[],
  now: number,
): RepositoryState {
  const isLeased = row.leased_until !== null && row.leased_until > now;
  const isFirst = row.checked_at === null || row.problem !== null;
  if (row.asked_at !== null || (isLeased && isFirst))
    return stateOf('checking', 'The host is being asked.', row.asked_at ?? row.created_at);
  const problem = readProblem(row.problem);
  if (problem) return problemState(problem);
  const live = branches.find((branch) => branch.live);
  return live?.state ?? stateOf('checking', 'The host was not asked yet.', row.created_at);
}

/** By their ids. */
async function deploysOf(
  db: Db,
  rows: readonly RepositoryBranchRow[],
  project: ProjectRow,
  addresses: Addresses,
  now: number,
): Promise<ReadonlyMap<string, DeploySummary>> {
  const ids = rows.flatMap(({ deploy_id }) => deploy_id ?? []);
  const view = await readDeployView(db, project, now);
  const found = await listDeploysWithIds(db, ids);
  await Promise.all(found.map(untilServed));
  return new Map(found.map((row) => [row.id, presentDeploy(row, project, addresses, view)]));
}

function presentBranch(
  { name, head }: RepositoryBranchRow,
  { branch, provider, url }: RepositoryRow,
  deploy: DeploySummary | undefined,
  state: RepositoryState,
): RepositoryBranch {
  const web = webAddress(url);
  const host = provider === 'other' ? undefined : (provider as RepositoryHost);
  return {
    name,
    live: name === branch,
    commit: head,
    commitUrl: (web && commitAddress({ url: web, host }, head)) ?? null,
    state,
    deploy: deploy
      ? { id: deploy.id, number: deploy.number, url: deploy.branchUrl ?? deploy.url }
      : null,
  };
}

async function stateOfBranch(
  db: Db,
  row: RepositoryBranchRow,
  project: ProjectRow,
  deploy: DeploySummary | undefined,
  now: number,
): Promise<RepositoryState> {
  const { changed_at, head, next_attempt_at } = row;
  const short = head.slice(0, 12);
  if (row.leased_until !== null && row.leased_until > now)
    return stateOf('fetching', `The commit ${short} is being fetched.`, changed_at);
  const problem = readProblem(row.problem);
  if (problem) return problemState(problem);
  if (deploy?.state === 'queued' || deploy?.state === 'building') {
    const message = `Deploy #${deploy.number} is being built.`;
    return stateOf('deploying', message, Date.parse(deploy.createdAt));
  }
  if (next_attempt_at !== null)
    return stateOf('fetching', `The commit ${short} waits to be fetched.`, changed_at);
  if (!deploy) {
    const message = `The commit ${short} was there before the repository was connected.`;
    return stateOf('not_deployed', message, changed_at);
  }
  const at = Date.parse(deploy.finishedAt ?? deploy.createdAt);
  if (deploy.state === 'failed') {
    const [first] = JSON.parse((await findDeploy(db, project.id, deploy.id))?.errors ?? '[]');
    const message = `Deploy #${deploy.number} failed. ${first?.message ?? ''}`.trimEnd();
    return stateOf('deploy_failed', message, at);
  }
  if (deploy.held) {
    const message = `Deploy #${deploy.number} is held back. ${deploy.held.message}`;
    return stateOf('held', message, at);
  }
  // One whose breaking changes were allowed is held back no more, and does not go live by itself.
  if (deploy.branch === null && deploy.activatedAt === null) {
    const message = `Deploy #${deploy.number} is built, and waits to be put live.`;
    return stateOf('held', message, at);
  }
  return stateOf('ok', `The commit ${short} is deployed, as #${deploy.number}.`, at);
}
