import type { DeployProblem } from '../../../artifact.ts';
import type { ArchiveFiles } from '../../archive/read-archive.ts';

export const REFERENCE_PATH = '/reference';

/** The paths of a site with a reference besides the archive's pages and files. */
const REFERENCE_PATHS = [REFERENCE_PATH, '/openapi.json', '/openapi.yaml'];

/** The paths of every site. */
const OWN_PATHS = ['/llms.txt', '/llms-full.txt', '/sitemap.xml', '/robots.txt', '/404.html'];

/** Folders that belong to the site itself. */
const OWN_FOLDERS = /^\/(?:_assets|operations|\.well-known)\//;

/** Paths of a site that pages can link to, though the archive has no such file. */
export function reservedPaths(hasReference: boolean): ReadonlySet<string> {
  return new Set([...OWN_PATHS, ...(hasReference ? REFERENCE_PATHS : [])]);
}

/** Pages and files whose address is taken by something else. */
export function pathConflicts(files: ArchiveFiles, own: ReadonlySet<string>): DeployProblem[] {
  const taken = new Map<string, string>();
  const problems: DeployProblem[] = [];
  for (const file of [...files.keys()].sort()) {
    const path = isPage(file) ? pagePath(file, files) : `/${file}`;
    const other = taken.get(path) ?? (own.has(path) || OWN_FOLDERS.test(path) ? '' : undefined);
    taken.set(path, file);
    if (other === undefined) continue;
    const holder = other === '' ? 'which the site itself has' : `where \`${other}\` is`;
    const message = `The file would be at \`${path}\`, ${holder}: rename it.`;
    problems.push({ message, path: file, line: null });
  }
  return problems;
}

const INDEX = /^(?:.*\/)?index\.md$/i;
const README = /^(?:.*\/)?readme\.md$/i;

/** Whether the file is a page: Markdown. */
export const isPage = (file: string): boolean => /\.md$/i.test(file);

/**
 * The path of a Markdown file's page on the site: `guides/start.md` is at `/guides/start`. `index.md` is the page of
 * its folder, and so is `README.md` where there is no `index.md`.
 */
export function pagePath(file: string, files: { has(path: string): boolean }): string {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const isIndex = INDEX.test(file) || (README.test(file) && !files.has(`${folder}index.md`));
  if (isIndex) return `/${folder}`.replace(/(.)\/$/, '$1');
  return `/${file.replace(/\.md$/i, '')}`;
}
