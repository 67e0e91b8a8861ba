import { dayOfFile } from '@petstore/site/changelog/notes.ts';
import { isImage, mediaType, reservedPaths } from '@petstore/site/guides/links/site-paths.ts';
import type { DocsInstance, Reading } from './docusaurus-reading.ts';
import type { Change, ImportedDocument } from './imported-site.ts';
import { resolvePath, type SourceFolder } from './source-folder.ts';

const STATIC = 'static';

/** Files that Docusaurus serves from the root, by where they are then: at the top, so that `/img/x.png` is what it was. */
export function staticFiles({ folder, config, notes }: Reading): Map<string, Change> {
  const folders = config.get('staticDirectories')?.items.flatMap(({ text }) => text ?? []);
  const changes = new Map<string, Change>();
  const reserved = reservedPaths([{}]);
  const others: string[] = [];
  for (const root of folders ?? [STATIC]) {
    const start = `${resolvePath(root, '') ?? STATIC}/`;
    for (const file of [...folder.files].filter((name) => name.startsWith(start))) {
      const target = file.slice(start.length);
      const isServed = isImage(file) || mediaType(file) !== undefined;
      if (!isServed || reserved.has(`/${target}`)) others.push(file);
      else changes.set(target, { copyOf: file });
    }
  }
  if (others.length > 0)
    notes.push({
      ...{ file: STATIC, line: undefined },
      message: `Not served, for their kind or since a site has its own: ${others.slice(0, 5).join(', ')}${others.length > 5 ? `, and ${others.length - 5} more` : ''}.`,
    });
  return changes;
}

/** A document in `static/` is copied to the top as all files there are, and what it refers to with it. */
export function servedFile(file: string, served: Map<string, Change>): string {
  if (!file.startsWith(`${STATIC}/`)) return file;
  const target = file.slice(STATIC.length + 1);
  served.set(target, { copyOf: file });
  return target;
}

/** The folder of a second blog that is a changelog: what is called by its day there becomes a note. */
const CHANGELOG = 'changelog/';

/** The posts of that folder. */
export const changelogPosts = ({ files }: Pick<SourceFolder, 'files'>): string[] =>
  [...files].filter((file) => dayOfFile(file) !== undefined);

/** All that is beside the docs: the site's program, its blog, its other versions and languages. */
export function ignoredFiles(
  folder: SourceFolder,
  instances: readonly DocsInstance[],
  /** What files of `static` are at, perhaps since an import before this one. */
  served: ReadonlySet<string>,
  documents: readonly ImportedDocument[],
): string[] {
  const { files } = folder;
  const hasNotes = changelogPosts(folder).length > 0;
  const roots = instances.map(({ root }) => root);
  const tops = new Set([...files].map(topOf));
  const isDocs = (top: string) => roots.some((root) => `${root}/`.startsWith(top));
  const isOurs = (top: string) =>
    /^(?:docs\.ya?ml|openapi\.(?:ya?ml|json))$/.test(top) ||
    documents.some(({ file }) => (top.endsWith('/') ? file.startsWith(top) : file === top));
  const isNotes = (top: string) => hasNotes && top === CHANGELOG;
  return [...tops].filter(
    (top) => !isDocs(top) && !isOurs(top) && !isNotes(top) && !served.has(top),
  );
}

/** The folder at the top that a file is in, or the file itself. */
export const topOf = (file: string) =>
  file.includes('/') ? `${file.slice(0, file.indexOf('/'))}/` : file;
