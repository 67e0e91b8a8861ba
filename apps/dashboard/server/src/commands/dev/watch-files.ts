import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '@petstore/service/user-error.ts';

const TOO_MANY =
  'Not all folders can be watched: the system lets this user watch no more. Raise fs.inotify.max_user_watches and max_user_instances, or end other programs that watch files.';

export interface FileWatch {
  /**
   * Watches the folders that are there now. To be called before they are read: what changes from then on is told.
   * A folder that cannot be read is left to its reader, who says why. `others`: files elsewhere, whose folders are
   * watched as well.
   */
  refresh(others: readonly string[]): Promise<void>;
  close(): void;
}

/**
 * Calls `onChange` at each change of a file, or of anything in a folder and the folders in it: of names that `isIgnored`
 * says nothing is told. Folders are watched one by one and not with `recursive`, which follows what is ignored, too:
 * `node_modules` alone may have more folders than a system lets a user watch. Names in a folder tell of files that
 * editors write anew and rename, and a file watched by itself does not.
 */
export function watchFiles(
  path: string,
  isIgnored: (name: string) => boolean,
  onChange: () => void,
): FileWatch {
  const root = resolve(path);
  const watchers = new Map<string, FSWatcher>();
  // The folder around it may have much that is none of its business.
  const onlyName = new Map([[dirname(root), basename(root)]]);
  const forget = (folder: string) => {
    for (const [watched, watcher] of watchers) {
      if (watched !== folder && !watched.startsWith(join(folder, '/'))) continue;
      watcher.close();
      watchers.delete(watched);
    }
  };
  const isWanted = (folder: string, name: string) =>
    onlyName.has(folder) ? onlyName.get(folder) === name : !isIgnored(name);
  const add = (folder: string) => {
    if (watchers.has(folder)) return;
    try {
      const watcher = watch(folder, (event, name) => {
        if (name !== null && !isWanted(folder, name)) return;
        // A folder of that name, if there is one, may be another one than before.
        if (event === 'rename' && name !== null) forget(join(folder, name));
        onChange();
      });
      watcher.on('error', () => forget(folder));
      watchers.set(folder, watcher);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EMFILE') throw new UserError(TOO_MANY);
      // It has just gone, which the folder above it tells.
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error;
    }
  };
  const addFolder = async (folder: string): Promise<void> => {
    add(folder);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries)
      if (entry.isDirectory() && !isIgnored(entry.name)) await addFolder(join(folder, entry.name));
  };
  return {
    async refresh(others) {
      for (const folder of others.map(dirname)) {
        onlyName.delete(folder);
        add(folder);
      }
      add(dirname(root));
      const found = await stat(root).catch(() => undefined);
      if (found?.isDirectory()) await addFolder(root);
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
