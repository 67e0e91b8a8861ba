import { mkdir, open, symlink } from 'node:fs/promises';
import { GitError } from '../git-error.ts';
import type { Session } from '../process/session.ts';
import { askForBlobs, readBlobs } from './blobs.ts';
import { judgeLinks, type LinkFault } from './links.ts';
import { type BytePath, shownPath, type Tree, type TreeEntry } from './tree.ts';

/** Something in the branch that is not in the folder as its author may expect. */
export interface FetchNotice {
  readonly code: 'submodule' | 'link' | 'lfs_pointer';
  /** In the repository, with `/` between its parts. */
  readonly path: string;
  /** A sentence for people. */
  readonly message: string;
}

const MAX_NOTICES = 100;

/** How Git LFS begins what it puts in the place of a large file: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const LFS_POINTER = Buffer.from('version https://git-lfs.github.com/spec/v1\n');

/** The largest that a pointer may be, in bytes. */
const LFS_POINTER_BYTES = 1_024;

/**
 * Writes the files of a tree to an empty folder, byte for byte: git's own checkout would apply what the repository says
 * about line ends and filters. Links come last, so that nothing is ever written through one, and only those that lead to
 * something in the tree. Rejects with GitError.
 */
export async function writeFiles(
  session: Session,
  gitDir: string,
  tree: Tree,
  folder: string,
): Promise<FetchNotice[]> {
  const notices: FetchNotice[] = tree.submodules.map((path) =>
    notice('submodule', path, 'is a submodule, and is left out'),
  );
  const root = Buffer.from(`${folder}/`);
  const inFolder = (path: BytePath) => Buffer.concat([root, Buffer.from(path, 'latin1')]);
  for (const path of [...tree.folders, ...tree.submodules])
    await mkdir(inFolder(path), { mode: 0o700 }).catch(cannotWrite(path));
  const targets = new Map<BytePath, string>();
  const links = new Set(tree.links);
  const write = async (entry: TreeEntry, chunks: AsyncIterable<Buffer>) => {
    if (links.has(entry)) {
      targets.set(entry.path, (await whole(chunks)).toString('latin1'));
      return;
    }
    const isPointer = await writeFile(inFolder(entry.path), entry, chunks);
    if (isPointer)
      notices.push(
        notice('lfs_pointer', entry.path, 'is a pointer of Git LFS: its content is left out'),
      );
  };
  const blobs = [...tree.files, ...tree.links];
  await session.git(['--git-dir', gitDir, 'cat-file', '--batch'], {
    input: (stdin) => askForBlobs(stdin, blobs),
    output: (stdout) => readBlobs(stdout, blobs, write),
  });
  for (const [path, fault] of judgeLinks(tree, targets)) {
    if (fault !== null) notices.push(notice('link', path, FAULTS[fault]));
    else
      await symlink(Buffer.from(targets.get(path) ?? '', 'latin1'), inFolder(path)).catch(
        cannotWrite(path),
      );
  }
  return notices.slice(0, MAX_NOTICES);
}

const FAULTS: Record<LinkFault, string> = {
  outside: 'is a link that leads out of the repository, and is left out',
  broken: 'is a link to something that is not in the branch, and is left out',
};

function notice(code: FetchNotice['code'], path: BytePath, what: string): FetchNotice {
  const shown = shownPath(path);
  return { code, path: shown, message: `${shown} ${what}.` };
}

/** Whether what was written is a pointer of Git LFS. The file must be new: of two names one would be lost. */
async function writeFile(
  path: Buffer,
  { path: name, size }: TreeEntry,
  chunks: AsyncIterable<Buffer>,
): Promise<boolean> {
  const file = await open(path, 'wx', 0o600).catch(cannotWrite(name));
  try {
    let beginning = Buffer.alloc(0);
    for await (const chunk of chunks) {
      if (size <= LFS_POINTER_BYTES) beginning = Buffer.concat([beginning, chunk]);
      await file.writeFile(chunk);
    }
    return beginning.indexOf(LFS_POINTER) === 0;
  } finally {
    await file.close();
  }
}

async function whole(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

/** Throws the GitError for a name that the file system has already, or does not take. */
function cannotWrite(path: BytePath): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const { code } = error;
    const shown = shownPath(path);
    const why =
      code === 'EEXIST' || code === 'ENOTDIR' || code === 'ENOENT' || code === 'EISDIR'
        ? 'has the name of another file, or one that this system does not tell from it'
        : code === 'ENAMETOOLONG' || code === 'EILSEQ' || code === 'EINVAL'
          ? 'has a name that this system does not take'
          : undefined;
    if (why === undefined) throw error;
    throw new GitError('unsafe_path', `${shown} ${why}. Give it another name.`);
  };
}
