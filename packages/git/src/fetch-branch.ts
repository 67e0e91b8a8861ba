import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isBranchName } from './branch-name.ts';
import { type Commit, readCommit } from './commit.ts';
import { readTree, type Tree } from './files/tree.ts';
import { type FetchNotice, writeFiles } from './files/write-files.ts';
import { GitError } from './git-error.ts';
import { branchesOf, noBranch } from './list-branches.ts';
import { type Session, withSession } from './process/session.ts';
import { makeWorkspace } from './process/workspace.ts';
import type { GitSettings, Repository } from './repository.ts';

export interface FetchLimits {
  /** Of what is transferred, and of the files together. */
  readonly maxBytes: number;
  /** Of files, folders and links together. */
  readonly maxFiles: number;
  /** For all of it. */
  readonly seconds: number;
}

export interface FetchedBranch {
  readonly commit: Commit;
  /**
   * A folder with all files of the commit, byte for byte. Its symbolic links lead to files and folders in it. What is
   * executable in the repository is not so here. Submodules are empty folders.
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
  repository: Repository,
  branch: string,
  limits: FetchLimits,
  settings: GitSettings,
  signal: AbortSignal,
): Promise<FetchedBranch> {
  if (!isBranchName(branch)) {
    throw new GitError(
      'branch_missing',
      `No branch can have the name ${JSON.stringify(branch.slice(0, 100))}. Choose another one.`,
    );
  }
  const files = await makeWorkspace(settings.directory);
  try {
    return await withSession(repository, settings, limits, signal, async (session) => {
      const gitDir = join(session.folder, 'repository.git');
      await fetchInto(gitDir, session, branch);
      const commit = await readCommit(session, gitDir, FETCHED);
      const tree = await treeOf(session, gitDir, limits);
      const notices = await writeFiles(session, gitDir, tree, files.folder);
      const hostKeys = await session.hostKeys();
      return { commit, directory: files.folder, notices, hostKeys, release: files.remove };
    });
  } catch (error) {
    await files.remove();
    throw error;
  }
}

/** The name that the branch has in our copy. */
const FETCHED = 'refs/heads/fetched';

async function fetchInto(gitDir: string, session: Session, branch: string): Promise<void> {
  const { url } = session;
  const init = ['init', '--bare', '--quiet', '--template=', gitDir];
  const fetch = [
    ...['--git-dir', gitDir, 'fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head'],
    ...['--no-recurse-submodules', '--no-auto-maintenance', '--', url],
    `+refs/heads/${branch}:${FETCHED}`,
  ];
  try {
    await session.git(init);
    await session.git(fetch);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (error.code === 'branch_missing') throw await branchMissing(session, branch);
    // A repository of the newer kind says so: https://git-scm.com/docs/hash-function-transition
    if (!/mismatched algorithms/.test(error.detail)) throw error;
    await rm(gitDir, { recursive: true });
    await session.git([...init, '--object-format=sha256']);
    await session.git(fetch);
  }
}

/** What is there instead of the branch. */
async function branchMissing(session: Session, branch: string): Promise<GitError> {
  const branches = await branchesOf(session);
  if (branches.size === 0) return noBranch(session);
  const [some] = ['main', 'master', ...branches.keys()].filter((name) => branches.has(name));
  return new GitError(
    'branch_missing',
    `The repository has no branch ${branch}: it was deleted, renamed, or never pushed. Choose another one, such as ${some}.`,
  );
}

async function treeOf(session: Session, gitDir: string, limits: FetchLimits): Promise<Tree> {
  let tree: Tree | undefined;
  await session.git(
    ['--git-dir', gitDir, 'ls-tree', '-r', '-t', '-l', '-z', '--full-tree', FETCHED],
    {
      output: async (stdout) => {
        tree = await readTree(stdout, limits);
      },
    },
  );
  return tree as unknown as Tree;
}
