import { displayPath } from './entry-path.ts';
import { ARCHIVE_LIMITS, ArchiveError } from './limits.ts';

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
