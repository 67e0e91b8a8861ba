import { statSync } from 'node:fs';

/** Identifies a file, also among files that had the same name; undefined where there is none. */
export function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}
