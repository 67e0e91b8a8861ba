import type { Manifest } from '../../deploys/artifact.ts';
import type { ServedFile } from '../sites/file-headers.ts';
import { fileAt, isMarkdown, isPage } from '../sites/manifest-paths.ts';
import type { Site } from '../sites/site-source.ts';

/** What is counted where a file is read. */
export interface Reading {
  readonly kind: 'page' | 'markdown' | 'llms';
  /** The path of the page on its site, with the prefix of its version. */
  readonly name: string;
}

/** Of a file that is served with 200; undefined for all that nobody reads, such as scripts and images. */
export function readingOf(site: Site, { path, entry }: ServedFile): Reading | undefined {
  if (!site.countsReaders || site.isPreview) return undefined;
  if (path === '/llms.txt' || path === '/llms-full.txt') return { kind: 'llms', name: path };
  if (isMarkdown(entry)) return { kind: 'markdown', name: path };
  return isShownPage(path) && isPage(entry)
    ? { kind: 'page', name: countedPath(site, path) }
    : undefined;
}

/** Pages below these paths are parts of others. */
const isShownPage = (path: string) => !path.startsWith('/_');

/** A path with the prefix of its version, so that all names of a site add up. */
export function countedPath({ base, only }: Site, path: string): string {
  const prefix = base ?? (only ? `/${only.name}` : '');
  return prefix !== '' && path === '/' ? prefix : prefix + path;
}

/** Whether a site has a page at a path that a script names. */
export function hasPage(manifest: Manifest, path: string): boolean {
  const entry = fileAt(manifest, path);
  return entry !== undefined && isPage(entry) && isShownPage(path);
}
