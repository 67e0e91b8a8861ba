import { readFile, stat } from 'node:fs/promises';
import { UserError } from '@petstore/service/user-error.ts';

/**
 * The bytes of a regular file. Rejects with UserError for another kind of file (a device has no end), for more than
 * `maxBytes`, with the message `tooLarge` and before reading, and where it cannot be read.
 */
export async function readRegularFile(
  path: string,
  maxBytes: number,
  tooLarge: string,
): Promise<Buffer> {
  const stats = await stat(path).catch(cannotRead(path));
  if (!stats.isFile()) throw new UserError(`${path} is neither a regular file nor a folder.`);
  if (stats.size > maxBytes) throw new UserError(tooLarge);
  return readFile(path).catch(cannotRead(path));
}

/** Throws the UserError for a file or folder that cannot be read. */
export function cannotRead(path: string): (error: NodeJS.ErrnoException) => never {
  return ({ code, message }) => {
    const reasons: Record<string, string> = {
      ENOENT: 'there is no such file or folder',
      EACCES: 'this user may not read it',
    };
    throw new UserError(`${path} cannot be read: ${reasons[code ?? ''] ?? message}.`);
  };
}
