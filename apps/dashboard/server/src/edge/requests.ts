import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { answerBare } from './bare-answer.ts';
import { refuseBadConnections } from './connection-errors.ts';
import type { EdgeLog } from './edge-log.ts';
import type { Respond } from './respond.ts';
import { inTurns } from './turns.ts';

/** A body means nothing here. One up to this size is read and dropped; beyond, the connection ends. */
const MAX_BODY_BYTES = 64 * 1024;

/** Failures are logged once in this time: when the store is away, every request fails. */
const FAILURE_LOG_INTERVAL_MS = 1_000;

/** Answers what a server is asked, as `respond` has it; with 503 where that fails. */
export function serveRequests(
  server: Server,
  respond: Respond,
  log: EdgeLog,
  closing: AbortSignal,
): void {
  const isLogged = log.isLevelEnabled('debug');
  let loggedAt = Number.NEGATIVE_INFINITY;

  const fail = (response: ServerResponse, error: unknown) => {
    if (performance.now() - loggedAt > FAILURE_LOG_INTERVAL_MS) {
      log.error({ err: error }, 'a request can not be answered');
      loggedAt = performance.now();
    }
    if (response.headersSent) response.destroy();
    else answerBare(response, 503, 'The site can not be read at the moment.', ['Retry-After', '1']);
  };

  const { onRequest, handleWaiting } = inTurns((request, response) => {
    if (closing.aborted || hasLongBody(request)) response.shouldKeepAlive = false;
    if (isLogged) logAnswer(log, request, response);
    try {
      const waiting = respond(request, response);
      // Without a socket it stands behind an answer that is still to come.
      if (waiting || !response.socket) connections.expect(request.socket, response);
      waiting?.catch((error) => fail(response, error));
    } catch (error) {
      fail(response, error);
    }
  });
  const connections = refuseBadConnections(server, handleWaiting);

  server.on('request', onRequest);
  // The body that a client announces is not wanted, so it is not told to go on; it may send it anyway.
  server.on('checkContinue', (request, response) => {
    response.shouldKeepAlive = false;
    onRequest(request, response);
  });
  // RFC 9110, section 10.1.1 lets a server ignore an expectation that it does not know.
  server.on('checkExpectation', onRequest);
}

function hasLongBody({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES
  );
}

/** The path and not the query, which may hold what is nobody's business. */
function logAnswer(log: EdgeLog, request: IncomingMessage, response: ServerResponse): void {
  const begun = performance.now();
  response.once('close', () => {
    const { method, headers, url = '' } = request;
    const durationMs = Math.round((performance.now() - begun) * 1_000) / 1_000;
    const status = response.statusCode;
    log.debug(
      { host: headers.host, method, path: url.split('?')[0], status, durationMs },
      'answered',
    );
  });
}
