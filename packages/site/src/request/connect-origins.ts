import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { findOperations } from '../openapi/operations.ts';
import { resolveReference } from '../openapi/references.ts';

/** A header of more is refused by some proxies. */
const MAX_ORIGINS = 40;

/** How many addresses of a server with variables are looked at. */
const MAX_EXPANSIONS = 100;

/** The most addresses of one document. */
const MAX_ADDRESSES = 200;

/**
 * The sources of a policy's `connect-src` that the documents of a site declare. Relative addresses belong to the site.
 * At most 40, or as many as there are documents: each has its first ones.
 */
export function connectOrigins(documents: readonly OpenApiDocument[]): string[] {
  const declared = documents.map((document) => [
    ...new Set([...addresses(document)].map(({ origin }) => origin)),
  ]);
  const most = Math.max(MAX_ORIGINS, documents.length);
  const origins = new Set<string>();
  const longest = declared.reduce((length, list) => Math.max(length, list.length), 0);
  for (let at = 0; at < longest; at += 1)
    for (const list of declared) {
      const origin = list[at];
      if (origin !== undefined && origins.size < most) origins.add(origin);
    }
  return [...origins];
}

/**
 * Where a document says that requests are sent: its servers, with every value of their variables, and where its security
 * schemes give tokens out. A page is only opened at `authorizationUrl`, nothing is sent to it. Each is an origin as
 * `connect-src` has it, and a path: all below it is meant (`https://*.example.com/v1`). The first 200.
 */
export function declaredAddresses(document: OpenApiDocument): string[] {
  const declared = new Set([...addresses(document)].map(({ origin, path }) => origin + path));
  return [...declared].slice(0, MAX_ADDRESSES);
}

interface Address {
  readonly origin: string;
  readonly path: string;
}

function* addresses(document: OpenApiDocument): Generator<Address> {
  const operations = [...findOperations(document)].filter(({ isWebhook }) => !isWebhook);
  const holders = [document, ...operations.flatMap(({ item, operation }) => [item, operation])];
  for (const url of [...serverAddresses(holders), ...tokenAddresses(document)]) {
    const origin = originOf(url);
    if (origin !== undefined) yield { origin, path: pathOf(url) };
  }
}

function* serverAddresses(holders: readonly Record<string, unknown>[]): Generator<string> {
  const servers = holders.flatMap(({ servers }) => (Array.isArray(servers) ? servers : []));
  for (const server of new Set(servers.filter(isObject))) yield* expanded(server);
}

const TOKEN_ADDRESSES = ['tokenUrl', 'refreshUrl', 'deviceAuthorizationUrl'] as const;

function* tokenAddresses(document: OpenApiDocument): Generator<string> {
  const { components } = document;
  const schemes = isObject(components) ? components.securitySchemes : undefined;
  for (const value of isObject(schemes) ? Object.values(schemes) : []) {
    const scheme = resolveReference(document, value);
    if (!isObject(scheme)) continue;
    // The discovered addresses are mostly of the same origin, at any path.
    yield textOf(scheme.openIdConnectUrl).replace(/^([a-z]+:\/\/[^/?#]*).*$/is, '$1/');
    for (const flow of isObject(scheme.flows) ? Object.values(scheme.flows) : []) {
      if (isObject(flow)) for (const name of TOKEN_ADDRESSES) yield textOf(flow[name]);
    }
  }
}

/** In place of a variable that may have any value. */
const ANY = '*';

/** The addresses of a server with all values of its variables; `*` stands for one that takes any. */
function expanded({ url, variables }: Record<string, unknown>): string[] {
  let urls = [textOf(url)];
  for (const [name, variable] of isObject(variables) ? Object.entries(variables) : []) {
    if (!isObject(variable) || !textOf(url).includes(`{${name}}`)) continue;
    const given = Array.isArray(variable.enum) ? variable.enum : [ANY];
    const values = [
      ...new Set([variable.default, ...given].filter((one) => typeof one === 'string')),
    ];
    urls = values
      .flatMap((value) => urls.map((one) => one.replaceAll(`{${name}}`, () => value)))
      .slice(0, MAX_EXPANSIONS);
  }
  return urls;
}

/** In letters: RFC 1035, section 2.3.4, without the dot at the end. */
const MAX_HOST_LENGTH = 253;

const HOST = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$|^\[[0-9a-f:.]+\]$/i;

/**
 * The origin of an address, as a policy may contain it: no space, no semicolon. Any port (`https://example.com:*`) or
 * any first label (`https://*.example.com`) may be in it, but never any host.
 */
function originOf(url: string): string | undefined {
  const [, scheme = '', authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(url) ?? [];
  if (authority.includes(ANY)) return wildcardOrigin(scheme.toLowerCase(), authority);
  const { origin, hostname } = scheme && URL.canParse(url) ? new URL(url) : {};
  const isSafe = hostname && hostname.length <= MAX_HOST_LENGTH && HOST.test(hostname);
  return isSafe ? origin : undefined;
}

/** The path of an address without its last slash, up to the first segment that may have any value; `/` for none. */
function pathOf(url: string): string {
  const [, path = ''] = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url) ?? [];
  const [fixed = ''] = path.split(ANY);
  const whole = fixed === path ? path : fixed.slice(0, fixed.lastIndexOf('/'));
  const { pathname } = new URL(`https://a${whole}`);
  return pathname.replace(/\/+$/, '') || '/';
}

function wildcardOrigin(scheme: string, authority: string): string | undefined {
  const [, host = '', port = ''] = /^([^:@]*)(:(?:\d{1,5}|\*))?$/.exec(authority) ?? [];
  const [first = '', ...rest] = host.split('.');
  if (host.length > MAX_HOST_LENGTH) return undefined;
  if (!first.includes(ANY)) return HOST.test(host) ? `${scheme}://${host}${port}` : undefined;
  // A wildcard below `com` would be any host.
  return rest.length >= 2 && HOST.test(rest.join('.'))
    ? `${scheme}://*.${rest.join('.')}${port}`
    : undefined;
}
