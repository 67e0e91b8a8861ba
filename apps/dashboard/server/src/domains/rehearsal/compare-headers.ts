import type { IncomingHttpHeaders } from 'node:http';

/** Headers that a site's owner once decided on, and what is lost with each. */
const WATCHED: Readonly<Record<string, string>> = {
  'content-security-policy': 'which scripts, styles and frames its pages may have',
  'x-frame-options': 'that other sites may not show it in a frame',
  'permissions-policy': 'which features of the browser its pages may use',
  'referrer-policy': 'what other sites are told of where readers come from',
  'x-content-type-options': 'that browsers do not guess the type of files',
  'cross-origin-opener-policy': 'that windows of other sites cannot reach its own',
  'cross-origin-embedder-policy': 'which resources of others its pages may load',
  'cross-origin-resource-policy': 'who may load its files',
  'access-control-allow-origin': 'that pages of other sites may read it',
  'x-robots-tag': 'what search engines may do with it',
  'www-authenticate': 'that readers sign in',
};

const MAX_VALUE = 400;

export interface LostHeader {
  readonly name: string;
  readonly value: string;
  /** What it says of the site, after `It says`. */
  readonly about: string;
}

/** The headers that the old host sends with the front page and this one does not. */
export function lostHeaders(old: IncomingHttpHeaders, ours: IncomingHttpHeaders): LostHeader[] {
  return Object.entries(WATCHED).flatMap(([name, about]) => {
    const value = textOf(old[name]);
    return value === undefined || ours[name] !== undefined ? [] : [{ name, value, about }];
  });
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === 'string' ? value : value?.join(', ');
  return text?.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_VALUE);
}

/** Strict-Transport-Security (RFC 6797) as a host sets it. */
export interface Hsts {
  readonly maxAgeSeconds: number;
  readonly includesSubdomains: boolean;
  /** Asks for a place in the list that browsers bring with them (https://hstspreload.org). */
  readonly isPreload: boolean;
}

/** Ten years; browsers take more, and nobody can mean it. */
const MAX_AGE = 315_360_000;

/** Reads the header; undefined where there is none, or it switches off. */
export function readHsts(header: string | undefined): Hsts | undefined {
  const directives = new Map(
    (header ?? '').split(';').map((directive): [string, string] => {
      const [name = '', value = ''] = directive.split('=', 2);
      return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')];
    }),
  );
  const age = directives.get('max-age') ?? '';
  if (!/^\d+$/.test(age) || Number(age) === 0) return undefined;
  return {
    maxAgeSeconds: Math.min(Number(age), MAX_AGE),
    includesSubdomains: directives.has('includesubdomains'),
    isPreload: directives.has('preload'),
  };
}
