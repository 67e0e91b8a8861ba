import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

/** Wide enough for any line number. A mark is overwritten whole, so a crash cannot halve it. */
const WIDTH = 16;

/**
 * The number of the line before which an import of a file stopped, kept beside the file until an
 * import comes to its end: `FILE.next-line`.
 */
export class ResumeMark {
  readonly #path: string;
  #file: number | undefined;

  constructor(importedFile: string) {
    this.#path = `${importedFile}.next-line`;
  }

  /** The mark of an earlier import, if there is one. */
  read(): number | undefined {
    try {
      return (
        Number(/^ *([1-9][0-9]*)\n$/.exec(readFileSync(this.#path, 'latin1'))?.[1]) || undefined
      );
    } catch {
      return undefined;
    }
  }

  /** Whether the mark could be written. An import needs no more than to read the folder. */
  write(nextLine: number): boolean {
    try {
      this.#file ??= openSync(this.#path, constants.O_WRONLY | constants.O_CREAT);
      writeSync(this.#file, `${String(nextLine).padStart(WIDTH)}\n`, 0);
      return true;
    } catch {
      return false;
    }
  }

  /** Lets go of the mark and leaves it. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** The import came to the end of the file. */
  remove(): void {
    this.close();
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // Where nothing can be written, there is no mark to remove.
    }
  }
}
