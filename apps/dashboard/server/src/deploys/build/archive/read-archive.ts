import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type BuildProblem, problemOf, type SourceFiles } from '@petstore/site/build-log.ts';
import { extract, type Header } from 'tar-stream';
import type { BuildInput } from '../../artifact.ts';
import {
  ArchiveError,
  type ArchiveLimits,
  type Collector,
  collector,
  entryError,
  fileTooLarge,
  unpackedMeter,
} from './collector.ts';
import { readZip } from './read-zip.ts';

const READERS = { 'tar.gz': readTar, zip: readZip };

/**
 * The files of an archive by path (`guides/start.md`), in memory only: nothing is written to disk.
 * A problem when it breaks a limit or a rule of entryPath, or cannot be read to its end.
 */
export async function readArchive(
  kind: Exclude<BuildInput['kind'], 'document'>,
  bytes: Uint8Array,
  name: string,
  limits: ArchiveLimits,
): Promise<{ readonly files: SourceFiles } | { readonly problems: readonly BuildProblem[] }> {
  const files = collector(limits);
  try {
    await READERS[kind](bytes, files, limits);
    return { files: files.files() };
  } catch (error) {
    const { message, entry } = error instanceof ArchiveError ? error : unreadable(kind, error);
    return { problems: [problemOf(message, entry || name)] };
  }
}

/** Errors of zlib, tar-stream and yauzl are always about the archive: they read nothing else. */
function unreadable(kind: string, error: unknown): ArchiveError {
  const reason = error instanceof Error ? error.message.replace(/[.?]+$/, '') : String(error);
  return new ArchiveError(
    `The archive cannot be read as ${kind}: ${reason}. It may be damaged or cut off.`,
  );
}

const KINDS: Record<string, string> = {
  symlink: 'a symbolic link',
  link: 'a hard link',
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a named pipe',
};

/**
 * Reads a tar archive in gzip (RFC 1952) into `files`. It is never in memory as a whole, and reading stops at the first
 * limit. Trailing bytes make it a damaged archive. Throws ArchiveError, and the errors of zlib and tar-stream for
 * damaged archives.
 */
async function readTar(bytes: Uint8Array, files: Collector, limits: ArchiveLimits): Promise<void> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  const entries = extract();
  const count = unpackedMeter(bytes.length, limits);
  const fed = pipeline(
    Readable.from([bytes]),
    gunzip,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        count(chunk.length);
        yield chunk;
      }
    },
    entries,
  );
  // The loop's error is the one to report; this one is the same or follows from it.
  fed.catch(() => undefined);
  for await (const entry of entries) {
    const path = files.enter(entry.header.name, kindOf(entry.header));
    const content = await read(entry, entry.header.name, files.mostBytes(entry.header.name));
    if (path !== undefined) files.add(path, content);
  }
  await fed;
}

function kindOf({ name, type, pax }: Header): 'file' | 'folder' {
  if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse.'))) {
    throw entryError(name, 'is a sparse file: pack it without.');
  }
  if (type === 'directory') return 'folder';
  if (type === 'file' || type === 'contiguous-file') return 'file';
  throw entryError(
    name,
    `is ${KINDS[type] ?? 'of a kind that is unknown here'}: an archive may hold files and folders only.`,
  );
}

async function read(
  entry: AsyncIterable<unknown>,
  name: string,
  most: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of entry as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > most) throw fileTooLarge(name, most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
