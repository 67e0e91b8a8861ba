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
