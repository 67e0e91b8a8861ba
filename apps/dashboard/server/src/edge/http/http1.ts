import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { refuseBadConnections } from '@petstore/http/connection-errors.ts';
import { STATUS_CODES } from '@petstore/http/node-http.ts';
import { countHeader, transferProblem } from '@petstore/http/request-head.ts';
import { countedClient, MAX_HEADER_BYTES } from '../connections/limits.ts';
import { type EdgeLog, type FailureReporter, logResponse } from '../log.ts';
import type { EdgeRequest } from './edge-request.ts';
import { bodyReader } from './request-body.ts';
import type { Respond } from './respond.ts';
import { type EdgeResponse, textResponse } from './response.ts';

/**
 * Nearly all request bodies are ignored. One up to this size is read and dropped; after a longer one the connection
 * closes.
 */
const MAX_BODY_BYTES = 64 * 1024;

interface Http1Options {
  readonly respond: Respond;
  /** The canonical name by which a TLS connection was made; undefined: there is no TLS. */
  readonly serverNameOf: (socket: Socket) => string | undefined;
  readonly failures: FailureReporter;
  readonly log: EdgeLog;
  readonly closing: AbortSignal;
}

/** Handles a server's HTTP/1 requests with `respond`; with 503 where that fails. */
export function serveHttp1(
  server: Server,
  { respond, serverNameOf, failures, log, closing }: Http1Options,
): void {
  const isLogged = log.isLevelEnabled('debug');

  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown) => {
    failures.report(error);
    if (response.headersSent) response.destroy();
    else write(request, response, failures.response);
  };

  /** Requests whose clients wait for 100 Continue before they send the body. */
  const expectant = new WeakSet<IncomingMessage>();

  const { onRequest, flush } = batchPerTick((request, response) => {
    if (closing.aborted || hasLongBody(request)) response.shouldKeepAlive = false;
    if (isLogged) logRequest(log, request, response);
    try {
      const problem = transferProblem(request.headers['transfer-encoding']);
      const result = problem
        ? textResponse(problem.status, problem.message)
        : respond({
            ...edgeRequestOf(request, serverNameOf(request.socket)),
            client: () => countedClient(request.socket),
            onClose: (listener) => {
              if (response.closed) listener();
              else response.once('close', listener);
            },
            readBody: bodyReader(request, () => {
              if (expectant.has(request)) response.writeContinue();
            }),
          });
      if (!(result instanceof Promise)) write(request, response, result);
      else {
        result
          .then((settled) => write(request, response, settled))
          .catch((error) => fail(request, response, error));
      }
    } catch (error) {
      fail(request, response, error);
    }
  });
  refuseBadConnections(server, MAX_HEADER_BYTES, ({ status }) => {
    // Earlier requests on the same connection get their responses first.
    flush();
    return {
      headers: {
        'Content-Type': 'text/plain; charset=utf-8',
        ...(status === 405 && { Allow: 'GET, HEAD, OPTIONS' }),
      },
      body: `${STATUS_CODES[status]}\n`,
    };
  });

  server.on('request', onRequest);
  // Where the body is ignored, no 100 Continue is sent. The client may send the body anyway.
  server.on('checkContinue', (request, response) => {
    response.shouldKeepAlive = false;
    expectant.add(request);
    onRequest(request, response);
  });
  // RFC 9110, section 10.1.1 lets a server ignore an expectation that it does not know.
  server.on('checkExpectation', onRequest);
}

function edgeRequestOf(
  request: IncomingMessage,
  serverName: string | undefined,
): Omit<EdgeRequest, 'readBody' | 'client' | 'onClose'> {
  const { method = '', url = '', headers, rawHeaders } = request;
  const authority = countHeader(rawHeaders, 'host') === 1 ? (headers.host ?? '') : undefined;
  return { method, target: url, authority, headers, serverName };
}

function write(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, headers, content, body }: EdgeResponse,
): void {
  response.writeHead(status, headers as string[]);
  // Whichever side breaks off ends the other, and nobody else can be told.
  if (body) pipeline(body, response, () => {});
  else if (method === 'HEAD' || content.length === 0) response.end();
  else response.end(content, 'latin1');
}

function hasLongBody({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES
  );
}

function logRequest(log: EdgeLog, request: IncomingMessage, response: ServerResponse): void {
  const begun = performance.now();
  const { method = '', headers, url = '' } = request;
  response.once('close', () =>
    logResponse(log, { method, authority: headers.host, target: url }, response.statusCode, begun),
  );
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Handles the requests of one turn of the event loop together, at its end: to wake up a sleeping client costs as much
 * as the rest of its response, so all clients are woken up together. `flush` handles the waiting requests at once.
 */
function batchPerTick(handle: Handler): { onRequest: Handler; flush: () => void } {
  let waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  const flush = () => {
    const batch = waiting;
    waiting = [];
    for (const { request, response } of batch) handle(request, response);
  };
  return {
    flush,
    onRequest(request, response) {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ request, response });
    },
  };
}
