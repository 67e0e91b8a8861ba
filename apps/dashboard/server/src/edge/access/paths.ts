/** Where a private site has what belongs to signing in. Sites have no pages there: those of a build begin with a letter or `_site`. */
export const PATHS = {
  signIn: '/_access/sign-in',
  signOut: '/_access/sign-out',
  account: '/_access/account',
  ticket: '/_access/ticket',
  link: '/_access/link',
} as const;

/** The metadata of a protected resource (RFC 9728, section 3). */
const METADATA = '/.well-known/oauth-protected-resource';

/** The path of the resource that metadata is asked about: empty for the whole site. undefined: it is another path. */
export function describedResource(path: string): string | undefined {
  if (path === METADATA) return '';
  const rest = path.startsWith(`${METADATA}/`) ? path.slice(METADATA.length) : undefined;
  return rest !== undefined && isMcp(rest) ? rest : undefined;
}

/** Where the metadata of the resource at a path is. An MCP server is a resource by itself: clients compare the address. */
export const metadataOf = (origin: string, path: string): string =>
  origin + METADATA + (isMcp(path) ? path : '');

/** At the root, or below the prefix of a version. Whether there is one, is not told. */
const isMcp = (path: string) => /^(?:\/[\w.-]{1,40})?\/mcp$/.test(path);

/** The longest address to go on to, in characters. */
const MAX_LENGTH = 4_000;

/** A path of this site with its query: nothing that a browser reads as another host (`//host`, `/\host`). */
const LOCAL = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

/** Where to go after signing in: what was asked for, where that is on this site, or else the start page. */
export function localPath(to: string | null | undefined): string {
  return to && to.length <= MAX_LENGTH && LOCAL.test(to) ? to : '/';
}
