import { type BuildProblem, problemOf, type SourceFiles } from '../../build-log.ts';
import { downloadPaths, REFERENCE_PATH } from '../../reference/addresses.ts';
import { markdownPath } from '../../site/site-files.ts';

/** The paths of every site. */
const OWN_PATHS = ['/llms.txt', '/llms-full.txt', '/sitemap.xml', '/robots.txt', '/404.html'];

/** Folders that belong to the site itself. */
const OWN_FOLDERS = /^\/(?:_assets|_site|\.well-known)\//;

/** Paths of a site that pages can link to, though the archive has no such file. `references`: those that it has. */
export function reservedPaths(
  references: readonly { readonly address?: string | undefined }[],
): ReadonlySet<string> {
  const downloads = references.flatMap(({ address }) => Object.values(downloadPaths(address)));
  return new Set([...OWN_PATHS, ...(references.length > 0 ? [REFERENCE_PATH] : []), ...downloads]);
}

/** The Markdown of the start page, which any page can be. */
const START_MARKDOWN = markdownPath('/');

/** Pages and files whose address, or that of a page's Markdown, is taken by something else. */
export function pathConflicts(files: SourceFiles, own: ReadonlySet<string>): BuildProblem[] {
  const taken = new Map<string, string>();
  const problems: BuildProblem[] = [];
  for (const file of [...files.keys()].sort()) {
    for (const path of pathsOf(file, files)) {
      const isOwn = own.has(path) && !isNotFoundPage(file);
      const isTaken = isOwn || OWN_FOLDERS.test(path) || path === START_MARKDOWN;
      const other = taken.get(path) ?? (isTaken ? '' : undefined);
      // Texts that pages include are not published.
      if (isPage(file) || !isMarkdown(file)) taken.set(path, file);
      if (other === undefined) continue;
      const holder = other === '' ? 'which the site itself has' : `where \`${other}\` is`;
      problems.push(problemOf(`The file would be at \`${path}\`, ${holder}: rename it.`, file));
      break;
    }
  }
  return problems;
}

/** Where a file would be, and the Markdown of a page. */
function pathsOf(file: string, files: SourceFiles): string[] {
  if (!isPage(file)) return [`/${file}`];
  const path = pagePath(file, files);
  return path === '/' || isNotFoundPage(file) ? [path] : [path, markdownPath(path)];
}

const INDEX = /^(?:.*\/)?index\.mdx?$/i;
const README = /^(?:.*\/)?readme\.mdx?$/i;

/** Texts that pages include: the folders of Mintlify and GitBook, and files whose names Docusaurus begins with `_`. */
const SNIPPETS = /(?:^|\/)(?:(?:_?snippets|\.gitbook)\/|_[^/]*$)/;

/** Whether the file is Markdown, which pages may include. */
export const isMarkdown = (file: string): boolean => /\.mdx?$/i.test(file);

/** Whether the file is a page: Markdown that is no snippet. */
export const isPage = (file: string): boolean => isMarkdown(file) && !SNIPPETS.test(file);

/** The page for missing paths, which is in no list. */
export const isNotFoundPage = (file: string): boolean => /^404\.mdx?$/i.test(file);

const NOT_FOUND_PATH = '/404.html';

/**
 * The path of a Markdown file's page on the site: `guides/start.md` is at `/guides/start`. `index.md` is the page of
 * its folder, and so is `README.md` where there is no `index.md`.
 */
export function pagePath(file: string, files: { has(path: string): boolean }): string {
  if (isNotFoundPage(file)) return NOT_FOUND_PATH;
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const hasIndex = files.has(`${folder}index.md`) || files.has(`${folder}index.mdx`);
  const isIndex = INDEX.test(file) || (README.test(file) && !hasIndex);
  if (isIndex) return `/${folder}`.replace(/(.)\/$/, '$1');
  return `/${file.replace(/\.mdx?$/i, '')}`;
}

/**
 * Images. They are always published, since descriptions in the reference may show them, and those are not searched for
 * links.
 */
const IMAGES: Record<string, string> = {
  avif: 'image/avif',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

/** Files that are published only when a page links to them: a folder may have more than is meant for everybody. */
const DOWNLOADS: Record<string, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  pdf: 'application/pdf',
  txt: 'text/plain; charset=utf-8',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

const extension = (path: string) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

export const isImage = (path: string): boolean => Object.hasOwn(IMAGES, extension(path));

/** The media type of a file; undefined for kinds that are never served. */
export function mediaType(path: string): string | undefined {
  const name = extension(path);
  if (Object.hasOwn(IMAGES, name)) return IMAGES[name];
  return Object.hasOwn(DOWNLOADS, name) ? DOWNLOADS[name] : undefined;
}

/** The kinds that may be linked to, for a message. */
export const PUBLISHED_KINDS = [...Object.keys(IMAGES), ...Object.keys(DOWNLOADS)]
  .sort()
  .join(', ');
