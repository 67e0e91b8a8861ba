import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { UserError } from '@petstore/service/user-error.ts';
import { pack } from 'tar-stream';
import { MAX_ARCHIVE_BYTES } from '../../deploys/upload.ts';

/** A folder with more files than this is not documentation: a whole project, say. */
const MAX_FILES = 2_000;

/** Left out: what editors, systems and tools put beside the pages. */
const IGNORED = /^(\..*|node_modules|__MACOSX|Thumbs\.db)$/;

/**
 * A folder as a .tar.gz, the same for the same files. Hidden files and node_modules are left out. Rejects
 * with UserError for links, too many files, or too much.
 */
export async function packFolder(folder: string): Promise<Buffer> {
  const files = await listFiles(folder, folder);
  const tar = pack();
  const packed = buffer(tar.pipe(createGzip()));
  let size = 0;
  for (const name of files) {
    const bytes = await readFile(join(folder, name));
    size += bytes.length;
    if (size > MAX_ARCHIVE_BYTES * 4)
      throw new UserError(
        `${folder} is too large: an archive must be at most ${MAX_ARCHIVE_BYTES / 1_000_000} MB.`,
      );
    tar.entry({ name: name.split(sep).join('/'), mtime: new Date(0), mode: 0o644 }, bytes);
  }
  tar.finalize();
  return packed;
}

async function listFiles(root: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (IGNORED.test(entry.name)) continue;
    if (entry.isDirectory()) files.push(...(await listFiles(root, path)));
    else if (entry.isFile()) files.push(relative(root, path));
    else
      throw new UserError(
        `${path} is a link or no plain file; an archive takes plain files and folders alone.`,
      );
    if (files.length > MAX_FILES) {
      throw new UserError(
        `${root} has more than ${MAX_FILES} files. Deploy the folder that has docs.yaml in it.`,
      );
    }
  }
  return files;
}
