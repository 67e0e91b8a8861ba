import type { Readable } from 'node:stream';
import { GitError } from '../git-error.ts';

/** Paths are text of one letter for each byte, since a file's name may be in any encoding. */
export type BytePath = string;

export interface TreeEntry {
  readonly path: BytePath;
  /** Of a blob in hexadecimal. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
}

/** What a commit has in it. */
export interface Tree {
  /** Parents come before what is in them. */
  readonly folders: readonly BytePath[];
  readonly files: readonly TreeEntry[];
  readonly links: readonly TreeEntry[];
  readonly submodules: readonly BytePath[];
}

export interface TreeLimits {
  /** Of all files together. */
  readonly maxBytes: number;
  /** Of files, folders, links and submodules together. */
  readonly maxFiles: number;
}

/** In bytes: what file systems take (NAME_MAX), and a path below a folder that has a path of its own (PATH_MAX). */
const MAX_NAME = 255;
const MAX_PATH = 2_048;

/** The deepest known trees, of Java, have thirty. */
const MAX_DEPTH = 100;

/** What a link's target has at most, in bytes. */
const MAX_LINK = 4_096;

/**
 * Reads what `git ls-tree -r -t -l -z` prints, and stops at the first thing that is too much: a few hundred bytes of
 * trees can have as many files as there are atoms. Rejects with GitError.
 */
export async function readTree(stdout: Readable, limits: TreeLimits): Promise<Tree> {
  const tree = {
    folders: [] as BytePath[],
    files: [] as TreeEntry[],
    links: [] as TreeEntry[],
    submodules: [] as BytePath[],
  };
  const seen = new Set<BytePath>();
  let bytes = 0;
  for await (const line of recordsOf(stdout)) {
    const [, mode, type, hash = '', digits, path] =
      /^([0-7]+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    if (path === undefined || (type === 'blob' && digits === '-')) throw broken(line);
    refuseUnsafe(path);
    if (seen.has(path)) throw unsafe(path, 'is there twice');
    if (seen.add(path).size > limits.maxFiles) throw tooManyFiles(limits.maxFiles);
    const size = Number(digits);
    if (type === 'tree') tree.folders.push(path);
    else if (type === 'commit') tree.submodules.push(path);
    else if (type !== 'blob') throw broken(line);
    else if (!mode?.startsWith('12')) tree.files.push({ path, hash, size });
    else if (size <= MAX_LINK) tree.links.push({ path, hash, size });
    else throw unsafe(path, 'is a link whose target is too long');
    if (type === 'blob') bytes += size;
    if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
  }
  return tree;
}

/** A path for people. */
export function shownPath(path: BytePath): string {
  const text = Buffer.from(path, 'latin1').toString();
  return text.replace(/\p{Cc}/gu, '\u{fffd}');
}

/** Throws GitError for a path that leads out of the folder, into git's own files, or that no file system takes. */
function refuseUnsafe(path: BytePath): void {
  const names = path.split('/');
  if (names.length > MAX_DEPTH) throw unsafe(path, `is deeper than ${MAX_DEPTH} folders`);
  if (path.length > MAX_PATH) throw unsafe(path, `is longer than ${MAX_PATH} bytes`);
  for (const name of names) {
    if (name === '' || name === '.' || name === '..')
      throw unsafe(path, 'has a part that leads elsewhere');
    if (name.length > MAX_NAME) throw unsafe(path, `has a part of more than ${MAX_NAME} bytes`);
    if (name.toLowerCase() === '.git') throw unsafe(path, "would be among git's own files");
  }
}

function unsafe(path: BytePath, why: string): GitError {
  const shown = shownPath(path);
  return new GitError(
    'unsafe_path',
    `${shown.length > 200 ? `${shown.slice(0, 200)}…` : shown} ${why}. Remove it from the branch, or give it another name.`,
  );
}

function tooManyFiles(most: number): GitError {
  return new GitError(
    'too_many_files',
    `The branch has more than ${most.toLocaleString('en')} files and folders. Use a smaller repository for the documentation, or have the limit raised.`,
  );
}

function tooLarge(maxBytes: number): GitError {
  return new GitError(
    'too_large',
    `The branch has files of more than ${Math.ceil(maxBytes / 1_000_000)} MB together. Use a smaller repository for the documentation, or have the limit raised.`,
  );
}

function broken(line: string): GitError {
  return new GitError(
    'bad_repository',
    'The branch has an entry that is not what git writes. Clone it on your machine to see whether it is whole.',
    { detail: shownPath(line.slice(0, 300)) },
  );
}

/** Records that end with a NUL. */
async function* recordsOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const text of stream.setEncoding('latin1')) {
    const records = `${rest}${text}`.split('\0');
    rest = records.pop() ?? '';
    if (rest.length > MAX_RECORD) throw broken(rest);
    yield* records;
  }
}

/** A path is told apart only at its end. */
const MAX_RECORD = 1_000_000;
