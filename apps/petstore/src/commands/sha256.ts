import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** How much is read at once, in bytes. */
const CHUNK_BYTES = 1024 * 1024;

interface ReadOptions {
  /** Called with the number of bytes read so far. */
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
  /** An empty file that gets a copy of what is read, and is on disk in the end. */
  readonly copyTo?: string;
}

/** The SHA-256 of a file, in hexadecimal. Rejects with the signal's reason, or with the error of the disk. */
export async function sha256Of(
  path: string,
  { onProgress, signal, copyTo }: ReadOptions,
): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  await using from = await open(path);
  await using to = copyTo === undefined ? undefined : await open(copyTo, 'r+');
  let done = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(buffer);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await to?.writeFile(chunk);
    done += bytesRead;
    onProgress(done);
  }
  await to?.sync();
  return hash.digest('hex');
}
