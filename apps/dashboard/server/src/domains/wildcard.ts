import type { SiteVersion } from '../edge/sites/site-source.ts';

const MARK = '*.';

/** Whether a claimed name is a wildcard, such as `*.docs.example.com`. */
export const isWildcard = (hostname: string): boolean => hostname.startsWith(MARK);

/** The name without its mark: `docs.example.com` of `*.docs.example.com`; any other name itself. */
export const withoutWildcard = (hostname: string): string =>
  isWildcard(hostname) ? hostname.slice(MARK.length) : hostname;

/** The wildcard directly below a name. */
export const wildcardOf = (name: string): string => MARK + name;

/** The name of a claim beside which another one of the same project has the same record for its challenges. */
export const siblingOf = (hostname: string): string =>
  isWildcard(hostname) ? withoutWildcard(hostname) : wildcardOf(hostname);

/** The wildcard that a host is directly below: `*.docs.example.com` of `v1.docs.example.com`. */
export const wildcardAbove = (host: string): string => `*${host.slice(host.indexOf('.'))}`;

/**
 * The version that a label names. A label has no dots and no underscores: `v1-0` names `v1.0` where there is no version
 * `v1-0`; of several, the first.
 */
export function versionOfLabel(
  versions: readonly SiteVersion[],
  label: string,
): SiteVersion | undefined {
  return (
    versions.find(({ name }) => name === label) ??
    versions.find(({ name }) => name.replaceAll(/[._]/g, '-') === label)
  );
}
