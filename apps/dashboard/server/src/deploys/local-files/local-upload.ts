import type { Stats } from 'node:fs';
import { createWriteStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Gzip } from 'node:zlib';
import { count, formatBytes, sizeAndLimit } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Installation } from '../../accounts/account.ts';
import type { BuildInput } from '../artifact.ts';
import { describeUpload, type UploadDescription } from '../upload.ts';
import { cannotRead, listFiles } from './folder-files.ts';
import { packFiles } from './pack-files.ts';
import {
  type DocumentFiles,
  documentFiles,
  type FileScope,
  scopeAround,
} from './referenced-files.ts';

type UploadLimits = Installation['uploadLimits'];

/** What is uploaded of a file or folder of this machine, apart from its bytes. */
interface Described extends UploadDescription {
  /** The path of the document in an archive that was made for it. */
  readonly document?: string;
  /** The folder of the files in an archive, as a path from the current one; empty where their names are shown as they are. */
  readonly folder: string;
  /** The absolute paths of the files that a document brings along, and its own; empty for what is one file or folder. */
  readonly files: readonly string[];
  /** What to tell before it is uploaded. */
  readonly notes: readonly string[];
}

export interface LocalUpload extends Described, Pick<BuildInput, 'bytes' | 'kind' | 'name'> {}

/**
 * What to upload: a folder as an archive, a document that refers to other files as an archive with them, any other file
 * as it is. A document's other files are below its folder, in its Git repository, or below the folder that the command
 * runs in. Rejects with UserError.
 */
export async function readLocalUpload(path: string, limits: UploadLimits): Promise<LocalUpload> {
  const { content, ...described } = await uploadOf(path, limits, scopeAround);
  return { ...described, bytes: await buffer(content) };
}

/**
 * Writes the same to a new file: no archive is in memory. A document's other files are below `root`, a folder that has
 * it. `gzip` compresses an archive. Rejects with UserError, whose paths begin in `root`.
 */
export async function writeLocalUpload(
  path: string,
  limits: UploadLimits,
  root: string,
  to: string,
  gzip: Gzip,
): Promise<Described> {
  const inRoot = (text: string) =>
    [`${root}/`, `${relative('', root)}/`]
      .reduce((rest, prefix) => rest.replaceAll(prefix, ''), text)
      .replaceAll(root, 'The folder');
  try {
    const scope = () => ({ folders: [root], tellsOthers: false });
    const { content, ...described } = await uploadOf(path, limits, scope, gzip);
    await pipeline(content, createWriteStream(to, { flags: 'wx', mode: 0o600 }));
    return { ...described, notes: described.notes.map(inRoot) };
  } catch (error) {
    throw error instanceof UserError ? new UserError(inRoot(error.message)) : error;
  }
}

async function uploadOf(
  path: string,
  limits: UploadLimits,
  scopeOf: (document: string) => FileScope,
  gzip?: Gzip,
): Promise<Described & { readonly content: Readable }> {
  const name = basename(resolve(path));
  const plain = { folder: '', files: [], notes: [] };
  if ((await stat(path).catch(cannotRead(path))).isDirectory()) {
    const files = await listFiles(path, limits.files);
    const content = packFiles(readFiles(path, files, limits), gzip);
    return { ...plain, kind: 'tar.gz', content, name: `${name}.tar.gz` };
  }
  const bytes = await readRegularFile(
    path,
    limits.bytes,
    ({ size }) =>
      `${path} has ${sizeAndLimit(size, limits.bytes)} that the dashboard takes (DASHBOARD_MAX_UPLOAD_BYTES).`,
  );
  const described = describeUpload(bytes.length, bytes, encodeURIComponent(name));
  const whole =
    described.kind === 'document'
      ? await documentFiles(path, bytes, limits.bytes, scopeOf(path))
      : undefined;
  if (!whole) return { ...plain, ...described, content: Readable.from([bytes]) };
  const notes = [...whole.refused, ...(whole.files.size > 1 ? [filesInWords(whole)] : [])];
  return {
    ...{ kind: 'tar.gz', content: packFiles(whole.files, gzip), name: `${name}.tar.gz` },
    ...{ document: whole.document, folder: relative('', whole.root), notes },
    files: [...whole.files.keys()].map((file) => join(whole.root, file)),
  };
}

/** Of more files than these the first are named. */
const MAX_NAMED = 8;

function filesInWords({ files, document, root }: DocumentFiles): string {
  const others = [...files.keys()].filter((file) => file !== document).sort();
  const named = others.slice(0, MAX_NAMED).map((file) => join(relative('', root), file));
  const more = others.length - named.length;
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  return `Taking along ${count(others.length, 'file')} that it refers to (${formatBytes(bytes)} in all): ${named.join(', ')}${more > 0 ? `, and ${count(more, 'other')}` : ''}`;
}

/** The files of a folder, one after the other. Rejects with UserError for unreadable files, and for too many bytes. */
async function* readFiles(
  folder: string,
  names: readonly string[],
  limits: UploadLimits,
): AsyncGenerator<[string, Uint8Array]> {
  const tooLarge = () =>
    `${folder} has more than the ${formatBytes(limits.unpackedBytes)} that the dashboard takes (DASHBOARD_MAX_UNPACKED_BYTES). Remove what is not of the documentation, or make its largest files smaller; the operator sets the limit.`;
  let left = limits.unpackedBytes;
  for (const name of names) {
    const bytes = await readRegularFile(join(folder, name), left, tooLarge);
    left -= bytes.length;
    yield [name, bytes];
  }
}

/**
 * The bytes of a regular file. Rejects with UserError for another kind of file (a device has no end), for more than
 * `maxBytes`, with the message `tooLarge` and before reading, and where it cannot be read.
 */
async function readRegularFile(
  path: string,
  maxBytes: number,
  tooLarge: (stats: Stats) => string,
): Promise<Buffer> {
  const stats = await stat(path).catch(cannotRead(path));
  if (!stats.isFile()) throw new UserError(`${path} is neither a regular file nor a folder.`);
  if (stats.size > maxBytes) throw new UserError(tooLarge(stats));
  return readFile(path).catch(cannotRead(path));
}
