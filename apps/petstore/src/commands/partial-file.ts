import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { UserError } from '../user-error.ts';
import { readPetLine } from './pet-line.ts';
import { writeFully } from './write-fully.ts';

/** More than an animal's line can have, so that the last one is in the end of a file. */
const TAIL_BYTES = 64 * 1024;

/**
 * A file of animals that grows under another name, `FILE.partial`, and gets its own when it is whole.
 * What an interrupted export left is continued.
 */
export class PartialFile {
  /** The id of the last animal that is in the file already. */
  readonly last: bigint | undefined;
  readonly #path: string;
  readonly #handle: FileHandle;

  /** Rejects with UserError where the file is there (and is not to be replaced) or can't be made. */
  static async open(path: string, { force }: { force: boolean }): Promise<PartialFile> {
    await refuseExisting(path, force);
    const handle = await openForWriting(partialPath(path));
    try {
      return new PartialFile(path, handle, await keepWholeLines(handle, partialPath(path)));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  private constructor(path: string, handle: FileHandle, last: bigint | undefined) {
    this.#path = path;
    this.#handle = handle;
    this.last = last;
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

/** Cuts off a line without end, and returns the id in the last whole one. */
async function keepWholeLines(handle: FileHandle, path: string): Promise<bigint | undefined> {
  const { size } = await handle.stat();
  if (size === 0) return undefined;
  const tailStart = Math.max(0, size - TAIL_BYTES);
  const { buffer: tail } = await handle.read(Buffer.alloc(size - tailStart), 0, null, tailStart);
  const end = tail.lastIndexOf('\n') + 1;
  const begunLine = tail.subarray(end).toString('latin1');
  const isOnlyBegun = tailStart === 0 && end === 0 && looksBegun(begunLine);
  const last = isOnlyBegun ? undefined : lastId(tail.subarray(0, Math.max(end - 1, 0)));
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

function lastId(lines: Buffer): bigint | undefined {
  const pet = readPetLine({ bytes: lines.subarray(lines.lastIndexOf('\n') + 1) });
  return 'refused' in pet ? undefined : pet.id;
}
