import { isUtf8 } from 'node:buffer';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { UserError } from '@petstore/service/user-error.ts';
import { isHidden } from '../hidden-files.ts';

/** Files and folders that editors, systems and tools put beside the pages. In GitBook's are images of pages. */
export const IGNORED = /^(?:\.(?!gitbook$).*|node_modules|__MACOSX|Thumbs\.db)$/;

/**
 * The files of a folder that belong to a site, in order, with `/` between folders. Hidden files and node_modules are
 * left out, and links to files of the folder are those files. Rejects with UserError for other links, names that are not UTF-8, and more than `most` files.
 */
export async function listFiles(root: string, most: number): Promise<string[]> {
  const files: string[] = [];
  const add = async (inside: string): Promise<void> => {
    const folder = join(root, inside);
    const options = { withFileTypes: true, encoding: 'buffer' } as const;
    const entries = await readdir(folder, options).catch(cannotRead(folder));
    for (const entry of entries.sort((a, b) => Buffer.compare(a.name, b.name))) {
      const name = entry.name.toString();
      const file = inside === '' ? name : `${inside}/${name}`;
      if (IGNORED.test(name) || isHidden(entry.isDirectory() ? `${file}/` : file)) continue;
      if (!isUtf8(entry.name))
        throw new UserError(
          `${join(root, file)} has a name that is not UTF-8. Rename it, or leave it out.`,
        );
      if (entry.isDirectory()) await add(file);
      else if (entry.isFile() || (await isLinkInside(root, file))) files.push(file);
      else
        throw new UserError(
          `${join(root, file)} is a link to something else than a file of this folder, or a special file. Put the file itself in its place, or remove it.`,
        );
      if (files.length > most) {
        throw new UserError(
          `${root} has more than the ${most.toLocaleString('en')} files that the dashboard takes (DASHBOARD_MAX_ARCHIVE_FILES). Deploy the folder that has docs.yaml in it.`,
        );
      }
    }
  };
  await add('');
  return files;
}

/** Whether a file of the folder is a link to another one that is sent: not to what is hidden in it or outside of it. */
async function isLinkInside(root: string, file: string): Promise<boolean> {
  try {
    const target = await realpath(join(root, file));
    const inside = relative(await realpath(root), target)
      .split(sep)
      .join('/');
    if (inside.split('/').some((name) => name === '' || IGNORED.test(name))) return false;
    return !isHidden(inside) && (await lstat(target)).isFile();
  } catch {
    return false;
  }
}

/** Throws the UserError for a file or folder that cannot be read. */
export function cannotRead(path: string): (error: NodeJS.ErrnoException) => never {
  return ({ code, message }) => {
    const reasons: Record<string, string> = {
      ENOENT: 'there is no such file or folder',
      EACCES: 'this user may not read it',
      ENOTDIR: 'it is no folder',
    };
    throw new UserError(`${path} cannot be read: ${reasons[code ?? ''] ?? message}.`);
  };
}
