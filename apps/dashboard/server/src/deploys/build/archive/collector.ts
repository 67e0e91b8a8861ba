import { formatBytes, truncate } from '@petstore/service/text.ts';
import type { DeployLimits } from '../../deploy-limits.ts';

const MB = 1_000_000;

/** What an archive may have, as its operator has set it. It is enforced while it is read, whatever its headers declare. */
export type ArchiveLimits = Pick<DeployLimits, 'unpackedBytes' | 'archiveFiles' | 'uploadBytes'>;

/** What every archive may have. */
const BOUNDS = {
  /** Bytes of one file that is no document. */
  file: 10 * MB,
  /** Records for each file that it may have: folders, and files that are left out. */
  entriesOfFile: 5,
  /** Bytes of a path in UTF-8. */
  path: 255,
  /** Folders and file of a path. */
  depth: 16,
  /** Bytes unpacked for each packed one, past the first `ratioFrom`: text reaches 20, a bomb 1,000. */
  ratio: 100,
  ratioFrom: 10 * MB,
} as const;

/** The refusal of an archive. The message is for the uploader. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
  /** The entry, by its name in the archive; empty where the problem is the archive as a whole. */
  readonly entry: string;

  constructor(message: string, entry = '') {
    super(message);
    this.entry = entry;
  }
}

/** A name for a message, shortened and escaped: it may be anything. */
function displayPath(name: string): string {
  const text = JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\');
  return truncate(text, 120);
}

/**
 * The path of an entry, from the archive's root: segments with `/` between them, in Unicode form NFC.
 * undefined for the root itself. Throws ArchiveError for a name that could mean another place, on any
 * system that unpacks it.
 */
function entryPath(name: string): string | undefined {
  const refuse = (rule: string) =>
    new ArchiveError(`${rule}: “${displayPath(name)}”.`, displayPath(name));
  // Decoders put U+FFFD where bytes are not UTF-8.
  if (name.includes('\ufffd') || !name.isWellFormed()) throw refuse('A name is not valid UTF-8');
  if (/\p{Cc}/u.test(name)) throw refuse('A name holds a control character');
  if (name.includes('\\')) throw refuse('A name holds a backslash; folders are separated by “/”');
  if (name.startsWith('/')) throw refuse('A name is an absolute path');
  const path = name
    .normalize('NFC')
    .replace(/^(\.\/)+/, '')
    .replace(/\/$/, '');
  if (path === '' || path === '.') return undefined;
  const segments = path.split('/');
  // In any segment, since the ones before it may be removed, such as a folder around all files.
  if (segments.some((segment) => /^[a-z]:/i.test(segment))) {
    throw refuse('A name has a drive letter');
  }
  if (segments.includes('..')) throw refuse('A name leads out of the archive with “..”');
  if (segments.includes('.') || segments.includes('')) {
    throw refuse('A name has an empty or “.” segment');
  }
  if (Buffer.byteLength(path) > BOUNDS.path) {
    throw refuse(`A path may have at most ${BOUNDS.path} bytes`);
  }
  if (segments.length > BOUNDS.depth) {
    throw refuse(`A path may be at most ${BOUNDS.depth} levels deep`);
  }
  return path;
}

/** Files that macOS adds to the folders that it packs. */
function isIgnored(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return path.startsWith('__MACOSX/') || name === '.DS_Store' || name.startsWith('._');
}

/** Collects the files of an archive, and refuses forbidden ones. */
export interface Collector {
  /** To be called once for each record. Returns the path of a file to keep, undefined for any other record. */
  readonly enter: (name: string, kind: 'file' | 'folder') => string | undefined;
  readonly add: (path: string, content: Uint8Array) => void;
  /** How many bytes a file may have. */
  readonly mostBytes: (name: string) => number;
  /** The files by path. A single folder around all of them is removed. */
  readonly files: () => Map<string, Uint8Array>;
}

export function collector(limits: ArchiveLimits): Collector {
  const { archiveFiles } = limits;
  const files = new Map<string, Uint8Array>();
  const names = new Map<string, string>();
  let entries = 0;

  const claim = (path: string): void => {
    const earlier = names.get(folded(path));
    if (earlier === path)
      throw new ArchiveError(`“${displayPath(path)}” is in the archive twice.`, path);
    if (earlier !== undefined) {
      throw new ArchiveError(
        `“${displayPath(path)}” and “${displayPath(earlier)}” are the same name on systems that ignore case.`,
        path,
      );
    }
    names.set(folded(path), path);
  };

  return {
    enter(name, kind) {
      entries += 1;
      if (entries > archiveFiles * BOUNDS.entriesOfFile) {
        throw new ArchiveError(`The archive has more than ${number(entries - 1)} entries.`);
      }
      const path = entryPath(name);
      if (path === undefined || kind === 'folder' || isIgnored(path)) return undefined;
      claim(path);
      // Those beyond the limit are counted, for the refusal.
      return names.size > archiveFiles ? undefined : path;
    },
    add: (path, content) => files.set(path, content),
    mostBytes: (path) => (DOCUMENT.test(path) ? limits.uploadBytes : BOUNDS.file),
    files() {
      if (names.size > archiveFiles) throw tooManyFiles(names.size, archiveFiles);
      refuseFilesAsFolders(files);
      return withoutOuterFolder(files);
    },
  };
}

/** Unicode has no case mapping that folds all: this one knows `ß`, `ẞ` and `SS` to be the same. */
function folded(path: string): string {
  return path.toLowerCase().toUpperCase().normalize('NFC').toLowerCase();
}

function refuseFilesAsFolders(files: ReadonlyMap<string, unknown>): void {
  for (const path of files.keys()) {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (files.has(folder)) {
        throw new ArchiveError(`“${displayPath(folder)}” is a file and a folder.`, folder);
      }
    }
  }
}

function withoutOuterFolder(files: Map<string, Uint8Array>): Map<string, Uint8Array> {
  const outer = new Set([...files.keys()].map((path) => path.slice(0, path.indexOf('/') + 1)));
  const [folder = ''] = outer;
  if (outer.size !== 1 || folder === '') return files;
  return new Map([...files].map(([path, content]) => [path.slice(folder.length), content]));
}

/** The refusal of an entry: `what` follows its name in the message. */
export function entryError(name: string, what: string): ArchiveError {
  return new ArchiveError(`“${displayPath(name)}” ${what}`, displayPath(name));
}

const number = (value: number) => value.toLocaleString('en');

/** Files that may be OpenAPI documents. */
const DOCUMENT = /\.(?:json|ya?ml)$/i;

function tooManyFiles(files: number, most: number): ArchiveError {
  return new ArchiveError(
    `The archive holds ${number(files)} files, ${number(files - most)} more than this service takes. Its operator sets the limit of ${number(most)} (DASHBOARD_MAX_ARCHIVE_FILES).`,
  );
}

export function fileTooLarge(name: string, most: number): ArchiveError {
  return entryError(name, `is larger than ${formatBytes(most)}.`);
}

/** Counts the unpacked bytes of an archive of `packed` bytes; throws ArchiveError when there are too many. */
export function unpackedMeter(packed: number, { unpackedBytes }: ArchiveLimits) {
  const believable = BOUNDS.ratioFrom + BOUNDS.ratio * packed;
  let unpacked = 0;
  return (bytes: number): void => {
    unpacked += bytes;
    if (unpacked > unpackedBytes) {
      throw new ArchiveError(
        `The archive unpacks to more than the ${formatBytes(unpackedBytes)} that this service takes. Its operator sets the limit (DASHBOARD_MAX_UNPACKED_BYTES).`,
      );
    }
    if (unpacked > believable) {
      throw new ArchiveError(`The archive unpacks to more than ${BOUNDS.ratio} times its size.`);
    }
  };
}
