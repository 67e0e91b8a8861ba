import type { GitSettings, Repository } from './repository.ts';

export interface FetchLimits {
  /** Of what is transferred, and of the files together. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** For all of it. */
  readonly seconds: number;
}

export interface Commit {
  /** In hexadecimal. */
  readonly hash: string;
  readonly author: string;
  readonly authorEmail: string;
  /** Its beginning: at most 1,000 letters. */
  readonly message: string;
  /** In milliseconds since 1970. */
  readonly authoredAt: number;
}

/** Something in the branch that is not in the folder as its author may expect. */
export interface FetchNotice {
  readonly code: 'submodule' | 'link' | 'lfs_pointer';
  /** In the repository, with `/` between its parts. */
  readonly path: string;
  /** A sentence for people. */
  readonly message: string;
}

export interface FetchedBranch {
  readonly commit: Commit;
  /**
   * A folder with all files of the commit. Its symbolic links lead to files and folders in it. What is executable in the
   * repository is not so here.
   */
  readonly directory: string;
  /** At most 100. */
  readonly notices: readonly FetchNotice[];
  /** Those to keep in `Repository`. */
  readonly hostKeys: readonly string[];
  /** Removes the folder. */
  release(): Promise<void>;
}

/**
 * Fetches the newest commit of a branch, and writes its files to a folder below `settings.directory`. Rejects with
 * GitError, or with the reason of the signal; then nothing is left.
 */
export async function fetchBranch(
  _repository: Repository,
  _branch: string,
  _limits: FetchLimits,
  _settings: GitSettings,
  _signal: AbortSignal,
): Promise<FetchedBranch> {
  throw new Error('not there yet');
}
