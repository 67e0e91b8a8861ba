import { GitError } from '../git-error.ts';
import { run } from './run.ts';

/** The oldest git that the tests run with (Debian 12's). */
const LOWEST = [2, 39] as const;

/** The programs that were found to be new enough. */
const checked = new Set<string>();

/** Rejects with GitError `git_missing` where there is no git that is new enough. */
export async function checkGit(
  git: string,
  options: { env: Readonly<Record<string, string>>; cwd: string; signal: AbortSignal },
): Promise<void> {
  if (checked.has(git)) return;
  let text = '';
  const { stderr } = await run(git, ['version'], {
    ...options,
    maxFileBytes: 0,
    maxMemoryBytes: 400_000_000,
    seconds: 10,
    output: async (stdout) => {
      for await (const chunk of stdout) text = `${text}${chunk}`.slice(0, 200);
    },
  });
  const found = /^git version (\d+)\.(\d+)/.exec(text);
  const install = `Install git ${LOWEST.join('.')} or newer there.`;
  if (!found) {
    throw new GitError('git_missing', `The machine of the dashboard has no git. ${install}`, {
      detail: stderr || text,
    });
  }
  const [major, minor] = [Number(found[1]), Number(found[2])];
  if (major < LOWEST[0] || (major === LOWEST[0] && minor < LOWEST[1])) {
    throw new GitError(
      'git_missing',
      `The machine of the dashboard has git ${major}.${minor}, which is too old. ${install}`,
    );
  }
  checked.add(git);
}
