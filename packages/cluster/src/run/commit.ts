import { execFileSync } from 'node:child_process';

const ROOT = new URL('../../../../', import.meta.url).pathname;

/** Files that are written with new figures, so that figures do not depend on them. */
const FIGURES = ['bench/results', 'docs/performance.md'];

/** The commit, with a mark if files other than figures differ from it. */
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
