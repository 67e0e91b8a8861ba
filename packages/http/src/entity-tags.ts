import { hash } from 'node:crypto';

/** The strong entity tag of a content (RFC 9110, section 8.8.3), quotes included. */
export function entityTag(content: string | NodeJS.ArrayBufferView): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/** Whether an If-Match lists this tag, by the strong comparison: a weak tag never matches (RFC 9110, section 13.1.1). */
export function matchesStrongly(ifMatch: string, etag: string): boolean {
  return ifMatch === etag || listOf(ifMatch).some((tag) => tag === '*' || tag === etag);
}

/** Whether an If-None-Match lists this tag, by the weak comparison: `W/` makes no difference (section 13.1.2). */
export function matchesWeakly(ifNoneMatch: string, etag: string): boolean {
  return (
    ifNoneMatch === etag ||
    listOf(ifNoneMatch).some((tag) => tag === '*' || tag === etag || tag === `W/${etag}`)
  );
}

/** The tags made here contain no comma. */
function listOf(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
