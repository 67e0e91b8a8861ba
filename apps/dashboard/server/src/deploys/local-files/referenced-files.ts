import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { FileFinder } from '@petstore/site/openapi/bundle/referenced-files.ts';
import type { ReadDocument } from '@petstore/site/openapi/read-document.ts';

/** A document with the files that it refers to. */
export interface DocumentFiles {
  /** The folder that has all of them. */
  readonly root: string;
  /** The document's path in that folder. */
  readonly document: string;
  /** By path in that folder, with `/` between its parts, the document too. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Files that are there, and that are not sent: why, with the path. */
  readonly refused: readonly string[];
}

/** A `$ref` or `mapping` that may lead into another file, in YAML or JSON. Most documents have none. */
const ELSEWHERE = /\$ref["']?\s*:\s*["']?[^#"'\s]|mapping["']?\s*:/;

/** Where the files are that a document may bring along. */
export interface FileScope {
  /** Their real paths. */
  readonly folders: readonly string[];
  /** Whether its author is told which of the others are there: nobody learns by a document what a server has. */
  readonly tellsOthers: boolean;
}

/**
 * The scope on the machine of a document's author: below its folder, in its Git repository, or below the folder that the
 * command runs in.
 */
export function scopeAround(document: string): FileScope {
  const folder = dirname(realpathSync.native(document));
  return { folders: [folder, repositoryOf(folder), realpathSync.native('.')], tellsOthers: true };
}

/**
 * The files that the document at a path refers to, and those that they refer to, in `scope`. undefined where it
 * refers to none, or where the document cannot be read: then the service says why. `mostBytes`: what all may have
 * together.
 */
export async function documentFiles(
  path: string,
  bytes: Buffer,
  mostBytes: number,
  scope: FileScope,
): Promise<DocumentFiles | undefined> {
  if (!ELSEWHERE.test(bytes.toString('latin1'))) return undefined;
  // Loaded here: most documents need none of it.
  const { readDocument } = await import('@petstore/site/openapi/read-document.ts');
  const read = readDocument(bytes, path);
  return 'problem' in read ? undefined : filesOf(path, read, bytes, mostBytes, scope);
}

/** The same of a document that was read. */
export async function filesOf(
  path: string,
  read: ReadDocument,
  bytes: Buffer,
  mostBytes: number,
  scope: FileScope,
): Promise<DocumentFiles | undefined> {
  if (!refersElsewhere(read.value)) return undefined;
  const { bundleDocument } = await import('@petstore/site/openapi/bundle/bundle-document.ts');
  const document = realpathSync.native(path);
  const disk = new Disk(document, mostBytes, scope);
  const file = document.slice(1);
  const whole = bundleDocument(read, { file, bytes: bytes.length }, disk);
  // With a reference to nothing it is sent with its path, too: the service then says what is not there.
  if ('problem' in whole || whole.files.length + whole.told.size === 0) return undefined;
  const others = whole.files.map(
    (name) => [`/${name}`, disk.find(name)?.bytes ?? NOTHING] as const,
  );
  const found = new Map<string, Uint8Array>([[document, bytes], ...others]);
  const root = commonFolder([...found.keys()]);
  const inRoot = (name: string) => relative(root, name);
  return {
    root,
    document: inRoot(document),
    files: new Map([...found].map(([name, content]) => [inRoot(name), content])),
    refused: disk.refused,
  };
}

/** Whether a value has a reference that begins with anything but `#`, or a `mapping`, whose names may be files'. */
function refersElsewhere(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(refersElsewhere);
  for (const name in value) {
    const member: unknown = value[name as keyof typeof value];
    if (name === '$ref' && typeof member === 'string' && !member.startsWith('#')) return true;
    if (name === 'mapping' && namesFiles(member)) return true;
    if (refersElsewhere(member)) return true;
  }
  return false;
}

/** Whether the values of a `mapping` may be files' names. */
const namesFiles = (mapping: unknown): boolean =>
  typeof mapping === 'object' &&
  Object.values(mapping ?? {}).some((one) => typeof one === 'string' && !one.startsWith('#'));

const NOTHING = new Uint8Array();

/** What may be sent: a document of somebody else's may refer to any file of this machine. */
const SENDABLE = /\.(?:ya?ml|json|mdx?|markdown|txt)$/i;

/** Finds files on the disk, by their absolute paths without the first `/`. */
class Disk implements FileFinder {
  readonly mostBytes: number;
  readonly refused: string[] = [];
  readonly #asked = new Map<string, { path: string; bytes: Uint8Array } | undefined>();
  readonly #folder: string;
  readonly #scope: FileScope;
  #left: number;

  /** `document`: its absolute path. */
  constructor(document: string, mostBytes: number, scope: FileScope) {
    this.mostBytes = mostBytes;
    this.#left = mostBytes;
    this.#folder = dirname(document);
    this.#scope = scope;
  }

  find(path: string): { path: string; bytes: Uint8Array } | undefined {
    if (!this.#asked.has(path)) this.#asked.set(path, this.#read(`/${path}`));
    return this.#asked.get(path);
  }

  /** Files are not searched for by what is in them: only what is named by its path is sent. */
  all(): [] {
    return [];
  }

  #read(asked: string): { path: string; bytes: Uint8Array } | undefined {
    if (!this.#scope.tellsOthers && !this.#isInScope(asked)) return undefined;
    // Names on the disk may be in either form of Unicode.
    const path = [asked, asked.normalize('NFD')].find((one) => existsSync(one));
    if (path === undefined) return undefined;
    const real = realpathSync.native(path);
    const reason = this.#whyNotSent(path, real);
    if (reason !== undefined) {
      this.refused.push(`${path} is not sent: ${reason}.`);
      return undefined;
    }
    return { path: real.slice(1).normalize('NFC'), bytes: readFileSync(real) };
  }

  #isInScope(path: string): boolean {
    return this.#scope.folders.some((folder) => isBelow(path, folder));
  }

  #whyNotSent(path: string, real: string): string | undefined {
    const isHidden = relative(this.#folder, real)
      .split('/')
      .some((part) => /^\.(?!\.?$)/.test(part));
    if (isHidden) return 'its name, or that of its folder, begins with a dot';
    if (!this.#isInScope(real))
      return 'it is outside the folder of the document and its Git repository. Run the command in a folder that has both, if it is to be published';
    // On systems that ignore case the name may be written in another one.
    if (folded(path) !== folded(real)) return 'it is a link, or in a linked folder';
    if (!SENDABLE.test(real)) return 'only YAML, JSON, Markdown and text are';
    const stats = statSync(real);
    if (!stats.isFile()) return 'it is no regular file';
    this.#left -= stats.size;
    if (this.#left < 0) return 'together with the others it is larger than a document may be';
    try {
      accessSync(real, constants.R_OK);
    } catch {
      return 'this user may not read it';
    }
    return undefined;
  }
}

/** The closest folder with a Git repository around a folder; the folder itself where there is none. */
function repositoryOf(folder: string): string {
  for (let at = folder; dirname(at) !== at; at = dirname(at))
    if (existsSync(join(at, '.git'))) return at;
  return folder;
}

const isBelow = (path: string, folder: string): boolean =>
  !/^\.\.(?:\/|$)/.test(relative(folder, path));

const folded = (path: string) => path.normalize('NFC').toLowerCase();

/** The deepest folder that has all files, which are absolute paths. */
function commonFolder([first = '/', ...others]: readonly string[]): string {
  let folder = dirname(first);
  while (!others.every((path) => path.startsWith(folder === '/' ? '/' : `${folder}/`)))
    folder = dirname(folder);
  return folder;
}
