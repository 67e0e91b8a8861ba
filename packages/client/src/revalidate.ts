/** Responses kept at most, and how long the body of each may be. */
const MAX_KEPT = 200;
const MAX_BODY_LENGTH = 65_536;

interface Kept {
  readonly etag: string;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * Makes a fetch that keeps the responses to GET that have an entity tag, and asks for each with `If-None-Match` from
 * then on. Where the service says 304, the kept response comes back, with its headers brought up to date (RFC 9111,
 * section 4.3.4). Nothing is used without asking.
 */
export function revalidating(fetch: typeof globalThis.fetch): typeof fetch {
  const kept = new Map<string, Kept>();
  return async (input, init) => {
    const request = new Request(input, init);
    const known = kept.get(request.url);
    if (request.method !== 'GET' || request.headers.has('if-none-match')) return fetch(request);
    if (known) request.headers.set('if-none-match', known.etag);
    const response = await fetch(request);
    kept.delete(request.url);
    if (response.status === 304 && known) {
      const headers = new Headers(known.headers);
      for (const [name, value] of response.headers) headers.set(name, value);
      headers.delete('content-length');
      kept.set(request.url, { ...known, headers });
      return new Response(known.body, { status: 200, headers });
    }
    const etag = response.headers.get('etag');
    if (response.status !== 200 || etag === null) return response;
    const body = await response.text();
    const { status, headers } = response;
    if (body.length <= MAX_BODY_LENGTH) kept.set(request.url, { etag, headers, body });
    // The one that was used least lately goes.
    const [oldest = ''] = kept.keys();
    if (kept.size > MAX_KEPT) kept.delete(oldest);
    return new Response(body, { status, headers });
  };
}
