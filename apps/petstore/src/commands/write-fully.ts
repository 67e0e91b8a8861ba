import { write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const STDOUT_FD = 1;

/** How soon a pipe that was full is tried again, in milliseconds. */
const FULL_PIPE_POLL_MS = 5;

/** Writes to standard output without a word lost on a disk that fills up, and no faster than it is read. */
export function writeToStdout(text: string): Promise<void> {
  return writeFully(STDOUT_FD, text);
}

/**
 * Writes all of a text to a file descriptor. One call of the system may take a part of it, as on a
 * disk that is nearly full; process.stdout would drop the rest.
 */
export async function writeFully(fd: number, text: string): Promise<void> {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    rest = rest.subarray(await writeSome(fd, rest));
  }
}

async function writeSome(fd: number, bytes: Buffer): Promise<number> {
  try {
    return await new Promise((resolve, reject) => {
      write(fd, bytes, (error, count) => (error ? reject(error) : resolve(count)));
    });
  } catch (error) {
    // A pipe that the reader has set to answer at once.
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    await sleep(FULL_PIPE_POLL_MS);
    return 0;
  }
}
