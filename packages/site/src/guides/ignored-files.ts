import type { Node } from 'yaml';
import type { SourceFiles } from '../build-log.ts';
import type { ConfigReader } from './config-reader.ts';

/**
 * `ignore`: files (`README.md`) and folders (`blog/`) of the archive that are no part of the site. They may be missing,
 * so that one list can serve several branches.
 */
export function ignoredOf(reader: ConfigReader, node: Node | undefined): readonly string[] {
  if (!node) return [];
  return reader.items(node, '`ignore`').flatMap((item) => {
    const text = reader.text(item, 'An entry of `ignore`', 255);
    if (text === '') return [];
    if (/[*?[\]{}!\\]|(?:^|\/)\.\.?(?:\/|$)/.test(text)) {
      const wanted =
        'a file such as `README.md`, or a folder such as `blog/`: there are no patterns';
      reader.problem(`An entry of \`ignore\` must be ${wanted}.`, item);
      return [];
    }
    return [text.normalize('NFC').replace(/^\/+/, '')];
  });
}

/** Whether a file is ignored: itself, or with a folder that it is in. */
export function isIgnored(file: string, ignored: readonly string[]): boolean {
  return ignored.some((entry) => file === entry || file.startsWith(entry.replace(/\/*$/, '/')));
}

/** The files that are not ignored. */
export function withoutIgnored(files: SourceFiles, ignored: readonly string[]): SourceFiles {
  if (ignored.length === 0) return files;
  return new Map([...files].filter(([file]) => !isIgnored(file, ignored)));
}
