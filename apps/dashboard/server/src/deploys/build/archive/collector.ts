import { displayPath, entryPath, isIgnored } from './entry-path.ts';
import { ARCHIVE_LIMITS, ArchiveError } from './limits.ts';

/** Gathers what an archive holds, and refuses what it must not hold. */
export interface Collector {
  /** To be called once for each record; the path of a file that is to be kept, else undefined. */
  readonly enter: (name: string, kind: 'file' | 'folder') => string | undefined;
  readonly add: (path: string, content: Uint8Array) => void;
  /** The files by path. A single folder around all of them is taken off. */
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

/** In MB, as the limits are given. */
const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;

export function archiveTooLarge(): ArchiveError {
  return new ArchiveError(`The archive is larger than ${megabytes(ARCHIVE_LIMITS.packed)}.`);
}

export function fileTooLarge(name: string): ArchiveError {
  return new ArchiveError(
    `“${displayPath(name)}” is larger than ${megabytes(ARCHIVE_LIMITS.file)}.`,
    displayPath(name),
  );
}

/** Counts what comes out of an archive of `packed` bytes; throws ArchiveRefusal when it is too much. */
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
