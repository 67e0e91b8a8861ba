import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { UserError } from '@petstore/service/user-error.ts';
import { lockFile } from './file-lock.ts';
import { readPetLine } from './pet-line.ts';
import { writeFully } from './write-fully.ts';

/** More than an animal's line can have, so that the last one is in the end of a file. */
const TAIL_BYTES = 64 * 1024;

interface LastLine {
  readonly id: bigint;
  readonly text: string;
}

/**
 * A file of animals that grows under another name, `FILE.partial`, and gets its own when it is whole.
 * What an interrupted export left is continued.
 */
export class PartialFile {
  /** The last animal that is in the file already, and its line. */
  readonly last: LastLine | undefined;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #unlock: () => void;

  /**
   * Rejects with UserError where the file is there (and is not to be replaced), can't be made, or is
   * being written by another process.
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

  /** Where the animals grow. */
  get partialPath(): string {
    return partialPath(this.#path);
  }

  write(text: string): Promise<void> {
    return writeFully(this.#handle.fd, text);
  }

  /** The file is whole: on disk, and under its own name. */
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
    throw new UserError(`${path} is no regular file. Name a file, or - for standard output.`);
  }
  if (!force) throw new UserError(`${path} is there already. Replace it with --force.`);
}

async function openForWriting(path: string): Promise<FileHandle> {
  try {
    // Appending, without truncation: what is there may be the beginning.
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
