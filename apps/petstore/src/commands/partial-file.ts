import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { lockFile } from '@petstore/service/file-lock.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { readPetLine } from './pet-line.ts';
import { writeFully } from './write-fully.ts';

/** More bytes than the line of an animal can have, so that the end of a file of this size has the whole last line. */
const TAIL_BYTES = 64 * 1024;

interface LastLine {
  readonly id: bigint;
  readonly text: string;
}

/**
 * A file of animals that grows under another name, `FILE.partial`, and is renamed when it is whole. An export that was
 * interrupted is continued.
 */
export class PartialFile {
  /** The last animal that is in the file already, and its line. */
  readonly last: LastLine | undefined;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #unlock: () => void;

  /**
   * Rejects with UserError where the file exists (and is not to be replaced), can't be created, or is being written by
   * another process.
   */
  static async open(path: string, { force }: { force: boolean }): Promise<PartialFile> {
    if (path === '')
      throw new UserError('FILE must not be empty. Name one, or - for standard output.');
    await refuseExisting(path, force);
    const handle = await openForWriting(partialPath(path));
    let unlock = () => {};
    try {
      unlock = lockFile(partialPath(path));
      return new PartialFile(path, handle, unlock, await keepWholeLines(handle, partialPath(path)));
    } catch (error) {
      unlock();
      await handle.close();
      throw error;
    }
  }

  private constructor(
    path: string,
    handle: FileHandle,
    unlock: () => void,
    last: LastLine | undefined,
  ) {
    this.#path = path;
    this.#handle = handle;
    this.#unlock = unlock;
    this.last = last;
  }

  /** The file while the animals are written. */
  get partialPath(): string {
    return partialPath(this.#path);
  }

  write(text: string): Promise<void> {
    return writeFully(this.#handle.fd, text);
  }

  /** Ends the file: it is on disk, and has its own name. */
  async finish({ force }: { force: boolean }): Promise<void> {
    await this.#handle.sync();
    await refuseExisting(this.#path, force);
    await rename(partialPath(this.#path), this.#path);
  }

  async close(): Promise<void> {
    this.#unlock();
    await this.#handle.close();
  }
}

function partialPath(path: string): string {
  return `${path}.partial`;
}

async function refuseExisting(path: string, force: boolean): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return;
  if (!stats.isFile()) {
    throw new UserError(
      `${path} is not a regular file. Name a regular file, or - for standard output.`,
    );
  }
  if (!force) throw new UserError(`${path} exists already. Replace it with --force.`);
}

async function openForWriting(path: string): Promise<FileHandle> {
  try {
    // Opened to append, without truncation: what is there may be the beginning.
    return await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND);
  } catch (error) {
    throw new UserError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`, {
      cause: error,
    });
  }
}

/** Cuts off a line without end, and returns the last whole one. */
async function keepWholeLines(handle: FileHandle, path: string): Promise<LastLine | undefined> {
  const { size } = await handle.stat();
  if (size === 0) return undefined;
  const tailStart = Math.max(0, size - TAIL_BYTES);
  const { buffer: tail } = await handle.read(Buffer.alloc(size - tailStart), 0, null, tailStart);
  const end = tail.lastIndexOf('\n') + 1;
  const begunLine = tail.subarray(end).toString('latin1');
  const isOnlyBegun = tailStart === 0 && end === 0 && looksBegun(begunLine);
  const last = isOnlyBegun ? undefined : lastLine(tail.subarray(0, Math.max(end - 1, 0)));
  if (!isOnlyBegun && last === undefined) {
    throw new UserError(
      `${path} is not the beginning of an export. Move it away, or export to another file.`,
    );
  }
  await handle.truncate(tailStart + end);
  return last;
}

/** Whether the text may be the beginning of an export's first line. */
function looksBegun(text: string): boolean {
  const start = '{"id":';
  return text.startsWith(start) || start.startsWith(text);
}

function lastLine(lines: Buffer): LastLine | undefined {
  const bytes = lines.subarray(lines.lastIndexOf('\n') + 1);
  const pet = readPetLine({ bytes });
  if ('refused' in pet || pet.id === undefined) return undefined;
  return { id: pet.id, text: bytes.toString() };
}
