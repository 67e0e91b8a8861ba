import { type Schema, textOf } from './openapi-types.ts';

/** What a security scheme is, as plain text. */
export interface SchemeWords {
  readonly text: string;
  /** Of an API key: the name of its header, parameter or cookie, which follows the text. */
  readonly name?: string;
}

/** A security scheme of a document in words: `Bearer token (JWT)`, or `API key in the header` and `X-Api-Key`. */
export function schemeWords(scheme: Schema): SchemeWords {
  switch (scheme.type) {
    case 'apiKey': {
      const place = KEY_PLACES.get(textOf(scheme.in)) ?? 'the request';
      return { text: `API key in ${place}`, name: textOf(scheme.name) };
    }
    case 'http':
      return { text: httpWords(scheme) };
    case 'oauth2':
      return { text: 'OAuth 2.0' };
    case 'openIdConnect':
      return { text: 'OpenID Connect' };
    case 'mutualTLS':
      return { text: 'Client certificate (mutual TLS)' };
    default:
      return { text: textOf(scheme.type) };
  }
}

const KEY_PLACES: ReadonlyMap<string, string> = new Map([
  ['header', 'the header'],
  ['query', 'the query parameter'],
  ['cookie', 'the cookie'],
]);

function httpWords({ scheme, bearerFormat }: Schema): string {
  const kind = textOf(scheme).toLowerCase();
  const format = textOf(bearerFormat);
  if (kind === 'basic') return 'HTTP Basic: a user name and a password';
  if (kind === 'bearer') return `Bearer token${format ? ` (${format})` : ''}`;
  return `HTTP ${textOf(scheme)}`;
}
