/**
 * Whether one of the tags of an If-None-Match is `etag`, by the weak comparison (RFC 9110, section
 * 13.1.2): `W/` makes no difference. Our tags hold no comma.
 */
export function matchesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  return ifNoneMatch.split(',').some((candidate) => {
    const tag = candidate.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
