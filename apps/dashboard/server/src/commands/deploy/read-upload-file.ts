import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { BuildInput } from '../../deploys/artifact.ts';
import { describeUpload, MAX_ARCHIVE_BYTES, MAX_DOCUMENT_BYTES } from '../../deploys/upload.ts';
import { packFolder } from './pack-folder.ts';
import { cannotRead, readPlainFile } from './read-file.ts';

const TOO_LARGE = `is too large: a document must be at most ${MAX_DOCUMENT_BYTES / 1_000_000} MB, an archive ${MAX_ARCHIVE_BYTES / 1_000_000} MB.`;

/** What is to be uploaded: a file as it is, a folder as an archive. Rejects with UserError. */
export async function readUploadFile(path: string): Promise<BuildInput> {
  const name = basename(resolve(path));
  if ((await stat(path).catch(cannotRead(path))).isDirectory())
    return { kind: 'tar.gz', bytes: await packFolder(path), name: `${name}.tar.gz` };
  const bytes = await readPlainFile(path, MAX_ARCHIVE_BYTES, `${path} ${TOO_LARGE}`);
  return { ...describeUpload(bytes.length, bytes, encodeURIComponent(name)), bytes };
}
