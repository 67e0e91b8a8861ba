import { isObject, textOf } from './openapi-types.ts';

/** How many addresses of a server with variables are listed; the rest is left out. */
const MAX_EXPANSIONS = 100;

/** The first server's address, with its variables' defaults; empty where there is none. */
export function firstServer(...holders: readonly Record<string, unknown>[]): string {
  const [server] = serversOf(...holders);
  const [url = ''] = server ? expanded(server) : [];
  return url.replace(/\/$/, '');
}

/** The servers of the first holder that has any: an operation's replace those of its path item, and these the document's. */
export function serversOf(
  ...holders: readonly Readonly<Record<string, unknown>>[]
): Record<string, unknown>[] {
  const lists = holders.map(({ servers }) => (Array.isArray(servers) ? servers : []));
  return lists.map((servers) => servers.filter(isObject)).find(({ length }) => length > 0) ?? [];
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
