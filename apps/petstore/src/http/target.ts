/**
 * Whether a target cannot be one of this service's: it is not a path (`*`), or it ends in a slash and is not the root.
 */
export function isNoPathOfOurs(target: string): boolean {
  if (!target.startsWith('/')) return true;
  const query = target.indexOf('?');
  const end = (query < 0 ? target.length : query) - 1;
  return end > 0 && target.charCodeAt(end) === 0x2f;
}
