import { ScimError } from './scim-error.ts';

/**
 * Throws ScimError 412 where a change depends on a version that the resource no longer has. Tags are compared weakly, as
 * SCIM's are (RFC 7644, section 3.14).
 */
export function checkVersion(ifMatch: string | undefined, version: string): void {
  if (ifMatch === undefined || hasTag(ifMatch, version)) return;
  throw new ScimError(
    412,
    `The resource has changed: its version is ${version} now. Read it again.`,
  );
}

/** Whether a list of entity tags, or `*`, has this one. */
export function hasTag(list: string, version: string): boolean {
  const plain = (tag: string) => tag.trim().replace(/^W\//, '');
  return list.trim() === '*' || list.split(',').some((tag) => plain(tag) === plain(version));
}
