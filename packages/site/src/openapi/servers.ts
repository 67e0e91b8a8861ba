import { isObject } from '@petstore/reference/operations.ts';
import { type OpenApiDocument, textOf } from './openapi-types.ts';
import { findOperations } from './operations.ts';

const MAX_ORIGINS = 20;

/** How many addresses of a server with variables are listed; the rest is left out. */
const MAX_EXPANSIONS = 100;

/**
 * The origins to which the panel sends requests: those of the servers of the document, its paths and its operations,
 * with every value of their variables; at most 20. Relative addresses belong to the site.
 */
export function serverOrigins(document: OpenApiDocument): string[] {
  const operations = [...findOperations(document)].filter(({ isWebhook }) => !isWebhook);
  const holders = [document, ...operations.flatMap(({ item, operation }) => [item, operation])];
  const origins = new Set<string>();
  for (const server of new Set(holders.flatMap(serversOf))) {
    for (const url of expanded(server)) {
      const origin = originOf(url);
      if (origin !== undefined && origins.size < MAX_ORIGINS) origins.add(origin);
    }
  }
  return [...origins];
}

/** The first server's address, with its variables' defaults; empty where there is none. */
export function firstServer(...holders: readonly Record<string, unknown>[]): string {
  const [server] = holders.flatMap(serversOf);
  const [url = ''] = server ? expanded(server) : [];
  return url.replace(/\/$/, '');
}

function serversOf({ servers }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(servers) ? servers.filter(isObject) : [];
}

/** In letters: RFC 1035, section 2.3.4, without the dot at the end. */
const MAX_HOST_LENGTH = 253;

function originOf(url: string): string | undefined {
  if (!/^https?:\/\//i.test(url)) return undefined;
  // Only origins that a policy may contain as they are: no wildcard, no space, no semicolon.
  const { origin, hostname } = URL.canParse(url) ? new URL(url) : {};
  return hostname &&
    hostname.length <= MAX_HOST_LENGTH &&
    /^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/i.test(hostname)
    ? origin
    : undefined;
}

/** The addresses of a server: first the one of its variables' defaults. */
function expanded({ url, variables }: Record<string, unknown>): string[] {
  let urls = [textOf(url)];
  for (const [name, variable] of isObject(variables) ? Object.entries(variables) : []) {
    if (!isObject(variable) || !textOf(url).includes(`{${name}}`)) continue;
    const others = Array.isArray(variable.enum) ? variable.enum : [];
    const values = [
      ...new Set([variable.default, ...others].filter((one) => typeof one === 'string')),
    ];
    urls = values
      .flatMap((value) => urls.map((one) => one.replaceAll(`{${name}}`, () => value)))
      .slice(0, MAX_EXPANSIONS);
  }
  return urls;
}
