import { promisify } from 'node:util';
import { crc32, inflateRaw, type ZlibOptions } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import {
  ArchiveError,
  type ArchiveLimits,
  type Collector,
  entryError,
  fileTooLarge,
  unpackedMeter,
} from './collector.ts';

const FOLDER = 0o040000;
const REGULAR = 0o100000;
const SYMLINK = 0o120000;

/**
 * Reads a zip archive (APPNOTE 6.3) into `files`, and stops at the first limit. Only what the central directory lists
 * exists, and each local header must agree with it, so that every reader sees the same files. Throws ArchiveError,
 * and the errors of zlib and yauzl for damaged archives.
 */
export async function readZip(
  bytes: Uint8Array,
  files: Collector,
  limits: ArchiveLimits,
): Promise<void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const zip = await fromBufferPromise(buffer, { decodeStrings: false });
  const end = directoryEnd(buffer, zip.comment.length);
  const count = unpackedMeter(bytes.length, limits);
  const spans: Span[] = [];
  let directory = end.start;
  for await (const entry of zip.eachEntry()) {
    directory += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    // Many tools write UTF-8 without the flag that says so.
    const name = entry.fileNameRaw.toString('utf8');
    const path = files.enter(name, kindOf(entry, name));
    const span = await spanOf(zip, entry, name);
    spans.push(span);
    const content = await unpack(buffer.subarray(span.content, span.end), entry, {
      name,
      most: files.mostBytes(name),
    });
    count(content.length);
    if (path !== undefined) files.add(path, content);
  }
  if (directory !== end.at) {
    throw new ArchiveError('The list of files does not end where the archive says it does.');
  }
  refuseOverlaps(spans, end.start);
}

function kindOf(entry: Entry, name: string): 'file' | 'folder' {
  const refuse = (what: string) => entryError(name, `is ${what}.`);
  // Bit 0: encrypted; bit 13: names in the directory are masked.
  if (entry.generalPurposeBitFlag & 0x2001) throw refuse('encrypted: pack it without a password');
  // The mode of Unix, where there is one.
  const type = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (type === SYMLINK) throw refuse('a symbolic link: an archive may hold files and folders only');
  if (type !== 0 && type !== FOLDER && type !== REGULAR) {
    throw refuse('a device or pipe: an archive may hold files and folders only');
  }
  const isFolder = name.endsWith('/');
  if (isFolder !== (type === FOLDER) && type !== 0) throw refuse('a file and a folder at once');
  if (isFolder && entry.uncompressedSize !== 0) throw refuse('a folder with content of its own');
  return isFolder ? 'folder' : 'file';
}

/** The position of an entry in the archive. */
async function spanOf(zip: ZipFile, entry: Entry, name: string): Promise<Span> {
  const local = await zip.readLocalFileHeaderPromise(entry);
  const differs =
    !local.fileName.equals(entry.fileNameRaw) ||
    local.compressionMethod !== entry.compressionMethod;
  if (differs) throw entryError(name, "is not the same in the archive's two lists of files.");
  return {
    name,
    start: entry.relativeOffsetOfLocalHeader,
    content: local.fileDataStart,
    end: local.fileDataStart + entry.compressedSize,
  };
}

const inflate = promisify(inflateRaw) as unknown as (
  packed: Uint8Array,
  options: ZlibOptions,
) => Promise<{ buffer: Buffer; engine: { bytesWritten: number } }>;

/** An entry's name in the archive, and how many bytes it may have. */
interface Bounded {
  readonly name: string;
  readonly most: number;
}

async function unpack(packed: Buffer, entry: Entry, file: Bounded): Promise<Uint8Array> {
  const { name, most } = file;
  const content = await uncompressed(packed, entry, file);
  if (content.length > most) throw fileTooLarge(name, most);
  const isWhole = content.length === entry.uncompressedSize && crc32(content) === entry.crc32;
  if (!isWhole) throw entryError(name, 'is damaged.');
  return content;
}

async function uncompressed(
  packed: Buffer,
  entry: Entry,
  { name, most }: Bounded,
): Promise<Uint8Array> {
  if (packed.length !== entry.compressedSize) {
    throw entryError(name, "goes on after the archive's end.");
  }
  if (entry.compressionMethod === 0) return packed;
  if (entry.compressionMethod !== 8) {
    throw entryError(name, 'is compressed in a way that is unknown here: use “deflate”.');
  }
  try {
    const { buffer, engine } = await inflate(packed, { maxOutputLength: most, info: true });
    if (engine.bytesWritten === packed.length) return buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw fileTooLarge(name, most);
  }
  throw entryError(name, 'is damaged.');
}

/** The bytes of an entry: its header, then its content, up to `end`. */
interface Span {
  readonly name: string;
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

const END_SIZE = 22;
const ZIP64_LOCATOR_SIZE = 20;
const ZIP64_LOCATOR = 0x07064b50;

/** Where the central directory starts, and where the record after it is (APPNOTE, section 4.3.16). */
function directoryEnd(zip: Buffer, commentLength: number): { start: number; at: number } {
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
function refuseOverlaps(spans: readonly Span[], directoryStart: number): void {
  let free = 0;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (span.start < free || span.end > directoryStart) {
      throw entryError(span.name, 'shares bytes with another part of the archive.');
    }
    if (free === 0 && span.start !== 0) {
      throw new ArchiveError('Something precedes the beginning of the archive.');
    }
    free = span.end;
  }
}
