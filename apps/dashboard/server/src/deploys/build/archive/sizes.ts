import { shown } from './entry-path.ts';
import { ARCHIVE_LIMITS, ArchiveRefusal } from './limits.ts';

/** In MB, as the limits are given. */
const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;

export function refuseLargePack(): ArchiveRefusal {
  return new ArchiveRefusal(`The archive is larger than ${megabytes(ARCHIVE_LIMITS.packed)}.`);
}

export function refuseLargeFile(name: string): ArchiveRefusal {
  return new ArchiveRefusal(
    `“${shown(name)}” is larger than ${megabytes(ARCHIVE_LIMITS.file)}.`,
    shown(name),
  );
}

/** Counts what comes out of an archive of `packed` bytes; throws ArchiveRefusal when it is too much. */
export function unpackedMeter(packed: number): (bytes: number) => void {
  const believable = ARCHIVE_LIMITS.ratioFrom + ARCHIVE_LIMITS.ratio * packed;
  let unpacked = 0;
  return (bytes) => {
    unpacked += bytes;
    if (unpacked > ARCHIVE_LIMITS.unpacked) {
      throw new ArchiveRefusal(
        `The archive unpacks to more than ${megabytes(ARCHIVE_LIMITS.unpacked)}.`,
      );
    }
    if (unpacked > believable) {
      throw new ArchiveRefusal(
        `The archive unpacks to more than ${ARCHIVE_LIMITS.ratio} times its size.`,
      );
    }
  };
}
