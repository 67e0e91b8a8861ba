import { statfsSync } from 'node:fs';
import { freemem } from 'node:os';

/** A file system in memory, and how many bytes it must have free, and the machine with it. */
const MEMORY = '/dev/shm';
const PLENTY = 8 * 1024 ** 3;

/** The folder of a file system in memory, where there is one with plenty of room. */
export function memoryFileSystem(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) > PLENTY ? MEMORY : undefined;
  } catch {
    return undefined; // A machine that has none.
  }
}
