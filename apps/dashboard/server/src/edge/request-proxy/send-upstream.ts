import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { request as httpRequest } from '@petstore/http/node-http.ts';
import { bareHost, pinnedLookup } from '@petstore/http/reachable-addresses.ts';
import { VIA } from './header-fields.ts';
import { ProxyError } from './proxy-error.ts';
import type { OutgoingRequest } from './read-request.ts';

/** Methods whose empty body has a length (RFC 9110, section 8.6). */
const WITH_BODY = /^(?:POST|PUT|PATCH)$/i;

/**
 * Sends a request on a connection of its own, to one of `addresses` only; the head of its response, whose body is still
 * to be read. Rejects with ProxyError, and with the reason of the signal, which also ends the body.
 */
export function sendUpstream(
  { method, url, headers, body }: OutgoingRequest,
  addresses: readonly LookupAddress[],
  maxHeaderSize: number,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const hasLength = body.length > 0 || WITH_BODY.test(method);
  const request: ClientRequest = send({
    method,
    hostname: bareHost(url.hostname),
    port: url.port,
    path: url.pathname + url.search,
    // A list is sent as it is: with its names as they are written, and those that are there twice.
    headers: [
      ...['Host', url.host, ...headers.flat()],
      // What is sent is what is counted and shown.
      ...['Accept-Encoding', 'identity', 'Via', `1.1 ${VIA}`],
      ...(hasLength ? ['Content-Length', String(body.length)] : []),
    ],
    agent: false,
    lookup: pinnedLookup(addresses),
    maxHeaderSize,
    signal,
  });
  request.once('response', resolve);
  const fail = (error?: unknown) =>
    reject(
      signal.aborted
        ? signal.reason
        : new ProxyError('no_response', explainConnectionError(url, error)),
    );
  // An error after the response is one of its body, too.
  request.on('error', fail);
  request.once('close', () => fail());
  request.end(body);
  return promise;
}

/** Why there was no response. The codes are those of Node and of OpenSSL. */
export function explainConnectionError({ origin }: URL, error?: unknown): string {
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
      return `${origin} refused the connection: nothing listens there.`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return `${origin} cannot be reached.`;
    case 'HPE_HEADER_OVERFLOW':
      return `${origin} answered with headers that are too long.`;
  }
  if (code.startsWith('HPE_')) return `The response of ${origin} is not HTTP.`;
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code))
    return `The certificate of ${origin} is not trusted: ${message}.`;
  if (/^(?:EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return `${origin} does not speak TLS there.`;
  return `${origin} closed the connection without a whole response.`;
}
