import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder of one call, which nobody else can look into. */
export interface Workspace {
  readonly folder: string;
  /** Writes a file that its owner alone can read; its path. */
  write(name: string, content: string): Promise<string>;
  /** Removes all of it. */
  remove(): Promise<void>;
}

export async function makeWorkspace(directory: string): Promise<Workspace> {
  // mkdtemp makes it with the mode 0700.
  const folder = await mkdtemp(join(directory, 'git-'));
  return {
    folder,
    async write(name, content) {
      const path = join(folder, name);
      await writeFile(path, content, { mode: 0o600, flag: 'wx' });
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
