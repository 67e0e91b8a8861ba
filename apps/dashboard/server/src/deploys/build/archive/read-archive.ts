import { type BuildInput, type DeployProblem, problemOf } from '../../artifact.ts';
import { ARCHIVE_LIMITS, ArchiveError, archiveTooLarge, collector } from './collector.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';

export type ArchiveFiles = ReadonlyMap<string, Uint8Array>;

const READERS = { 'tar.gz': readTar, zip: readZip };

/**
 * The files of an archive by path (`guides/start.md`), in memory only: nothing is written to disk.
 * A problem when it breaks a rule of ARCHIVE_LIMITS or of entryPath, or cannot be read to its end.
 */
export async function readArchive(
  kind: Exclude<BuildInput['kind'], 'document'>,
  bytes: Uint8Array,
  name: string,
): Promise<{ readonly files: ArchiveFiles } | { readonly problems: readonly DeployProblem[] }> {
  const files = collector();
  try {
    if (bytes.length > ARCHIVE_LIMITS.packed) throw archiveTooLarge();
    await READERS[kind](bytes, files);
    return { files: files.files() };
  } catch (error) {
    const { message, entry } = error instanceof ArchiveError ? error : unreadable(kind, error);
    return { problems: [problemOf(message, entry || name)] };
  }
}

/** What zlib, tar-stream and yauzl throw is about the archive: they are given nothing else. */
function unreadable(kind: string, error: unknown): ArchiveError {
  const reason = error instanceof Error ? error.message.replace(/[.?]+$/, '') : String(error);
  return new ArchiveError(
    `The archive cannot be read as ${kind}: ${reason}. It may be damaged or cut off.`,
  );
}
