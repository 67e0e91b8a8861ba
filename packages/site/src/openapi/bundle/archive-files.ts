import type { SourceFiles } from '../../build-log.ts';
import type { FileFinder } from './referenced-files.ts';

/**
 * Finds the files of an archive by path; where there is none, the only one whose name is the same in small letters, as
 * systems do on which authors write. `mostBytes`: what a document may have with all of its files.
 */
export function archiveFiles(files: SourceFiles, mostBytes: number): FileFinder {
  let folded: Map<string, string> | undefined;
  const nameLike = (path: string): string | undefined => {
    folded ??= new Map([...files.keys()].map((name) => [name.toLowerCase(), name]));
    return folded.get(path.toLowerCase());
  };
  return {
    mostBytes,
    find(given) {
      const path = files.has(given) ? given : nameLike(given);
      const bytes = path === undefined ? undefined : files.get(path);
      return path === undefined || bytes === undefined ? undefined : { path, bytes };
    },
    *all() {
      for (const [path, bytes] of files) yield { path, bytes };
    },
  };
}
