import { fileAt, isMarkdown, markdownOf, redirectOf } from '../sites/manifest-paths.ts';
import { searchSite } from './search-tool.ts';
import type { SiteReader } from './site-reader.ts';
import { ToolError } from './tool-error.ts';

/** Characters that are read at once: some 5,000 tokens. */
export const PAGE_CHARACTERS = 20_000;

/** How many redirects of the site are followed. */
const MAX_REDIRECTS = 5;

/** How many pages are proposed in place of one that is not there. */
const MAX_PROPOSALS = 3;

export interface PagePart {
  readonly markdown: string;
  /** From a character to one behind the last. */
  readonly start: number;
  readonly end: number;
  /** Characters of the whole page. */
  readonly total: number;
}

/** A part of a page's Markdown, from the character `offset` on. Throws ToolError where there is no such page. */
export async function readPage(reader: SiteReader, address: string, offset = 0): Promise<PagePart> {
  const path = pathOf(reader, address);
  const file = path === undefined ? undefined : markdownAt(reader, path, MAX_REDIRECTS);
  const bytes = file === undefined ? undefined : await reader.bytes(file);
  if (!bytes) throw await noPage(reader, address);
  const text = bytes.toString();
  const start = boundary(text, offset);
  if (start >= text.length && offset > 0) {
    throw new ToolError(`offset is behind the end: the page has ${text.length} characters.`);
  }
  const end = boundary(text, start + PAGE_CHARACTERS);
  return { markdown: text.slice(start, end), start, end, total: text.length };
}

/** The decoded path of an address of this site, or of a path alone; undefined for others. */
function pathOf({ site: { origin, base = '' } }: SiteReader, address: string): string | undefined {
  const url = URL.parse(address, `${origin}/`);
  if (url?.origin !== origin) return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    // With the prefix of the version or without it, as in the site's own Markdown.
    const isBelow = base !== '' && (path === base || path.startsWith(`${base}/`));
    return isBelow ? path.slice(base.length) || '/' : path;
  } catch {
    return undefined;
  }
}

/** The path of the Markdown at a path: the file itself, that of a page, or where a redirect of the site leads. */
function markdownAt(reader: SiteReader, path: string, redirects: number): string | undefined {
  const { manifest } = reader;
  const entry = fileAt(manifest, path);
  if (entry) return isMarkdown(entry) ? path : markdownOf(manifest, path);
  const redirect = redirects > 0 ? redirectOf(manifest, path) : undefined;
  const next = redirect && pathOf(reader, redirect.to);
  return next === undefined ? undefined : markdownAt(reader, next, redirects - 1);
}

/** No character is cut into halves. */
function boundary(text: string, offset: number): number {
  const isInside = /^[\udc00-\udfff]/.test(text.slice(offset, offset + 1));
  return Math.min(text.length, isInside ? offset + 1 : offset);
}

async function noPage(reader: SiteReader, address: string): Promise<ToolError> {
  const words = address.replace(/^https?:\/\/[^/]*/, '').replace(/[^\p{L}\p{N}]+/gu, ' ');
  const found = await searchSite(reader, words, MAX_PROPOSALS).catch(() => undefined);
  const proposals = (found?.results ?? []).map(({ title, address: to }) => `${to} (${title})`);
  const meant = proposals.length > 0 ? ` Did you mean ${proposals.join(', or ')}?` : '';
  return new ToolError(
    `There is no page at ${address} on this site.${meant} Search for it, or read ${reader.addressOf('/llms.txt')}, which lists all pages.`,
  );
}
