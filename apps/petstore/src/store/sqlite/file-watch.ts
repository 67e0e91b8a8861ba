import { statSync } from 'node:fs';

/**
 * Makes a function that tells whether a path still leads to the file that it led to now. A database
 * whose file was deleted goes on working on the nameless rest, and all that it takes is lost when
 * the process ends; so it is asked before each commit.
 */
export function fileWatch(path: string): () => boolean {
  const opened = identity(path);
  return () => identity(path) === opened;
}

function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}
