import type { ManifestEntry } from '../../deploys/artifact.ts';
import { encodePath } from '../http/edge-request.ts';
import type { Site } from './site-source.ts';

/** Names and values in turn, as Node takes them without further ado. */
export type Headers = readonly string[];

const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Kept by browsers and proxies, and asked about each time: what goes live is seen at once. */
const REVALIDATED = 'public, max-age=0, must-revalidate';

/**
 * XML can be a page with scripts (SVG above all), which would run as the site's own. Not for other
 * types: a policy on a script binds the workers that are made of it.
 */
const INERT_XML = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** What tools fetch from pages of other origins. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/openapi.json', '/openapi.yaml', '/llms.txt']);

export interface FileHeaders {
  /** On every answer about the file, 304 included. */
  readonly always: Headers;
  /** On those that have its content. */
  readonly withContent: Headers;
}

/** The headers of a file that its form makes no difference to. `policy` is that of the site's pages. */
export function fileHeaders(
  site: Site,
  path: string,
  entry: ManifestEntry,
  policy: string,
): FileHeaders {
  const isPage = /^text\/html\b/i.test(entry.type);
  const isXml = /^[\w-]+\/(?:[\w.+-]+\+)?xml\b/i.test(entry.type);
  return {
    always: [
      ...['Cache-Control', entry.immutable ? IMMUTABLE : REVALIDATED],
      ...(entry.codings ? ['Vary', 'Accept-Encoding'] : []),
      // Plain requests get none of a site's files once there is a certificate, so this goes over TLS alone.
      ...(site.hsts && site.secureOrigin ? ['Strict-Transport-Security', site.hsts] : []),
      ...(OPEN_PATHS.has(path) || path.endsWith('.md') ? ['Access-Control-Allow-Origin', '*'] : []),
    ],
    withContent: [
      ...['Content-Type', entry.type],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Referrer-Policy', 'strict-origin-when-cross-origin'],
      ...(isPage ? pageHeaders(site, path, policy) : []),
      ...(isXml ? ['Content-Security-Policy', INERT_XML] : []),
      ...(site.isPreview ? ['X-Robots-Tag', 'noindex'] : []),
    ],
  };
}

function pageHeaders(site: Site, path: string, policy: string): Headers {
  return [
    ...['Content-Security-Policy', policy],
    // Popups that the page opens, such as a sign-in for the try-it panel, may answer it.
    ...['Cross-Origin-Opener-Policy', 'same-origin-allow-popups'],
    ...['Link', `<${site.origin}${encodePath(path)}>; rel="canonical"`],
  ];
}
