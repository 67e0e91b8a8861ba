import { GitError } from '@petstore/git/git-error.ts';
import { findDefaultBranch, listBranches } from '@petstore/git/list-branches.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { lockProject } from '../store/projects.ts';
import { findRepositoryById, type RepositoryRow, updateRepository } from '../store/repositories.ts';
import type { RowChange, Trx } from '../store/schema.ts';
import { BranchError, isUnforeseen, problemOf } from './branch-problem.ts';
import { nextCheckAt } from './check-schedule.ts';
import { gitSettings, openRepository } from './git-access.ts';
import { problemJson, readProblem } from './problem.ts';
import { takeBranches } from './take-branches.ts';

/** How long a host may take to list its branches, in milliseconds. */
const TIMEOUT_MS = 45_000;

export interface CheckDeps
  extends Pick<Deps, 'config' | 'db' | 'now' | 'repositoriesChanged' | 'sealer' | 'spool'> {
  readonly log: Log;
}

interface Listing {
  /** The one that goes live. */
  readonly live: string;
  readonly branches: ReadonlyMap<string, string>;
  readonly hostKeys: readonly string[];
}

/**
 * Asks the host of a leased repository for its branches, and records what is new or what is wrong. Rejects when the
 * signal comes before, and where the store fails: then the lease is not released.
 */
export async function checkRepository(
  deps: CheckDeps,
  repository: RepositoryRow,
  worker: string,
  signal: AbortSignal,
): Promise<void> {
  let listing: Listing;
  try {
    listing = await askHost(deps, repository, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return recordFailure(deps, repository, worker, error);
  }
  await record(deps, repository, worker, async (trx, current, at) => {
    const { live, branches, hostKeys } = listing;
    const change = { branch: live, host_keys: JSON.stringify(hostKeys) };
    if (!branches.has(live)) return { ...change, ...failureOf(deps, current, missing(live), at) };
    const taken = await takeBranches(trx, { ...current, branch: live }, branches, at);
    return {
      ...{ ...change, ...taken, problem: null, failures: 0 },
      next_check_at: nextCheckAt(deps.config.git.pollSeconds, 0, at),
    };
  });
}

async function askHost(deps: CheckDeps, row: RepositoryRow, signal: AbortSignal): Promise<Listing> {
  const repository = openRepository(deps, row);
  const settings = gitSettings(deps);
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const either = AbortSignal.any([signal, deadline]);
  try {
    const live =
      row.branch ?? (await findDefaultBranch(repository, settings, either)).defaultBranch;
    if (live === null)
      throw new BranchError(
        'branch_missing',
        'The repository has no default branch. Choose the branch that goes live.',
      );
    const { branches, hostKeys } = await listBranches(repository, settings, either);
    return { live, branches, hostKeys };
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw new GitError(
      'unreachable',
      `The host did not list the branches within ${TIMEOUT_MS / 1_000} seconds.`,
    );
  }
}

const missing = (branch: string) =>
  new BranchError('branch_missing', `The repository has no branch ${branch}.`);

async function recordFailure(
  deps: CheckDeps,
  repository: RepositoryRow,
  worker: string,
  error: unknown,
): Promise<void> {
  tell(deps, repository, error);
  await record(deps, repository, worker, async (_trx, current, at) =>
    failureOf(deps, current, error, at),
  );
}

/** In the log, once for each problem. */
function tell({ log }: CheckDeps, { id, problem }: RepositoryRow, error: unknown): void {
  if (isUnforeseen(error)) {
    log.error({ err: error, repository: id }, 'a repository could not be asked');
    return;
  }
  const { code } = problemOf(error);
  const detail = error instanceof GitError ? error.detail : '';
  if (readProblem(problem)?.code !== code)
    log.warn({ repository: id, code, detail }, 'a repository cannot be read');
}

function failureOf(
  { config }: CheckDeps,
  { failures, problem }: RepositoryRow,
  error: unknown,
  at: number,
): RowChange<'repositories'> {
  return {
    problem: problemJson(problemOf(error), at, problem),
    failures: failures + 1,
    next_check_at: nextCheckAt(config.git.pollSeconds, failures + 1, at),
  };
}

/** Ends a check in one transaction, unless the repository was changed or removed meanwhile. */
async function record(
  deps: CheckDeps,
  { id, project_id, revision }: RepositoryRow,
  worker: string,
  changeOf: (trx: Trx, current: RepositoryRow, at: number) => Promise<RowChange<'repositories'>>,
): Promise<void> {
  const { db, now, repositoriesChanged } = deps;
  await db.transaction().execute(async (trx) => {
    await lockProject(trx, project_id);
    const current = await findRepositoryById(trx, id);
    if (!current || current.revision !== revision || current.leased_by !== worker) return;
    const at = now();
    const change = await changeOf(trx, current, at);
    await updateRepository(trx, id, {
      ...change,
      // Someone asked while the host did: it may have answered before what they mean.
      ...(current.asked_at !== null && { next_check_at: at }),
      ...{ checked_at: at, leased_by: null, leased_until: null },
    });
  });
  repositoriesChanged();
}
