import type { IncomingMessage, Server } from 'node:http';
import {
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { type CanonicalHost, canonicalHost } from '../host.ts';
import { type EdgeRequest, type RequestTarget, readRequestTarget } from '../http/edge-request.ts';
import type { EdgeResponse } from '../http/response.ts';

/** What is served at a name of the installation's own, in place of a site. */
export interface OwnHost {
  readonly host: CanonicalHost;
  /**
   * Has the connections that were made by the host's name over TLS, and the requests of those that speak HTTP/2. It does
   * not listen itself. It has to refuse requests that are for another host: `isMisdirected`.
   */
  readonly server: Server;
  /** The response to a request without TLS. */
  readonly plain: (request: EdgeRequest, target: RequestTarget) => Promise<EdgeResponse>;
}

export type OwnHosts = ReadonlyMap<string, OwnHost>;

export function ownHostsByName(ownHosts: readonly OwnHost[]): OwnHosts {
  return new Map(ownHosts.map((own) => [own.host, own]));
}

/** Whether a request names another host than the one that its connection was made for (RFC 9110, section 7.4). */
export function isMisdirected(
  { headers }: Pick<IncomingMessage, 'headers'>,
  url: string,
  host: CanonicalHost,
): boolean {
  const authority = headers.host ?? (headers as IncomingHttpHeaders)[':authority'] ?? '';
  const target = readRequestTarget(url, authority);
  // What cannot be read is refused as that.
  return 'status' in target ? canonicalHost(authority) !== host : target.host !== host;
}

/** Hands a request over HTTP/2 to a host's server, in the form in which servers of HTTP/1 have requests. */
export function handOverStream(
  { server }: OwnHost,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): void {
  const request = new Http2ServerRequest(stream, headers, {}, rawHeaders);
  const response = new Http2ServerResponse(stream);
  if (headers[':method'] === 'CONNECT') {
    response.writeHead(405, { allow: 'GET, HEAD, OPTIONS' }).end();
    return;
  }
  if (headers.expect === '100-continue') response.writeContinue();
  server.emit('request', request, response);
}
