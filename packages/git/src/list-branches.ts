import type { Readable } from 'node:stream';
import { isBranchName } from './branch-name.ts';
import { GitError } from './git-error.ts';
import { type Session, withSession } from './process/session.ts';
import type { GitSettings, Repository } from './repository.ts';

/** A repository with more is refused: what lists them for people could not show them either. */
const MAX_BRANCHES = 10_000;

/** For a list: hosts that do not know version 2 of git's protocol send tags and pull requests, too. */
const LIMITS = { maxBytes: 64_000_000, seconds: 60 };

export interface BranchList {
  /** By name, without `refs/heads/`: the hash of the newest commit, in hexadecimal. At least one. */
  readonly branches: ReadonlyMap<string, string>;
  /** Those to keep in `Repository`. */
  readonly hostKeys: readonly string[];
}

/**
 * The branches of a repository. Rejects with GitError, `empty_repository` where it has none, or with the reason of the
 * signal.
 */
export async function listBranches(
  repository: Repository,
  settings: GitSettings,
  signal: AbortSignal,
): Promise<BranchList> {
  return withSession(repository, settings, LIMITS, signal, async (session) => {
    const branches = await branchesOf(session);
    if (branches.size === 0) throw await noBranch(session);
    return { branches, hostKeys: await session.hostKeys() };
  });
}

/** The branches by name; none of an empty repository. */
export async function branchesOf(session: Session): Promise<Map<string, string>> {
  const branches = new Map<string, string>();
  await session.git(['ls-remote', '--heads', '--', session.url], {
    output: async (stdout) => {
      for await (const line of linesOf(stdout)) {
        const [, hash, name] = /^([0-9a-f]{40,64})\trefs\/heads\/(.+)$/.exec(line) ?? [];
        if (hash === undefined || name === undefined || !isBranchName(name)) continue;
        branches.set(name, hash);
        if (branches.size > MAX_BRANCHES) throw tooManyBranches();
      }
    },
  });
  return branches;
}

export interface DefaultBranch {
  /** null where the repository has none: its HEAD is a commit, or a branch that is not there. */
  readonly defaultBranch: string | null;
  /** Those to keep in `Repository`. */
  readonly hostKeys: readonly string[];
}

/**
 * The branch that the repository's host shows first. It takes all refs of the repository, those of pull requests too, so
 * ask when someone sets a repository up, and not every few minutes. Rejects as `listBranches` does.
 */
export async function findDefaultBranch(
  repository: Repository,
  settings: GitSettings,
  signal: AbortSignal,
): Promise<DefaultBranch> {
  return withSession(repository, settings, LIMITS, signal, async (session) => {
    let defaultBranch: string | null = null;
    let isEmpty = true;
    await session.git(['ls-remote', '--symref', '--', session.url], {
      output: async (stdout) => {
        for await (const line of linesOf(stdout)) {
          const [, name] = /^ref: refs\/heads\/(.+)\tHEAD$/.exec(line) ?? [];
          if (name !== undefined && isBranchName(name)) defaultBranch = name;
          if (line.includes('\trefs/heads/')) isEmpty = false;
        }
      },
    });
    if (isEmpty) throw await noBranch(session);
    return { defaultBranch, hostKeys: await session.hostKeys() };
  });
}

/** Why there is no branch. */
export async function noBranch(session: Session): Promise<GitError> {
  if (await session.speaksGit()) {
    return new GitError(
      'empty_repository',
      'The repository has no branch yet. Push a commit to it first.',
    );
  }
  return new GitError(
    'not_found',
    'There is a web page at this address, and no repository. Copy the address that the host shows for cloning; a private repository needs a token.',
  );
}

function tooManyBranches(): GitError {
  return new GitError(
    'too_many_branches',
    `The repository has more than ${MAX_BRANCHES.toLocaleString('en')} branches. Delete those that are merged, or use a repository of its own for the documentation.`,
  );
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const text of stream.setEncoding('utf8')) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
