import type { ManifestEntry } from '../../deploys/artifact.ts';
import { encodePath } from '../http/edge-request.ts';
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

/** Files that pages of other origins fetch. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/openapi.json', '/openapi.yaml', '/llms.txt']);

export interface FileHeaders {
  /** On every response about the file, 304 included. */
  readonly always: Headers;
  /** On those with its content. */
  readonly withContent: Headers;
}

/** The headers of a file that are the same in all codings. `policy`: the Content-Security-Policy of pages. */
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
    // Popups that the page opens, such as a sign-in for the try-it panel, may send messages back to it.
    ...['Cross-Origin-Opener-Policy', 'same-origin-allow-popups'],
    ...['Link', `<${site.origin}${encodePath(path)}>; rel="canonical"`],
  ];
}
