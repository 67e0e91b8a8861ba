import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** The files of a folder, by path from it, as an archive of it holds them. */
export async function folderFiles(folder: string): Promise<Map<string, Uint8Array>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const named = paths.map((path) => [relative(folder, path).split(sep).join('/'), path] as const);
  return new Map(
    await Promise.all(named.map(async ([name, path]) => [name, await readFile(path)] as const)),
  );
}
