import { GitError } from '../git-error.ts';
import type { BytePath, Tree } from './tree.ts';

export type LinkFault = 'outside' | 'broken';

/** Parts of targets that are walked for all links together. Real repositories have some thousand. */
const MAX_STEPS = 1_000_000;

/** As many links on one way as Linux follows. */
const MAX_HOPS = 40;

/**
 * Which symbolic links lead to a file or folder of the tree, read as the system would, with `..` behind a link's folder
 * and links to links; of the others, why not. A link leads nowhere outside on its way, not even to come back: where the
 * tree lies is not known to its author. `targets`: what each link says, by its path. Throws GitError where the links lead
 * through each other too often.
 */
export function judgeLinks(
  { folders, files }: Pick<Tree, 'folders' | 'files'>,
  targets: ReadonlyMap<BytePath, string>,
): Map<BytePath, LinkFault | null> {
  const there = new Set([...folders, ...files.map(({ path }) => path), '']);
  const isFolder = new Set([...folders, '']);
  let steps = 0;
  const judge = (link: BytePath): LinkFault | null => {
    // This one is the first.
    let hops = 1;
    let at = parent(link);
    // What is still to be walked, the next part last.
    const left = partsOf(targets.get(link) ?? '');
    if (targets.get(link)?.startsWith('/')) return 'outside';
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      if (++steps > MAX_STEPS) throw tangled();
      if (part === '' || part === '.') continue;
      if (!isFolder.has(at)) return 'broken';
      if (part === '..') {
        if (at === '') return 'outside';
        at = parent(at);
        continue;
      }
      const next = at === '' ? part : `${at}/${part}`;
      const target = targets.get(next);
      if (target === undefined) {
        at = next;
        continue;
      }
      if (target.startsWith('/')) return 'outside';
      if (++hops > MAX_HOPS) return 'broken';
      left.push(...partsOf(target));
    }
    return there.has(at) ? null : 'broken';
  };
  return new Map([...targets.keys()].map((link) => [link, judge(link)]));
}

function tangled(): GitError {
  return new GitError(
    'unsafe_path',
    'The branch has too many symbolic links that lead to other links. Put files in their places.',
  );
}

const partsOf = (target: string): string[] => target.split('/').reverse();

function parent(path: BytePath): BytePath {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}
