import type { Readable } from 'node:stream';
import { GitError } from '../git-error.ts';
import type { TreeEntry } from './tree.ts';

/** Writes one blob. `chunks` gives its bytes as they come. */
export type BlobWriter = (entry: TreeEntry, chunks: AsyncIterable<Buffer>) => Promise<void>;

/** Asks `git cat-file --batch` for blobs, in order. */
export async function askForBlobs(
  stdin: NodeJS.WritableStream,
  entries: readonly TreeEntry[],
): Promise<void> {
  const done = new Promise<void>((resolve) => stdin.once('close', resolve));
  for (const { hash } of entries) {
    if (stdin.write(`${hash}\n`)) continue;
    const drained = new Promise<void>((resolve) => stdin.once('drain', resolve));
    await Promise.race([drained, done]);
  }
}

/**
 * Reads what `git cat-file --batch` prints, and passes each blob on. Rejects with GitError where it prints anything but the
 * blobs that were asked for, with the sizes that the tree has.
 */
export async function readBlobs(
  stdout: Readable,
  entries: readonly TreeEntry[],
  write: BlobWriter,
): Promise<void> {
  const bytes = new ByteReader(stdout);
  for (const entry of entries) {
    const head = await bytes.line();
    if (head !== `${entry.hash} blob ${entry.size}`) throw missing(head);
    await write(entry, bytes.take(entry.size));
    if ((await bytes.line()) !== '') throw missing('a blob without its end');
  }
}

function missing(detail: string): GitError {
  return new GitError(
    'bad_repository',
    'A file of the branch is not in what the host sent. Clone it on your machine to see whether it is whole.',
    { detail },
  );
}

/** Reads lines and numbers of bytes from a stream, in turns. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Up to the next line break, which is read as well. */
  async line(): Promise<string> {
    let end = this.#rest.indexOf(0x0a);
    while (end < 0) {
      if (this.#rest.length > MAX_LINE || !(await this.#more())) throw missing(`${this.#rest}`);
      end = this.#rest.indexOf(0x0a);
    }
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  async *take(size: number): AsyncGenerator<Buffer> {
    let left = size;
    while (left > 0) {
      if (this.#rest.length === 0 && !(await this.#more())) throw missing('a blob that ends early');
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }
}

/** A hash, a type and a size. */
const MAX_LINE = 200;
