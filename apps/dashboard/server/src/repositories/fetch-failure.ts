import { GitError } from '@petstore/git/git-error.ts';
import { ApiError } from '@petstore/http/errors.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { lockProject } from '../store/projects.ts';
import { askRepository, findRepositoryById } from '../store/repositories.ts';
import { endBranchLease, findBranchRow, type LeasedBranch } from '../store/repository-branches.ts';
import { BranchError, isUnforeseen, problemOf } from './branch-problem.ts';
import { nextFetchAt } from './check-schedule.ts';
import { problemJson } from './problem.ts';
import type { StateCode } from './repository-state.ts';
import { queueRefused } from './statuses/queue-status.ts';

/** What another fetch of the same commit would find again: it waits for the next commit, or for someone. */
const FINAL: ReadonlySet<StateCode> = new Set([
  'branch_unusable',
  'empty_repository',
  'folder_missing',
  'folder_unusable',
  'previews_full',
  'too_large',
  'too_many_files',
  'unsafe_path',
]);

/** What the repository's host said, so that it is asked: its answer is about all branches. */
const OF_HOST: ReadonlySet<StateCode> = new Set([
  'authentication_failed',
  'bad_repository',
  'branch_missing',
  'certificate',
  'host_key_changed',
  'not_found',
  'private_address',
  'redirected',
  'unreachable',
]);

/** A fetch that is too slow occupies the only one that runs: it is tried so often. */
const MAX_SLOW = 3;

interface FailureDeps extends Pick<Deps, 'addresses' | 'db' | 'now' | 'repositoriesChanged'> {
  readonly log: Log;
}

/** Records why a leased branch was not deployed, and when it is tried again. */
export async function recordFetchFailure(
  deps: FailureDeps,
  { repository, branch }: LeasedBranch,
  worker: string,
  error: unknown,
): Promise<void> {
  const { db, log, now } = deps;
  const refused = refusalOf(error);
  const { code, message } = problemOf(refused);
  if (isUnforeseen(refused))
    log.error({ err: error, repository: repository.id }, 'a branch could not be deployed');
  else
    log.warn(
      { repository: repository.id, code, detail: error instanceof GitError ? error.detail : '' },
      'a branch was not deployed',
    );
  const attempts = branch.attempts + 1;
  const isFinal = FINAL.has(code) || (code === 'too_slow' && attempts >= MAX_SLOW);
  await db.transaction().execute(async (trx) => {
    const project = await lockProject(trx, repository.project_id);
    const current = await findRepositoryById(trx, repository.id);
    const row = await findBranchRow(trx, repository.id, branch.name);
    if (!project || !current || !row) return;
    const at = now();
    // Another commit was seen, or someone asked for another try, while this one failed.
    const isOutdated =
      row.head !== branch.head ||
      row.next_attempt_at !== branch.next_attempt_at ||
      current.revision !== repository.revision;
    const isMine = await endBranchLease(
      trx,
      row,
      worker,
      isOutdated
        ? { next_attempt_at: at }
        : {
            problem: problemJson({ code, message }, at, row.problem),
            attempts,
            ...(isFinal && { tried: branch.head }),
            next_attempt_at: isFinal ? null : nextFetchAt(attempts, at),
          },
    );
    if (isMine && isFinal && !isOutdated) {
      const about = { commit: branch.head, branch: branch.name, message };
      await queueRefused(trx, at, deps, current, project, about);
    }
  });
  if (OF_HOST.has(code)) await askRepository(db, repository.id, now(), now());
  deps.repositoriesChanged();
}

/** A refusal of the queue of deploys, in the words of a branch. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  // Too many wait, or there were as many within the hour as the operator allows: it is tried again.
  if (error.code === 'conflict' || error.code === 'rate_limited')
    return new BranchError('queue_full', error.message);
  return new BranchError('service_failed', error.message);
}
