import { execFileSync } from 'node:child_process';

const ROOT = new URL('../../../../', import.meta.url).pathname;

/** What figures make anew, and what they therefore do not depend on. */
const FIGURES = ['bench/results', 'docs/performance.md'];

/** The commit, with a mark where the working tree differs from it beyond figures. */
export function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  try {
    const others = FIGURES.map((path) => `:!${path}`);
    const changes = git('status', '--porcelain', '--', '.', ...others);
    return git('rev-parse', '--short=12', 'HEAD') + (changes === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}
