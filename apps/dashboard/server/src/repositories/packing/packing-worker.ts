import { realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { createGzip } from 'node:zlib';
import { UserError } from '@petstore/service/user-error.ts';
import { writeLocalUpload } from '../../deploys/local-files/local-upload.ts';
import type { PackingAnswer, PackingMessage, PackingTask } from './pack-checkout.ts';

// A thread that packs one checkout.

const tell = (message: PackingMessage) => parentPort?.postMessage(message);

const gzip = createGzip();
tell('ready to be ended');
tell(await pack(workerData as PackingTask));

async function pack({ root: given, folder, limits, to }: PackingTask): Promise<PackingAnswer> {
  const root = realpathSync.native(given);
  const path = pathIn(root, folder);
  if (path === undefined) {
    const message = `The commit has no file or folder \`${folder}\`.`;
    return { code: 'folder_missing', message };
  }
  try {
    const written = await writeLocalUpload(path, limits, root, to, gzip);
    const { kind, name, document, notes } = written;
    const inRoot = (other: string) => relative(root, other);
    const isFolder = kind === 'tar.gz' && document === undefined;
    const top = isFolder ? path : document === undefined ? join(path, '..') : written.folder;
    return { packed: { kind, name, document, notes, folder: inRoot(resolve(top)) } };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { code: 'folder_unusable', message: error.message };
  }
}

/** The path of what is deployed; undefined where it is not there, or a link leads out of the checkout. */
function pathIn(root: string, folder: string): string | undefined {
  try {
    const path = realpathSync.native(join(root, folder));
    return path === root || path.startsWith(`${root}/`) ? path : undefined;
  } catch {
    return undefined;
  }
}
