import type { GitSettings, Repository } from './repository.ts';

export interface BranchList {
  /** By name, without `refs/heads/`: the hash of the newest commit, in hexadecimal. */
  readonly branches: ReadonlyMap<string, string>;
  /** Those to keep in `Repository`. */
  readonly hostKeys: readonly string[];
}

/**
 * The branches of a repository; at least one. Rejects with GitError, or with the reason of the signal.
 */
export async function listBranches(
  _repository: Repository,
  _settings: GitSettings,
  _signal: AbortSignal,
): Promise<BranchList> {
  throw new Error('not there yet');
}

export interface DefaultBranch {
  /** null where the repository has none: its HEAD is a commit, or a branch that is not there. */
  readonly defaultBranch: string | null;
  readonly hostKeys: readonly string[];
}

/**
 * The branch that the repository's host shows first. It takes all refs of the repository, those of pull requests too, so
 * ask when someone sets a repository up, and not every few minutes. Rejects as `listBranches` does.
 */
export async function findDefaultBranch(
  _repository: Repository,
  _settings: GitSettings,
  _signal: AbortSignal,
): Promise<DefaultBranch> {
  throw new Error('not there yet');
}
