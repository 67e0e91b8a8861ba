import { markdownPath } from '@petstore/site/site/site-files.ts';
import type { Manifest, ManifestEntry } from '../../deploys/artifact.ts';
import { exactRedirect, prefixRedirect, type Redirect } from '../../deploys/redirects.ts';
import { encodePath } from '../http/edge-request.ts';
/** The one file below /.well-known that a site can have (RFC 9727). */
export const API_CATALOG = '/.well-known/api-catalog';

export function fileAt({ files }: Manifest, path: string): ManifestEntry | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}

export const isPage = ({ type }: ManifestEntry): boolean => /^text\/html\b/i.test(type);
export const isMarkdown = ({ type }: ManifestEntry): boolean => /^text\/markdown\b/i.test(type);

/** The path of a page's Markdown; undefined where there is none, or no page. */
export function markdownOf(manifest: Manifest, path: string): string | undefined {
  const page = fileAt(manifest, path);
  if (!page || !isPage(page)) return undefined;
  const markdown = markdownPath(path);
  const entry = fileAt(manifest, markdown);
  return entry && isMarkdown(entry) ? markdown : undefined;
}

/** The path of the page whose Markdown is at a path: the inverse of `markdownOf`. */
export function pageOf(manifest: Manifest, path: string): string | undefined {
  if (!path.endsWith('.md')) return undefined;
  const page = path.slice(0, -'.md'.length);
  const folder = page.endsWith('/index') ? page.slice(0, -'index'.length) : page;
  return [folder, page].find((found) => markdownOf(manifest, found) === path);
}

/**
 * Where a path without a file leads: the site's own redirects come first, then the path without its last slash, and
 * with that the redirects again; at last those of prefixes, the longest first.
 */
export function redirectOf(manifest: Manifest, path: string): Redirect | undefined {
  const own = ownRedirect(manifest, path);
  if (own) return own;
  const canonical = canonicalPath(path);
  if (canonical === undefined) return prefixRedirect(manifest, path);
  // The path of a file never begins with two slashes, so the redirect stays on the site.
  if (fileAt(manifest, canonical)) return { status: 308, to: encodePath(canonical) };
  return ownRedirect(manifest, canonical) ?? prefixRedirect(manifest, canonical);
}

const ICON = '/favicon.ico';
/** Every site has one, made by the build or the site's own. */
const DRAWN_ICON = '/favicon.svg';

function ownRedirect(manifest: Manifest, path: string): Redirect | undefined {
  const exact = exactRedirect(manifest, path);
  if (exact) return exact;
  // Browsers and crawlers ask for it without being told to. A later deploy may have the file.
  const isIcon = path === ICON && fileAt(manifest, DRAWN_ICON) !== undefined;
  return isIcon ? { status: 302, to: DRAWN_ICON } : undefined;
}

/** A path without its `index.html` or last slash; undefined where it has neither. */
function canonicalPath(path: string): string | undefined {
  const folder = path.endsWith('/index.html') ? path.slice(0, -'index.html'.length) : path;
  if (folder === '/') return path === '/' ? undefined : '/';
  return folder.endsWith('/') ? folder.slice(0, -1) : undefined;
}
