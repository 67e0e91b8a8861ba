import { readFile, stat } from 'node:fs/promises';
import { UserError } from '@petstore/service/user-error.ts';

/**
 * A plain file's bytes. Rejects with UserError for what is none (a device has no end), for one of more than
 * `maxBytes`, with the sentence `tooLarge`, before anything of it is read, and for one that cannot be read.
 */
export async function readPlainFile(
  path: string,
  maxBytes: number,
  tooLarge: string,
): Promise<Buffer> {
  const stats = await stat(path).catch(cannotRead(path));
  if (!stats.isFile()) throw new UserError(`${path} is no plain file and no folder.`);
  if (stats.size > maxBytes) throw new UserError(tooLarge);
  return readFile(path).catch(cannotRead(path));
}

/** What throws the sentence for a file or folder that cannot be read. */
export function cannotRead(path: string): (error: NodeJS.ErrnoException) => never {
  return ({ code, message }) => {
    const reasons: Record<string, string> = {
      ENOENT: 'there is no such file or folder',
      EACCES: 'this user may not read it',
    };
    throw new UserError(`${path} cannot be read: ${reasons[code ?? ''] ?? message}.`);
  };
}
