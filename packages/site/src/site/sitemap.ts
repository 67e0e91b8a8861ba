import { destination } from '../markdown/markdown-text.ts';
import { type SiteFile, TYPES } from './site-files.ts';

/** What one sitemap may have (https://www.sitemaps.org/protocol.html): addresses, and bytes. */
interface SitemapLimits {
  readonly addresses: number;
  readonly bytes: number;
}

const LIMITS: SitemapLimits = { addresses: 50_000, bytes: 50_000_000 };

/** In bytes: the longest origin, a scheme with a host of 253 letters and a port. */
const MAX_ORIGIN = 270;

/** The day or time of a page's last change, as RFC 3339 has it; undefined where it is not known. */
export type LastModified = (path: string) => string | undefined;

/**
 * `/sitemap.xml` with the address of every page, each once. Where that would be too large, it is an index of several
 * files `/sitemap-1.xml` and so on. All are templates.
 */
export function sitemapFiles(
  paths: Iterable<string>,
  lastModified: LastModified = () => undefined,
  limits = LIMITS,
): SiteFile[] {
  const parts: { entries: string[]; bytes: number }[] = [];
  for (const path of new Set(paths)) {
    const entry = entryOf('url', path, lastModified(path));
    const bytes = entry.length + MAX_ORIGIN;
    const last = parts.at(-1);
    const isFull =
      last === undefined ||
      last.entries.length === limits.addresses ||
      last.bytes + bytes > limits.bytes;
    if (isFull) parts.push({ entries: [entry], bytes: MAX_FRAME + bytes });
    else {
      last.entries.push(entry);
      last.bytes += bytes;
    }
  }
  const [only, ...others] = parts.map(({ entries }) => xml('urlset', entries));
  if (others.length === 0) return [file('/sitemap.xml', only ?? xml('urlset', []))];
  const files = [only ?? '', ...others].map((content, at) =>
    file(`/sitemap-${at + 1}.xml`, content),
  );
  const index = files.map(({ path }) => entryOf('sitemap', path, undefined));
  return [file('/sitemap.xml', xml('sitemapindex', index)), ...files];
}

/** In bytes, more than what stands around the addresses. */
const MAX_FRAME = 200;

function xml(element: 'urlset' | 'sitemapindex', entries: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</${element}>
`;
}

function entryOf(element: 'url' | 'sitemap', path: string, changed: string | undefined): string {
  const address = sitemapAddress(path);
  const date = changed === undefined ? '' : `<lastmod>${changed}</lastmod>`;
  return `<${element}><loc>{{origin}}${address}</loc>${date}</${element}>\n`;
}

/** A path as a sitemap has it, behind the origin. It has no letter with a meaning in XML other than the apostrophe. */
export function sitemapAddress(path: string): string {
  return destination(path).replaceAll("'", '&apos;');
}

const DATED = /<loc>\{\{origin\}\}([^<]*)<\/loc><lastmod>([^<]*)<\/lastmod>/g;

/** The addresses, without their origin, that a sitemap of ours has dates for, and these. */
export function datesOfSitemap(xml: string): [address: string, date: string][] {
  return [...xml.matchAll(DATED)].map(([, address = '', date = '']) => [address, date]);
}

/** A sitemap of ours with other dates of its pages. */
export function redateSitemap(xml: string, lastModified: LastModified): string {
  return xml.replaceAll(DATED, (_, address: string) => {
    const path = decodeURIComponent(address.replaceAll('&apos;', "'"));
    return `<loc>{{origin}}${address}</loc><lastmod>${lastModified(path)}</lastmod>`;
  });
}

function file(path: string, content: string): SiteFile {
  return { path, type: TYPES.xml, content, template: true };
}
