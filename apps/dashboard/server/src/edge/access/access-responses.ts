import type { Html } from '@petstore/http/html.ts';
import type { EdgeRequest } from '../http/edge-request.ts';
import type { EdgeResponse } from '../http/response.ts';
import type { Headers } from '../sites/file-headers.ts';
import { metadataOf, PATHS } from './paths.ts';
import { PRIVATE, VARY_BY_READER } from './private-caching.ts';
import type { SiteAccess } from './site-access.ts';

const COMMON: Headers = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Cache-Control', PRIVATE],
  ...['X-Robots-Tag', 'noindex'],
];

/** Why a bearer token is refused, by the codes of RFC 6750, section 3.1. */
export interface TokenRefusal {
  readonly error: 'invalid_token' | 'insufficient_scope';
  /** ASCII without quotation marks. */
  readonly description: string;
}

/** `WWW-Authenticate` (RFC 6750, section 3; RFC 9728, section 5.1). */
export function challengeOf(
  { origin }: Pick<SiteAccess, 'origin'>,
  path: string,
  refusal?: TokenRefusal,
): Headers {
  const parameters = [
    ...(refusal
      ? [
          `error="${refusal.error}"`,
          `error_description="${refusal.description.replace(/[^\x20-\x7e]|["\\]/g, "'")}"`,
        ]
      : []),
    ...(refusal?.error === 'insufficient_scope' ? ['scope="read"'] : []),
    `resource_metadata="${metadataOf(origin, path)}"`,
  ];
  return ['WWW-Authenticate', `Bearer ${parameters.join(', ')}`];
}

/** Whether a browser asks, that can show a page. */
export const wantsPage = ({ headers }: EdgeRequest): boolean =>
  /text\/html/i.test(headers.accept ?? '');

export function pageResponse(
  status: number,
  page: Html,
  style: string,
  headers: Headers,
): EdgeResponse {
  const content = Buffer.from(page.text);
  return {
    status,
    headers: [
      ...['Content-Type', 'text/html; charset=utf-8'],
      ...COMMON,
      ...[
        'Content-Security-Policy',
        `default-src 'none'; style-src '${style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      ],
      // The form's own origin goes along with it.
      ...['Referrer-Policy', 'same-origin'],
      ...['Vary', ['Accept', ...VARY_BY_READER].join(', ')],
      ...headers,
      ...['Content-Length', String(content.length)],
    ],
    content,
  };
}

/** For programs. `text`: ASCII. */
export function plainResponse(status: number, text: string, headers: Headers): EdgeResponse {
  const content = `${text}\n`;
  return {
    status,
    headers: [
      ...['Content-Type', 'text/plain; charset=utf-8'],
      ...COMMON,
      ...['Vary', ['Accept', ...VARY_BY_READER].join(', ')],
      ...headers,
      ...['Content-Length', String(content.length)],
    ],
    content,
  };
}

export const explanation = ({ origin }: SiteAccess): string =>
  `This site is private. Programs send Authorization: Bearer with an API token of the dashboard, or with a token that the site's owners signed. People sign in at ${origin}${PATHS.signIn}`;

/** Redirects to a path of this site, with cookies. 303, so that the browser does not repeat the POST. */
export function redirectTo({ origin }: SiteAccess, to: string, headers: Headers): EdgeResponse {
  return plainResponse(303, 'See Other', [...headers, 'Location', origin + to]);
}
