import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of a commit: a file's content, the target of a symbolic link, or the commit of a submodule. */
export type TestEntry =
  | string
  | Buffer
  | { readonly link: string }
  | { readonly submodule: string }
  | { readonly executable: string };

export interface CommitOptions {
  readonly branch?: string;
  readonly message?: string;
  readonly author?: string;
  /** Seconds since 1970, and the zone. */
  readonly date?: string;
  /** Begins a history of its own, as a force-push of another one does. */
  readonly isOrphan?: boolean;
}

/** A bare repository on the disk, whose commits are written without a work tree: so it may have any path in it. */
export interface TestRepository {
  readonly folder: string;
  /** Commits these files and no others to a branch (`main`); the commit's hash. */
  commit(files: Readonly<Record<string, TestEntry>>, options?: CommitOptions): string;
  /** Runs git in it; what it prints. */
  git(args: readonly string[], input?: string | Buffer): string;
}

/** A new repository `name` in a folder. */
export function makeTestRepository(root: string, name: string): TestRepository {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const git = (args: readonly string[], input: string | Buffer = '') => {
    const { status, stdout, stderr } = spawnSync('git', ['--git-dir', folder, ...args], {
      input,
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...IDENTITY },
      maxBuffer: 1e9,
    });
    if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
    return `${stdout}`.trim();
  };
  git(['init', '--quiet', '--bare', '--initial-branch=main']);
  return {
    folder,
    git,
    commit(files, { branch = 'main', message = 'A change', isOrphan = false, ...by } = {}) {
      const { author = 'Ada Lovelace <ada@example.com>', date = '1780000000 +0200' } = by;
      const ref = `refs/heads/${branch}`;
      const parts = [
        ...(isOrphan ? [`reset ${ref}\n`] : []),
        `commit ${ref}\nauthor ${author} ${date}\ncommitter ${author} ${date}\n`,
        data(Buffer.from(message)),
        ...(isOrphan || !hasRef(git, ref) ? [] : [`from ${ref}^0\n`]),
        'deleteall\n',
        ...Object.entries(files).flatMap(([path, entry]) => change(path, entry)),
        '\n',
      ];
      git(
        ['fast-import', '--quiet', '--force'],
        Buffer.concat(parts.map((part) => Buffer.from(part as string))),
      );
      return git(['rev-parse', ref]);
    },
  };
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ada Lovelace',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada Lovelace',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

function hasRef(git: TestRepository['git'], ref: string): boolean {
  return git(['for-each-ref', ref]) !== '';
}

function change(path: string, entry: TestEntry): (string | Buffer)[] {
  const name = `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  if (typeof entry === 'string' || Buffer.isBuffer(entry))
    return [`M 100644 inline ${name}\n`, data(Buffer.from(entry as string))];
  if ('link' in entry) return [`M 120000 inline ${name}\n`, data(Buffer.from(entry.link))];
  if ('executable' in entry)
    return [`M 100755 inline ${name}\n`, data(Buffer.from(entry.executable))];
  return [`M 160000 ${entry.submodule} ${name}\n`];
}

function data(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n')]);
}
