import type { DeployProblem } from '../../artifact.ts';
import type { ArchiveFiles } from '../archive/read-archive.ts';
import { REFERENCE_PATH } from './link-target.ts';
import { isPage, pagePath } from './page-path.ts';

/** What a site with a reference has besides the archive's pages and files. */
const REFERENCE_PATHS = [REFERENCE_PATH, '/openapi.json', '/openapi.yaml'];

/** What every site has. */
const OWN_PATHS = ['/llms.txt', '/llms-full.txt', '/sitemap.xml', '/robots.txt', '/404.html'];

/** Folders that are the site's own. */
const OWN_FOLDERS = /^\/(?:_assets|operations|\.well-known)\//;

/** Paths of a site that pages can link to though no file of the archive is there. */
export function ownPaths(hasReference: boolean): ReadonlySet<string> {
  return new Set([...OWN_PATHS, ...(hasReference ? REFERENCE_PATHS : [])]);
}

/** Pages and files that would be at an address where something else is. */
export function checkPaths(files: ArchiveFiles, own: ReadonlySet<string>): DeployProblem[] {
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
