import { statSync } from 'node:fs';

/** What SQLite keeps in WAL mode: https://sqlite.org/walformat.html, section 1. */
const FILES = ['', '-wal', '-shm'];

/**
 * Makes a function that tells whether the files of a database are still those that they were. One whose
 * file was deleted goes on working on the nameless rest, and all that it takes is lost when the
 * process ends; so it is asked before each commit.
 */
export function fileWatch(path: string): () => boolean {
  const files = FILES.map((suffix) => `${path}${suffix}`);
  const opened = files.map(identity);
  return () =>
    files.every((file, at) => {
      const now = identity(file);
      // The index and the log may come only with the first access.
      opened[at] ??= now;
      return now === opened[at];
    });
}

/** Tells a file from any other that has or had its name; undefined where there is none. */
export function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}
