import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CommitQuery } from '../../deploys/commit/read-commit.ts';

const run = promisify(execFile);

/** Longer than git takes in the largest repository. Without an answer the deploy has no commit. */
const TIMEOUT_MS = 10_000;

/** What is uploaded, in a checkout. */
export interface UploadPlace {
  /** The folder that is the root of the upload. */
  readonly folder: string;
  /** The uploaded document, by its path in the folder; undefined for the whole folder. */
  readonly document: string | undefined;
}

/** The lines that git prints in a folder; undefined where it fails, as where the folder is in no repository. */
async function git(folder: string, ...args: string[]): Promise<string | undefined> {
  try {
    const options = { cwd: folder, timeout: TIMEOUT_MS, maxBuffer: 10_000_000 };
    const { stdout } = await run('git', ['-c', 'core.fsmonitor=false', ...args], options);
    return stdout.trimEnd() || undefined;
  } catch {
    return undefined;
  }
}

/** The commit that is checked out in a folder; undefined where none is. */
export const headOf = (folder: string) => git(folder, 'rev-parse', '--verify', 'HEAD');

/** Who wrote a commit, and what they wrote of it; nothing where the checkout does not have it. */
export async function authorOf(folder: string, hash: string): Promise<CommitQuery> {
  const format = '--format=%an%x00%s';
  const shown = await git(folder, 'show', '-s', '--no-show-signature', format, `${hash}^{commit}`);
  const [author, message] = shown?.split('\0') ?? [];
  return {
    ...(author && { 'commit-author': author }),
    ...(message && { 'commit-message': message }),
  };
}

/** The branch that is checked out, and the address of the remote `origin`. */
export async function branchOf(folder: string): Promise<CommitQuery> {
  const branch = await git(folder, 'symbolic-ref', '--quiet', '--short', 'HEAD');
  const repository = await git(folder, 'remote', 'get-url', 'origin');
  return { ...(branch && { 'commit-branch': branch }), ...(repository && { repository }) };
}

/** Where the upload is in its repository; nothing where it is not a part of the commit, but made of it. */
export async function placeOf({ folder, document }: UploadPlace): Promise<CommitQuery> {
  const path = document === undefined ? [] : ['--', document];
  const isCommitted = await git(folder, 'ls-tree', '--name-only', 'HEAD', ...path);
  const top = isCommitted && (await git(folder, 'rev-parse', '--show-toplevel'));
  if (!top) return {};
  return { 'repository-folder': (await git(folder, 'rev-parse', '--show-prefix')) ?? '.' };
}
