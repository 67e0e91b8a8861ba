import { hrefOf } from './site-files.ts';

/** No prefix is longer, in letters. */
const MAX_PREFIX = 1_000;

/**
 * The longest prefix, such as `/old/`, that a path begins with, and its value; undefined where there is none. A prefix
 * holds for its own folder (`/old`) as well.
 */
export function longestPrefix<Value>(
  prefixes: Readonly<Record<string, Value>>,
  path: string,
): readonly [prefix: string, Value] | undefined {
  const start = `${path.slice(0, MAX_PREFIX)}/`;
  for (let end = start.lastIndexOf('/'); end >= 0; end = start.lastIndexOf('/', end - 1)) {
    const prefix = start.slice(0, end + 1);
    const value = Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : undefined;
    if (value !== undefined) return [prefix, value];
    if (end === 0) break;
  }
  return undefined;
}

/**
 * The address that begins with `to`, which ends with a slash and is percent-encoded, and ends with the rest of a path,
 * which is not.
 */
export function withRest(to: string, rest: string): string {
  // Two slashes at the beginning of a path would lead to another host.
  const inner = rest.replace(/^\/+/, '');
  if (inner !== '') return to + hrefOf(inner);
  return /^\/./.test(to) ? to.slice(0, -1) : to;
}
