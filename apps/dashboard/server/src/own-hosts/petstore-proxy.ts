import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { refuseBadConnections } from '@petstore/http/connection-errors.ts';
import { boundLingeringBody } from '@petstore/http/lingering.ts';
import { clientNetwork } from '@petstore/http/networks.ts';
import { Agent, createServer, request as httpRequest } from '@petstore/http/node-http.ts';
import { bareHost } from '@petstore/http/reachable-addresses.ts';
import { headProblem } from '@petstore/http/request-head.ts';
import { FailureLog } from '@petstore/service/failure-log.ts';
import type { Log } from '@petstore/service/log.ts';
import type { CanonicalHost } from '../edge/host.ts';
import { isMisdirected } from '../edge/own-hosts/own-host.ts';
import { connectionErrorResponse } from '../http/error-handler.ts';
import { forwardedHeaders, hasBody, responseHeaders } from './forwarded-headers.ts';

/** Requests that the API has at once. */
const MAX_IN_FLIGHT = 512;

/** Those of them that come from one network, so that nobody alone keeps all others out. */
const MAX_OF_NETWORK = 128;

/** In milliseconds. The API bounds its own requests in 30 and its responses in 60 seconds. */
const TIMES = {
  connect: 5_000,
  /** From the last byte of the request, or of a part of it, to the head of the response; and between its parts. */
  silent: 60_000,
  request: 60_000,
  /** Shorter than the API keeps an idle connection. */
  idle: 30_000,
};

/** In bytes. More than the API's own limit of 16 KiB, so that the API refuses what is too long. */
const maxHeaderSize = 32 * 1024;

interface ProxyOptions {
  readonly host: CanonicalHost;
  /** The origin of the API. */
  readonly target: string;
  readonly log: Log;
  readonly times?: Partial<typeof TIMES>;
}

/** What the client is told where there is no response. */
const REFUSALS = {
  unavailable: [
    503,
    'unavailable',
    'The API has too many requests at the moment. Try again in a second.',
  ],
  no_response: [
    502,
    'no_response',
    'The API does not respond at the moment. Try again in a minute.',
  ],
  timeout: [504, 'timeout', 'The API did not respond in time.'],
} as const;

/**
 * A server that passes all requests on to the API as they come, and its responses back. The API learns the client's
 * address, the scheme and the host from it alone: what a client says of those is dropped. It does not listen itself.
 */
export function petstoreProxy({ host, target, log, times: changed }: ProxyOptions): {
  readonly server: Server;
  /** Ends the watch over timeouts, and closes the connections to the API that are kept. */
  close(): void;
} {
  const times = { ...TIMES, ...changed };
  const upstream = new URL(target);
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: times.idle });
  const failures = new FailureLog(log);
  const place = { hostname: bareHost(upstream.hostname), port: upstream.port || 80, agent };
  let inFlight = 0;
  const ofNetworks = new Map<string, number>();

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => {});
    request.on('error', () => {});
    const url = request.url ?? '/';
    const problem = headProblem(request, url);
    const network = clientNetwork(request.socket.remoteAddress ?? '');
    const ofNetwork = ofNetworks.get(network) ?? 0;
    const isFull = inFlight >= MAX_IN_FLIGHT || ofNetwork >= MAX_OF_NETWORK;
    if (problem) refuse(request, response, [problem.status, 'invalid_request', problem.message]);
    else if (isMisdirected(request, url, host)) misdirected(response);
    else if (isFull) refuse(request, response, REFUSALS.unavailable);
    else {
      inFlight += 1;
      ofNetworks.set(network, ofNetwork + 1);
      response.once('close', () => {
        inFlight -= 1;
        const left = (ofNetworks.get(network) ?? 0) - 1;
        if (left > 0) ofNetworks.set(network, left);
        else ofNetworks.delete(network);
      });
      send(request, response, { isFirst: true });
    }
  };

  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const refusal = error instanceof TimeoutError ? REFUSALS.timeout : REFUSALS.no_response;
    failures.note({ code: refusal[1] }, error);
    // A response that has begun cannot become another one.
    if (response.headersSent) response.destroy();
    else refuse(request, response, refusal);
  };

  /** `isFirst`: a request without a body is sent once more where a kept connection was closed meanwhile. */
  const send = (
    request: IncomingMessage,
    response: ServerResponse,
    { isFirst }: { isFirst: boolean },
  ): void => {
    let sent: ClientRequest;
    try {
      const { method, url = '/' } = request;
      const headers = forwardedHeaders(request, host);
      sent = httpRequest({ ...place, method, path: pathOf(url), headers, maxHeaderSize });
    } catch {
      // HTTP/2 allows for characters that HTTP/1.1 has no way to send.
      refuse(request, response, [400, 'invalid_request', 'The request is malformed.']);
      return;
    }
    const leave = () => sent.destroy();
    response.once('close', leave);
    const silence = watchSilence(sent, request, times);
    sent.once('response', (received) => {
      silence.end();
      // The API may respond before it has all of the body. The rest is dropped, so that the connection goes on.
      response.once('finish', () => request.unpipe(sent));
      boundLingeringBody(request, response);
      try {
        passBack(received, response, times.silent);
      } catch (error) {
        sent.destroy();
        fail(request, response, error);
      }
    });
    sent.once('error', (error) => {
      silence.end();
      response.off('close', leave);
      if (response.destroyed) return;
      const isStale = sent.reusedSocket && !(error instanceof TimeoutError);
      const isRepeatable = isFirst && isStale && !hasBody(request) && isSafe(request);
      if (isRepeatable && !response.headersSent) send(request, response, { isFirst: false });
      else fail(request, response, error);
    });
    if (hasBody(request)) request.pipe(sent);
    else sent.end();
  };

  const server = createServer({
    maxHeaderSize,
    requireHostHeader: false,
    headersTimeout: 10_000,
    requestTimeout: times.request,
    keepAliveTimeout: 65_000,
  });
  // The API's silence is told before the client's is.
  server.timeout = 2 * times.silent;
  server.on('request', handle);
  server.on('checkExpectation', handle);
  refuseBadConnections(server, maxHeaderSize, connectionErrorResponse);
  // With this event Node begins to watch the timeouts of a server, and to know which of its connections are idle.
  server.emit('listening');
  return {
    server,
    close() {
      server.close();
      agent.destroy();
    },
  };
}

class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** A request that may be carried out twice (RFC 9110, section 9.2.1). */
function isSafe({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Ends a request where the API takes no connection, or says nothing for too long after the client did. */
function watchSilence(
  sent: ClientRequest,
  request: IncomingMessage,
  { connect, silent }: typeof TIMES,
): { readonly end: () => void } {
  const isLate = () => sent.destroy(new TimeoutError('The API was silent for too long.'));
  let timer = setTimeout(isLate, connect);
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(isLate, silent);
  };
  sent.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', restart);
    else restart();
  });
  request.on('data', restart);
  const end = () => {
    clearTimeout(timer);
    request.off('data', restart);
  };
  sent.once('close', end);
  return { end };
}

/** Passes a response back as it comes. Whichever side breaks off ends the other, so that nobody takes a part for all. */
function passBack(received: IncomingMessage, response: ServerResponse, silentMs: number): void {
  received.setTimeout(silentMs, () => received.destroy());
  for (const [name, values] of responseHeaders(received.rawHeaders)) {
    const [only, ...more] = values;
    response.setHeader(name, more.length > 0 || only === undefined ? values : only);
  }
  response.statusCode = received.statusCode ?? 502;
  response.flushHeaders();
  pipeline(received, response, () => {});
}

/** The path and the query of a target, which may be in absolute form. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

function misdirected(response: ServerResponse): void {
  response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8' });
  response.end('Misdirected Request\n');
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  [status, code, message]: readonly [number, string, string],
): void {
  const body = JSON.stringify({ code, message, status });
  boundLingeringBody(request, response);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 503 && { 'retry-after': '1' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
