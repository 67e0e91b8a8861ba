import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { findOperations } from '../openapi/operations.ts';
import { resolveReference } from '../openapi/references.ts';

/** Of one document. A header of more is refused by some proxies. */
const MAX_ORIGINS = 40;

/** How many addresses of a server with variables are looked at. */
const MAX_EXPANSIONS = 100;

/**
 * The sources of a policy's `connect-src` that a document declares: its servers, with every value of their variables,
 * and where its security schemes give tokens out. Relative addresses belong to the site. At most 40. A page is only
 * opened at `authorizationUrl`, nothing is sent to it.
 */
export function connectOrigins(document: OpenApiDocument): string[] {
  const operations = [...findOperations(document)].filter(({ isWebhook }) => !isWebhook);
  const holders = [document, ...operations.flatMap(({ item, operation }) => [item, operation])];
  const origins = new Set<string>();
  for (const url of [...serverAddresses(holders), ...tokenAddresses(document)]) {
    const origin = originOf(url);
    if (origin !== undefined && origins.size < MAX_ORIGINS) origins.add(origin);
  }
  return [...origins];
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
    yield textOf(scheme.openIdConnectUrl);
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
