import { displayPath } from './entry-path.ts';
import { ArchiveError } from './limits.ts';

/** The bytes of an entry: its header, then its content, up to `end`. */
export interface Span {
  readonly name: string;
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

const END_SIZE = 22;
const ZIP64_LOCATOR_SIZE = 20;
const ZIP64_LOCATOR = 0x07064b50;

/** Where the central directory starts, and where the record after it is (APPNOTE, section 4.3.16). */
export function directoryEnd(zip: Buffer, commentLength: number): { start: number; at: number } {
  const at = zip.length - commentLength - END_SIZE;
  const locator = at - ZIP64_LOCATOR_SIZE;
  // Zip64 could contradict the other sizes, and no archive within the limits needs it.
  if (locator >= 0 && zip.readUInt32LE(locator) === ZIP64_LOCATOR) {
    throw new ArchiveError(
      'The archive is in the zip64 format, for more than 4 GB: use plain zip.',
    );
  }
  return { start: zip.readUInt32LE(at + 16), at };
}

/** With entries that share bytes, a small archive could unpack to a huge one. */
export function refuseOverlaps(spans: readonly Span[], directoryStart: number): void {
  let free = 0;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (span.start < free || span.end > directoryStart) {
      throw new ArchiveError(
        `“${displayPath(span.name)}” shares bytes with another part of the archive.`,
        displayPath(span.name),
      );
    }
    if (free === 0 && span.start !== 0) {
      throw new ArchiveError('Something precedes the beginning of the archive.');
    }
    free = span.end;
  }
}
