import { truncate } from '@petstore/service/text.ts';

const MB = 1024 * 1024;

/** The limits of an archive. They are enforced while it is read, whatever its headers declare. */
export const ARCHIVE_LIMITS = {
  /** Bytes as uploaded. */
  packed: 50 * MB,
  /** Unpacked bytes, the format's own included. */
  unpacked: 200 * MB,
  /** Bytes of one file. */
  file: 10 * MB,
  /** Files that are kept. */
  files: 2_000,
  /** Records, including folders and files that are left out. */
  entries: 10_000,
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
  override name = 'ArchiveRefusal';
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
 * undefined for the root itself. Throws ArchiveRefusal for a name that could mean another place, on any
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
  if (Buffer.byteLength(path) > ARCHIVE_LIMITS.path) {
    throw refuse(`A path may have at most ${ARCHIVE_LIMITS.path} bytes`);
  }
  if (segments.length > ARCHIVE_LIMITS.depth) {
    throw refuse(`A path may be at most ${ARCHIVE_LIMITS.depth} levels deep`);
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
  /** The files by path. A single folder around all of them is removed. */
  readonly files: () => Map<string, Uint8Array>;
}

export function collector(): Collector {
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
    if (names.size > ARCHIVE_LIMITS.files) {
      throw new ArchiveError(`The archive holds more than ${ARCHIVE_LIMITS.files} files.`);
    }
  };

  return {
    enter(name, kind) {
      entries += 1;
      if (entries > ARCHIVE_LIMITS.entries) {
        throw new ArchiveError(`The archive has more than ${ARCHIVE_LIMITS.entries} entries.`);
      }
      const path = entryPath(name);
      if (path === undefined || kind === 'folder' || isIgnored(path)) return undefined;
      claim(path);
      return path;
    },
    add: (path, content) => files.set(path, content),
    files() {
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

/** In MB, as the limits are given. */
const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;

export function archiveTooLarge(): ArchiveError {
  return new ArchiveError(`The archive is larger than ${megabytes(ARCHIVE_LIMITS.packed)}.`);
}

export function fileTooLarge(name: string): ArchiveError {
  return entryError(name, `is larger than ${megabytes(ARCHIVE_LIMITS.file)}.`);
}

/** Counts the unpacked bytes of an archive of `packed` bytes; throws ArchiveRefusal when there are too many. */
export function unpackedMeter(packed: number): (bytes: number) => void {
  const believable = ARCHIVE_LIMITS.ratioFrom + ARCHIVE_LIMITS.ratio * packed;
  let unpacked = 0;
  return (bytes) => {
    unpacked += bytes;
    if (unpacked > ARCHIVE_LIMITS.unpacked) {
      throw new ArchiveError(
        `The archive unpacks to more than ${megabytes(ARCHIVE_LIMITS.unpacked)}.`,
      );
    }
    if (unpacked > believable) {
      throw new ArchiveError(
        `The archive unpacks to more than ${ARCHIVE_LIMITS.ratio} times its size.`,
      );
    }
  };
}
