import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { UserError } from '@petstore/service/user-error.ts';
import { readUpload, type Upload } from '../../deploys/upload.ts';
import { packFolder } from './pack-folder.ts';

/** What is to be uploaded: a file as it is, a folder as an archive. Rejects with UserError. */
export async function readUploadFile(path: string): Promise<Upload> {
  const name = basename(resolve(path));
  const { isFolder } = await stat(path).then(
    (stats) => ({ isFolder: stats.isDirectory() }),
    (error: NodeJS.ErrnoException) => {
      throw new UserError(
        `${path} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file or folder' : error.message}.`,
      );
    },
  );
  if (isFolder) return { kind: 'tar.gz', bytes: await packFolder(path), name: `${name}.tar.gz` };
  return readUpload(await readFile(path), encodeURIComponent(name));
}
