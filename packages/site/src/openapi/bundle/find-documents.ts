import type { SourceFiles } from '../../build-log.ts';
import { readDocument } from '../read-document.ts';
import { archiveFiles } from './archive-files.ts';
import { bundleDocument } from './bundle-document.ts';

/** Of more than these it isn't looked up whether one refers to another: somebody has to choose anyway. */
const MAX_COMPARED = 20;

/** What a document has at its top, in the text of a file: to parse all files would take long. */
const VERSION = /(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:/m;

/**
 * The paths of OpenAPI documents among the files of an archive, but for those that another one refers to. `mostBytes`:
 * what a document may have with all of its files.
 */
export function findDocuments(files: SourceFiles, mostBytes: number): string[] {
  const found = [...files].filter(([path, bytes]) => isDocument(path, bytes));
  const paths = found.map(([path]) => path);
  if (found.length < 2 || found.length > MAX_COMPARED) return paths;
  const parts = new Set<string>();
  for (const [file, bytes] of found) {
    const read = readDocument(bytes, file);
    if ('problem' in read) continue;
    const whole = bundleDocument(
      read,
      { file, bytes: bytes.length },
      archiveFiles(files, mostBytes),
    );
    if ('files' in whole) for (const part of whole.files) parts.add(part);
  }
  const own = paths.filter((path) => !parts.has(path));
  // Those that refer to each other are all parts.
  return own.length > 0 ? own : paths;
}

/** Whether a file is an OpenAPI document, by its name and by what it has at its top. */
export function isDocument(path: string, bytes: Uint8Array): boolean {
  if (!/\.(?:ya?ml|json)$/i.test(path)) return false;
  if (!VERSION.test(new TextDecoder().decode(bytes))) return false;
  const read = readDocument(bytes, path);
  return (
    'value' in read &&
    (Object.hasOwn(read.value, 'openapi') || Object.hasOwn(read.value, 'swagger'))
  );
}
