import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';

/** Nothing of the person who runs the tests. */
const GIT_ENV = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

export type Files = Readonly<Record<string, string>>;

/** How a runner checks out: `depth` 0 is the whole history of every branch. `head`: the branch and not its merge. */
export interface Checkout {
  readonly depth: number;
  readonly head?: boolean;
}

/** A repository with its origin, as a host of repositories has it. */
export interface Repository {
  readonly folder: string;
  /** The bare repository that the host has. */
  readonly origin: string;
  git(...args: string[]): Promise<string>;
  /** Commits files to a branch, which begins at `main` if it is new, and pushes it; the commit. */
  commit(branch: string, files: Files): Promise<string>;
  /** What a runner has of a pull request: the merge of the branch into main, at `refs/pull/7/merge`. */
  checkoutPullRequest(branch: string, how: Checkout): Promise<Workspace>;
  /** What a runner has of a branch. */
  checkoutBranch(branch: string, depth: number): Promise<Workspace>;
}

export interface Workspace {
  readonly folder: string;
  readonly commit: string;
}

/** A repository whose main branch has `files`. Its origin is `origin` in the folder. */
export async function makeRepository(
  t: TestContext,
  files: Files,
  parent?: string,
): Promise<Repository> {
  parent ??= await temporaryFolder(t);
  const folder = join(parent, 'work');
  const origin = join(parent, 'origin');
  const run = async (cwd: string, args: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram('git', args, cwd, GIT_ENV);
    assert.equal(code, 0, `git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const git = (...args: string[]) => run(folder, args);
  await run(parent, ['init', '--quiet', '--bare', '--initial-branch=main', origin]);
  // As hosts allow it to those who check out a commit.
  await run(origin, ['config', 'uploadpack.allowAnySHA1InWant', 'true']);
  await run(parent, ['init', '--quiet', '--initial-branch=main', folder]);
  await git('remote', 'add', 'origin', origin);

  const commit = async (branch: string, changed: Files) => {
    const isNew = (await git('branch', '--list', '--format=%(refname:short)')) !== '';
    const known = (await git('for-each-ref', '--format=%(refname)')).split('\n');
    if (known.includes(`refs/heads/${branch}`)) await git('checkout', '--quiet', branch, '--');
    else if (isNew) await git('checkout', '--quiet', '-b', branch, 'main');
    for (const [path, content] of Object.entries(changed)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await git('add', '--all');
    await git('commit', '--quiet', '--message', `Changes ${Object.keys(changed).join(', ')}`);
    await git('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`);
    return git('rev-parse', 'HEAD');
  };
  await commit('main', files);

  /** The commands of actions/checkout. */
  const checkout = async (commit: string, ref: string, depth: number): Promise<Workspace> => {
    const workspace = await temporaryFolder(t);
    await run(workspace, ['init', '--quiet']);
    // Not by the path itself, of which git takes the whole history.
    await run(workspace, ['remote', 'add', 'origin', `file://${origin}`]);
    const whole = depth === 0 ? ['+refs/heads/*:refs/remotes/origin/*'] : [];
    const shallow = depth === 0 ? [] : [`--depth=${depth}`];
    const refspecs = [...whole, `+${commit}:${ref}`];
    await run(workspace, ['fetch', '--quiet', '--no-tags', ...shallow, 'origin', ...refspecs]);
    await run(workspace, ['checkout', '--quiet', '--force', ref]);
    return { folder: workspace, commit };
  };
  return {
    ...{ folder, origin, git },
    commit,
    async checkoutPullRequest(branch, { depth, head = false }) {
      await git('checkout', '--quiet', '--detach', 'main');
      await git('merge', '--quiet', '--no-ff', '-m', 'Merge', `refs/heads/${branch}`);
      const merge = await git('rev-parse', 'HEAD');
      await git('push', '--quiet', '--force', 'origin', `${merge}:refs/pull/7/merge`);
      const commit = head ? await git('rev-parse', `refs/heads/${branch}`) : merge;
      return checkout(commit, 'refs/remotes/pull/7/merge', depth);
    },
    async checkoutBranch(branch, depth) {
      const commit = await git('rev-parse', `refs/heads/${branch}`);
      return checkout(commit, 'refs/remotes/pushed', depth);
    },
  };
}
