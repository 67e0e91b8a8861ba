import { setTimeout as sleep } from 'node:timers/promises';
import { createDeployKey } from '@petstore/git/deploy-key.ts';
import { makeWebhookSecret } from '@petstore/webhooks/signature.ts';
import type { Caller } from '../accounts/caller.ts';
import { randomId } from '../accounts/secrets.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import { invalidRequest, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { writeAudit } from '../store/audit.ts';
import type { ProjectRow } from '../store/projects.ts';
import { pruneCounters } from '../store/rate-counters.ts';
import {
  askRepository,
  deleteRepository,
  findRepository,
  insertRepository,
  type RepositoryRow,
  updateRepository,
} from '../store/repositories.ts';
import {
  deleteBranchRows,
  findBranchRow,
  retryFailed,
  updateBranchRow,
} from '../store/repository-branches.ts';
import type { Db, Trx } from '../store/schema.ts';
import { accessContext, webhookContext } from './git-access.ts';
import { presentRepository, webhookUrl } from './present-repository.ts';
import { isSameHost, isSameRepository, type ReadInput, readInput } from './read-input.ts';
import type { Repository, RepositoryInput, RepositoryWebhookSecret } from './repository.ts';

/** How long a request waits for the host, in milliseconds; then the state says that it is being asked. */
const WAIT_MS = 10_000;

const POLL_MS = 50;

/** How often a host may be asked by request. */
const CHECKS = { limit: 20, windowMs: 60_000 };

type RepositoryDeps = Pick<
  Deps,
  'addresses' | 'config' | 'db' | 'now' | 'repositoriesChanged' | 'sealer'
>;

/** The repository of a project. Throws ApiError `not_found` where it has none. */
export async function readRepository(
  deps: RepositoryDeps,
  project: ProjectRow,
): Promise<Repository> {
  const row = await repositoryOrThrow(deps.db, project);
  return presentRepository(deps, project, row);
}

async function repositoryOrThrow(db: Db, { id }: Pick<ProjectRow, 'id'>): Promise<RepositoryRow> {
  const repository = await findRepository(db, id);
  if (!repository) throw notFound('repository');
  return repository;
}

/** Connects a repository to a project, or changes the one that it has, and asks its host. */
export async function changeRepository(
  deps: RepositoryDeps,
  project: ProjectRow,
  given: RepositoryInput,
  caller: Caller,
  stopping: AbortSignal,
): Promise<Repository> {
  const { config, db, now } = deps;
  if (config.git.sources === 'refuse') {
    throw invalidRequest(
      'A repository cannot be connected here. (Whoever runs this may allow it: DASHBOARD_GIT.)',
    );
  }
  const input = readInput(given);
  await limitChecks(deps, project);
  const at = now();
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'repository.manage');
    const before = await findRepository(trx, project.id);
    if (!before) await connect(trx, deps, project, input, caller, at);
    else await change(trx, deps, before, input, caller, at);
  });
  return askedNow(deps, project, at, stopping);
}

async function connect(
  trx: Trx,
  deps: RepositoryDeps,
  project: ProjectRow,
  input: ReadInput,
  { actor, user }: Caller,
  at: number,
): Promise<void> {
  const id = `rep_${randomId(26)}`;
  const repository: RepositoryRow = {
    ...{ id, project_id: project.id, ...columnsOf(input) },
    ...(await secretOf(deps, project, id, undefined, input)),
    host_keys: '[]',
    sealed_webhook_secret: null,
    webhook_delivered_at: null,
    webhook_problem: null,
    status_problem: null,
    preview_problem: null,
    problem: null,
    revision: 1,
    asked_at: at,
    checked_at: null,
    next_check_at: at,
    failures: 0,
    listed_at: null,
    fetched_at: null,
    leased_by: null,
    leased_until: null,
    created_at: at,
    created_by_email: user.email,
  };
  await insertRepository(trx, repository);
  await writeAudit(trx, at, actor, {
    action: 'repository.connect',
    projectId: project.id,
    target: repository.url,
    details: { ...shownOf(repository) },
  });
}

async function change(
  trx: Trx,
  deps: RepositoryDeps,
  before: RepositoryRow,
  input: ReadInput,
  { actor }: Caller,
  at: number,
): Promise<void> {
  const { id, project_id } = before;
  const isMoved = before.url !== input.url;
  const columns = columnsOf(input);
  const project = { id: project_id };
  const secret = await secretOf(deps, project, id, before, input);
  const after: RepositoryRow = {
    ...{ ...before, ...columns, ...secret },
    // The default branch is asked for again where it may be another one.
    branch: input.branch ?? (isMoved ? null : before.branch),
    ...(!isSameHost(before.url, input.url) && { host_keys: '[]' }),
    ...(isMoved && { listed_at: null }),
    ...(input.previews && before.previews === 0 && { listed_at: null }),
    ...{ problem: null, preview_problem: null, status_problem: null, failures: 0 },
    ...{ revision: before.revision + 1, asked_at: at, next_check_at: at },
    ...{ leased_by: null, leased_until: null },
  };
  const { id: _id, project_id: _project, ...changed } = after;
  await updateRepository(trx, id, changed);
  await followBranches(trx, before, after, at);
  const told = differences(shownOf(before), shownOf(after));
  const isSecretNew = secret.sealed_secret !== before.sealed_secret;
  if (Object.keys(told).length === 0 && !isSecretNew) return;
  await writeAudit(trx, at, actor, {
    action: 'repository.update',
    projectId: project_id,
    target: after.url,
    details: { ...told, ...(isSecretNew && { secret: 'changed' }) },
  });
}

/** What a change means for the branches that are known. */
async function followBranches(
  trx: Trx,
  before: RepositoryRow,
  after: RepositoryRow,
  at: number,
): Promise<void> {
  const isOther = before.url !== after.url || before.folder !== after.folder;
  if (before.url !== after.url) await deleteBranchRows(trx, after.id);
  else if (after.previews === 0) await deleteBranchRows(trx, after.id, after.branch);
  if (after.branch === null) return;
  const live = await findBranchRow(trx, after.id, after.branch);
  if (!live) return;
  // Another folder, or a branch that was a preview so far: its newest commit is deployed once more.
  const isNew = isOther || before.branch !== after.branch || live.problem !== null;
  const again = { tried: null, problem: null, attempts: 0, next_attempt_at: at };
  await updateBranchRow(trx, live, {
    ...(isNew && again),
    ...{ leased_by: null, leased_until: null },
  });
}

function columnsOf(input: ReadInput) {
  const { url, provider, branch, folder, access, username } = input;
  return {
    ...{ url, provider, branch, folder, access, username },
    previews: input.previews ? 1 : 0,
    statuses: input.statuses ? 1 : 0,
  };
}

/** The sealed secret by which a repository is opened, and the public half of a key. */
async function secretOf(
  { sealer }: RepositoryDeps,
  { id: projectId }: Pick<ProjectRow, 'id'>,
  id: string,
  before: RepositoryRow | undefined,
  { access, url, token }: ReadInput,
): Promise<Pick<RepositoryRow, 'sealed_secret' | 'public_key'>> {
  if (access === 'none') return { sealed_secret: null, public_key: null };
  const seal = (secret: string) => sealer.seal(secret, accessContext({ id }));
  const isKept = before?.access === access;
  if (access === 'token') {
    if (token !== undefined) return { sealed_secret: seal(token), public_key: null };
    if (!isKept) throw invalidRequest('token is required for access token.');
    // Whoever changes the address must not learn the token by it, nor read with it what its owner did not mean.
    if (!isSameRepository(before.url, url)) {
      const other = isSameHost(before.url, url) ? 'repository' : 'host';
      throw invalidRequest(`token is required once more: the address leads to another ${other}.`);
    }
    return { sealed_secret: before.sealed_secret, public_key: null };
  }
  // Hosts take a deploy key for one repository alone.
  if (isKept && before.url === url)
    return { sealed_secret: before.sealed_secret, public_key: before.public_key };
  const { privateKey, publicKey } = await createDeployKey(`dashboard ${projectId}`);
  return { sealed_secret: seal(privateKey), public_key: publicKey };
}

/** What the audit log has of a repository. */
const shownOf = (row: RepositoryRow) => ({
  url: row.url,
  branch: row.branch,
  folder: row.folder,
  previews: row.previews === 1,
  statuses: row.statuses === 1,
  provider: row.provider,
  access: row.access,
});

function differences<T extends object>(before: T, after: T): Partial<T> {
  const entries = Object.entries(after).filter(
    ([name, value]) => before[name as keyof T] !== value,
  );
  return Object.fromEntries(entries) as Partial<T>;
}

/** Disconnects the repository of a project: what is under way is not deployed any more. Throws ApiError `not_found`. */
export async function disconnectRepository(
  { db, now }: Pick<RepositoryDeps, 'db' | 'now'>,
  project: ProjectRow,
  caller: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'repository.manage');
    const repository = await deleteRepository(trx, project.id);
    if (!repository) throw notFound('repository');
    await writeAudit(trx, now(), caller.actor, {
      action: 'repository.disconnect',
      projectId: project.id,
      target: repository.url,
      details: {},
    });
  });
}

/**
 * Asks the host of a repository now, and has what failed tried again. `branch`: its newest commit is deployed whatever
 * became of it. Throws ApiError `not_found` and `rate_limited`.
 */
export async function checkRepositoryNow(
  deps: RepositoryDeps,
  project: ProjectRow,
  branch: string | undefined,
  caller: Caller,
  stopping: AbortSignal,
): Promise<Repository> {
  const { db, now } = deps;
  await limitChecks(deps, project);
  const at = now();
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'repository.check');
    const repository = await repositoryOrThrow(trx, project);
    await retryFailed(trx, repository.id, at);
    if (branch !== undefined) {
      const row = await findBranchRow(trx, repository.id, branch);
      if (!row) throw notFound('branch');
      const again = { tried: null, problem: null, attempts: 0, next_attempt_at: at };
      await updateBranchRow(trx, row, again);
    }
    await askRepository(trx, repository.id, at, at);
  });
  return askedNow(deps, project, at, stopping);
}

/** Makes a secret for the webhook of a repository; the one before is refused from now on. Throws ApiError `not_found`. */
export async function makeWebhookSecretOf(
  { addresses, db, now, sealer }: RepositoryDeps,
  project: ProjectRow,
  caller: Caller,
): Promise<RepositoryWebhookSecret> {
  const secret = makeWebhookSecret();
  return db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'repository.manage');
    const repository = await repositoryOrThrow(trx, project);
    const sealed = sealer.seal(secret, webhookContext(repository));
    await updateRepository(trx, repository.id, {
      sealed_webhook_secret: sealed,
      webhook_problem: null,
    });
    await writeAudit(trx, now(), caller.actor, {
      action: 'repository.secret',
      projectId: project.id,
      target: repository.url,
      details: {},
    });
    return { url: webhookUrl(addresses(), repository), secret };
  });
}

/** Forgets the keys of an ssh host, and takes those that it shows now. Throws ApiError `not_found`. */
export async function forgetHostKeys(
  deps: RepositoryDeps,
  project: ProjectRow,
  caller: Caller,
  stopping: AbortSignal,
): Promise<Repository> {
  const { db, now } = deps;
  await limitChecks(deps, project);
  const at = now();
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'repository.manage');
    const repository = await repositoryOrThrow(trx, project);
    await updateRepository(trx, repository.id, {
      ...{ host_keys: '[]', revision: repository.revision + 1 },
      ...{ leased_by: null, leased_until: null, asked_at: at, next_check_at: at },
    });
    await writeAudit(trx, at, caller.actor, {
      action: 'repository.host_keys',
      projectId: project.id,
      target: repository.url,
      details: {},
    });
  });
  return askedNow(deps, project, at, stopping);
}

async function limitChecks({ db, now }: RepositoryDeps, { id }: ProjectRow): Promise<void> {
  await pruneCounters(db, now());
  const message = () => 'The repository was asked many times just now. Wait a moment.';
  await limitRate(db, `repository-check:${id}`, CHECKS, now(), message);
}

/** Waits until the host was asked since `at`, for a while; the repository as it is then. */
async function askedNow(
  deps: RepositoryDeps,
  project: ProjectRow,
  at: number,
  stopping: AbortSignal,
): Promise<Repository> {
  deps.repositoriesChanged();
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const row = await repositoryOrThrow(deps.db, project);
    const isAsked = (row.checked_at ?? 0) >= at && row.asked_at === null;
    if (isAsked || stopping.aborted || performance.now() > end)
      return presentRepository(deps, project, row);
    await sleep(POLL_MS, undefined, { signal: stopping }).catch(() => {});
  }
}
