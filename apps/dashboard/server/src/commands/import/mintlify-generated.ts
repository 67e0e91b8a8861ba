import type { ImportedRedirect } from './imported-site.ts';
import type { ImportedValue } from './imported-value.ts';
import type { ReferencePages } from './reference-pages.ts';
import { fileNamed, pageFile, type SourceFolder } from './source-folder.ts';

/** Where Mintlify puts the pages that it makes of a document, unless a configuration says where. */
const USUAL_FOLDER = 'api-reference';

/**
 * Leads from the pages that Mintlify makes of the documents of its navigation, `/api-reference/pets/list-pets`, to those
 * of the reference. Where the folder has such a page itself, there is none.
 */
export function generatedRedirects(
  { folder }: { readonly folder: SourceFolder },
  config: ImportedValue,
  pages: ReferencePages,
): ImportedRedirect[] {
  const found = new Map<string, ImportedRedirect>();
  for (const { document, directory, place } of documentsOf(config.get('navigation')))
    for (const { page, tag, summary } of pages.operationsOf(document)) {
      // Addresses of operations without a summary are made of their paths, in ways that differ between releases.
      if (summary === undefined) continue;
      const names = [directory, wordsOf(tag ?? ''), wordsOf(summary)];
      const from = `/${names.filter((name) => name !== '').join('/')}`;
      if (found.has(from) || pageFile(folder, from) !== undefined) continue;
      found.set(from, { from, to: page.path, place });
    }
  return [...found.values()];
}

/** `get-a-pet-by-id` for `Get a pet (by id)`. */
const wordsOf = (text: string) =>
  text
    .replaceAll(/[{}(),.'/\n]/g, '')
    .trim()
    .replaceAll(/[ -]+/g, '-')
    .toLowerCase();

interface Generated {
  readonly document: string;
  readonly directory: string;
  readonly place: ImportedValue['place'];
}

/** The documents that a navigation names: as files, or as `{"source": …, "directory": …}`. */
function documentsOf(value: ImportedValue | undefined): Generated[] {
  if (!value) return [];
  const named = value.get('openapi');
  const own = named ? [named, ...named.items] : [];
  return [
    ...own.flatMap((one): Generated[] => {
      const { text } = one.get('source') ?? one;
      const directory = one.get('directory')?.text ?? USUAL_FOLDER;
      if (text === undefined) return [];
      return [{ document: fileNamed(text), directory: fileNamed(directory), place: one.place }];
    }),
    ...[...value.items, ...value.members.values()].flatMap(documentsOf),
  ];
}
