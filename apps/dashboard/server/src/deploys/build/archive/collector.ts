import { displayPath, entryPath, isIgnored } from './entry-path.ts';
import { ARCHIVE_LIMITS, ArchiveError } from './limits.ts';

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
