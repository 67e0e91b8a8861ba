import type { HeaderPair } from '@petstore/site/request/proxy-format.ts';

/** The proxy's name in Via (RFC 9110, section 7.6.3), by which it knows its own requests. */
export const VIA = 'dashboard-request-proxy';

/** Between two programs on a connection, not to the end (RFC 9110, section 7.6.1). */
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/i;

/**
 * Of a request, besides: what the proxy writes itself, cookies, what tells of the reader's address or of a browser, and
 * what would change the exchange.
 */
const NOT_SENT =
  /^(?:host|content-length|accept-encoding|cookie2?|via|expect|forwarded|x-forwarded.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|sec-.*)$/i;

const SET_COOKIE = /^set-cookie2?$/i;

/** What has no credentials in it, so that a redirect to another origin may have it. */
const HARMLESS = /^(?:accept|accept-language|content-language|content-type|user-agent)$/i;

/** The headers of a request as they go to the API, without those of its framing. */
export function requestHeaders(given: readonly HeaderPair[]): HeaderPair[] {
  const kept = endToEnd(given).filter(([name]) => !NOT_SENT.test(name));
  const has = (wanted: string) => kept.some(([name]) => name.toLowerCase() === wanted);
  return [
    ...kept,
    ...(has('accept') ? [] : [['Accept', '*/*'] as const]),
    // Some APIs refuse a request without one.
    ...(has('user-agent') ? [] : [['User-Agent', VIA] as const]),
  ];
}

/** Those that may go to another origin. */
export const withoutCredentials = (headers: readonly HeaderPair[]): HeaderPair[] =>
  headers.filter(([name]) => HARMLESS.test(name));

/** Those of a request that has no body any more. */
export const withoutBody = (headers: readonly HeaderPair[]): HeaderPair[] =>
  headers.filter(([name]) => !/^content-/i.test(name));

/** The headers of a response for the reader, as the API wrote them. `raw`: names and values in turn. */
export function responseHeaders(raw: readonly string[]): HeaderPair[] {
  const pairs = raw.flatMap((name, at): HeaderPair[] =>
    at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : [],
  );
  return endToEnd(pairs).filter(([name]) => !SET_COOKIE.test(name));
}

/** Without those of one connection, and those that Connection names (RFC 9110, section 7.6.1). */
export function endToEnd(headers: readonly HeaderPair[]): HeaderPair[] {
  const named = headers
    .filter(([name]) => /^connection$/i.test(name))
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((one) => one.trim()),
    );
  return headers.filter(([name]) => !HOP_BY_HOP.test(name) && !named.includes(name.toLowerCase()));
}
