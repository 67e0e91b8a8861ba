/** A target that the document declares. */
export interface Declared {
  /** Its host or port is any that fits, chosen by the reader: then it is one of the internet. */
  readonly isWildcard: boolean;
}

/**
 * Whether a URL is one that the document declares, or below one; undefined where it is none. `addresses` are origins as
 * `connect-src` has them, each with a path: `https://*.example.com:*` and `/v1`.
 */
export function findDeclared(url: URL, addresses: readonly string[]): Declared | undefined {
  if (leavesItsPath(url.pathname)) return undefined;
  let found: Declared | undefined;
  for (const address of addresses) {
    const [, scheme = '', host = '', port, path = ''] = ADDRESS.exec(address) ?? [];
    const fits =
      url.protocol === `${scheme}:` &&
      hostFits(url.hostname, host) &&
      (port === '*' || url.port === (port ?? '')) &&
      (path === '/' || url.pathname === path || url.pathname.startsWith(`${path}/`));
    if (!fits) continue;
    const isWildcard = port === '*' || host.startsWith('*.');
    if (!isWildcard) return { isWildcard };
    found = { isWildcard };
  }
  return found;
}

const ADDRESS = /^(https?):\/\/(\[[^\]]*\]|[^:/]*)(?::(\d+|\*))?(\/.*)$/;

function hostFits(hostname: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}

/** A server may decode slashes before it looks at the dots: `/v1/..%2fadmin`. */
function leavesItsPath(path: string): boolean {
  const decoded = path.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/');
  return decoded.split('/').some((segment) => segment === '..' || segment.startsWith('..;'));
}
