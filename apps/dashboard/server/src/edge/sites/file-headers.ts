import { CHANGELOG } from '@petstore/site/changelog/changelog-paths.ts';
import { DIAGRAM_FRAME, DIAGRAM_POLICY } from '@petstore/site/site/policy.ts';
import { policyWithPreviewBar } from '@petstore/site/site/preview-bar.ts';
import { policyWith } from '@petstore/site/site/readers/own-analytics.ts';
import type { Manifest, ManifestEntry } from '../../deploys/artifact.ts';
import { PRIVATE, VARY_BY_READER } from '../access/private-caching.ts';
import { addressIn, type PageEdition } from '../versions/site-editions.ts';
import { API_CATALOG, fileAt, isMarkdown, isPage, markdownOf, pageOf } from './manifest-paths.ts';
import type { Site } from './site-source.ts';

/** Names and values in turn, the form that Node takes without a conversion. */
export type Headers = readonly string[];

const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Browsers and proxies keep it and revalidate it each time: a new deploy is seen at once. */
const REVALIDATED = 'public, max-age=0, must-revalidate';

/**
 * XML, SVG above all, can be a page with scripts, which would run in the site's origin. Only for XML: the policy of a
 * script would also hold for the workers made from it.
 */
const INERT_XML = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Files that pages of other origins fetch, besides Markdown. */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  '/openapi.json',
  '/openapi.yaml',
  '/llms.txt',
  CHANGELOG.atom,
  CHANGELOG.json,
  API_CATALOG,
]);

/** A file of a manifest, as it is served. */
export interface ServedFile {
  /** The path that is asked for. */
  readonly path: string;
  /** The file's own path: another one where a page's Markdown is served in its place. */
  readonly filePath: string;
  readonly entry: ManifestEntry;
}

export interface FileHeaders {
  /** On every response about the file, 304 included. */
  readonly always: Headers;
  /** On those with its content. */
  readonly withContent: Headers;
}

/** The headers of a file that are the same in all codings. `isCompressed`: whether it has any. */
export function fileHeaders(
  site: Site,
  manifest: Manifest,
  file: ServedFile,
  isCompressed: boolean,
  edition?: PageEdition,
): FileHeaders {
  const { path, filePath, entry } = file;
  const isXml = /^[\w-]+\/(?:[\w.+-]+\+)?xml\b/i.test(entry.type);
  const isOpen = isOpenToPages(site) && (OPEN_PATHS.has(filePath) || filePath.endsWith('.md'));
  const vary = [
    ...(markdownOf(manifest, path) === undefined ? [] : ['Accept']),
    ...(isCompressed ? ['Accept-Encoding'] : []),
    ...(site.access ? VARY_BY_READER : []),
  ];
  const links = linksOf(site, manifest, file, edition);
  const isOther = edition !== undefined && edition.versions.current !== edition.versions.standard;
  return {
    always: [
      ...['Cache-Control', site.access ? PRIVATE : entry.immutable ? IMMUTABLE : REVALIDATED],
      ...(vary.length > 0 ? ['Vary', vary.join(', ')] : []),
      // RFC 9110, section 8.7: the same content, by itself.
      ...(filePath === path ? [] : ['Content-Location', addressIn(site.base, filePath)]),
      // Plain requests get none of a site's files once there is a certificate, so this goes over TLS alone.
      ...(site.hsts && site.secureOrigin ? ['Strict-Transport-Security', site.hsts] : []),
      ...(isOpen ? ['Access-Control-Allow-Origin', '*'] : []),
    ],
    withContent: [
      ...['Content-Type', entry.type],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Referrer-Policy', 'strict-origin-when-cross-origin'],
      ...(isPage(entry) ? pageHeaders(site, manifest, filePath) : []),
      ...(links.length > 0 ? ['Link', links.join(', ')] : []),
      ...(isXml ? ['Content-Security-Policy', INERT_XML] : []),
      // A page's address stays in search engines, in whichever form they ask for it.
      ...(site.isPreview || site.access || isOther || path.endsWith('.md')
        ? ['X-Robots-Tag', 'noindex']
        : []),
    ],
  };
}

/** Whether pages of other origins may read what programs fetch: not of a private site, nor of a draft. */
export const isOpenToPages = ({ isDraft, access }: Site): boolean => !isDraft && !access;

function pageHeaders(site: Site, manifest: Manifest, path: string): Headers {
  return [
    ...[
      'Content-Security-Policy',
      path === DIAGRAM_FRAME ? DIAGRAM_POLICY : policyOf(site, manifest),
    ],
    // Popups that the page opens, such as a sign-in for the try-it panel, may send messages back to it.
    ...['Cross-Origin-Opener-Policy', 'same-origin-allow-popups'],
  ];
}

/** As the deploy was built with, whenever that was, and with what the owner allows since, and what the edge adds. */
function policyOf({ analytics, notLive }: Site, { contentSecurityPolicy }: Manifest): string {
  const policy = analytics ? policyWith(contentSecurityPolicy, analytics) : contentSecurityPolicy;
  return notLive ? policyWithPreviewBar(policy) : policy;
}

/** The links of a page and of its Markdown (RFC 8288), to the catalog of APIs too (RFC 9727, section 2). */
function linksOf(
  { origin, base }: Site,
  manifest: Manifest,
  { path, entry }: ServedFile,
  edition: PageEdition | undefined,
): string[] {
  const page = canonicalOf(manifest, path, entry);
  const canonical = page === undefined ? undefined : (edition?.canonical ?? addressIn(base, page));
  const markdown = isPage(entry) ? markdownOf(manifest, path) : undefined;
  const isListed = (isPage(entry) || path === API_CATALOG) && fileAt(manifest, API_CATALOG);
  return [
    ...(canonical === undefined
      ? []
      : [`<${canonical.startsWith('/') ? origin : ''}${canonical}>; rel="canonical"`]),
    ...(markdown === undefined
      ? []
      : [`<${addressIn(base, markdown)}>; rel="alternate"; type="text/markdown"`]),
    ...(isListed ? [`<${addressIn(base, API_CATALOG)}>; rel="api-catalog"`] : []),
  ];
}

/** The path of the page that stands for a file; undefined where none does. */
export function canonicalOf(
  manifest: Manifest,
  path: string,
  entry: ManifestEntry,
): string | undefined {
  if (isPage(entry)) return path;
  if (!isMarkdown(entry)) return undefined;
  // At the page's own path, or at that of the Markdown.
  return markdownOf(manifest, path) === undefined ? pageOf(manifest, path) : path;
}
