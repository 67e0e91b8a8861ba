import { basename, join } from 'node:path';
import { UserError } from '@petstore/service/user-error.ts';
import { isMarkdown, mediaType } from '@petstore/site/guides/links/site-paths.ts';
import type { Change } from './imported-site.ts';
import { type ImportedValue, parseValue } from './imported-value.ts';
import { openSource, type SourceFolder } from './source-folder.ts';

/** Whether docs are beside the folder of the configuration: `../docs`, as many repositories have them. */
export const isOutside = (path: string): boolean => /^(?:\.\/)?\.\.\//.test(path);

/** The folder in which docs from outside are then: `docs` for `../docs`. */
export const insideName = (path: string): string => basename(path);

/**
 * The folder with the docs that are beside it, and what is copied for that: a deploy sends one folder. What is there
 * already stays. Rejects with UserError where the docs are not in the folder above, or cannot be read.
 */
export async function withOutsideDocs(
  folder: SourceFolder,
  paths: readonly ImportedValue[],
): Promise<{ readonly folder: SourceFolder; readonly changes: ReadonlyMap<string, Change> }> {
  const copies = new Map<string, { from: SourceFolder; file: string; copyOf: string }>();
  for (const { text = '', place } of paths) {
    if (!isOutside(text)) continue;
    const path = text.replace(/^\.\//, '').replace(/\/+$/, '');
    // A configuration may come from a stranger, and what is copied is published.
    if (!/^\.\.\/[^./][^/]*$/.test(path))
      throw new UserError(
        `${place.file}:${place.line}: The docs are at \`${text}\`, and only a folder beside this one is copied. Copy them into this folder, and write their path here.`,
      );
    const from = await openSource(join(folder.path, path));
    for (const file of from.files) {
      const target = `${insideName(path)}/${file}`;
      const isPart = isMarkdown(file) || mediaType(file) !== undefined || /_category_\./.test(file);
      if (isPart && !folder.files.has(target))
        copies.set(target, { from, file, copyOf: `${path}/${file}` });
    }
  }
  const read = async (name: string) => {
    const copy = copies.get(name);
    return copy ? copy.from.read(copy.file) : folder.read(name);
  };
  return {
    folder: {
      ...{ ...folder, read, files: new Set([...folder.files, ...copies.keys()]) },
      readValue: async (file) => parseValue(await read(file), file),
    },
    changes: new Map([...copies].map(([target, { copyOf }]) => [target, { copyOf }])),
  };
}
