import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { answerBare } from './bare-answer.ts';
import { watchChanges } from './change-watch.ts';
import { refuseBadConnections } from './connection-errors.ts';
import { drainable } from './drain.ts';
import { plainAnswers } from './plain-answers.ts';
import { answerPlainRequests } from './plain-connections.ts';
import { type Respond, responder } from './respond.ts';
import { type CacheLimits, DEFAULT_LIMITS, SiteCache } from './site-cache.ts';
import { SiteFiles } from './site-files.ts';
import type { SiteSource } from './site-source.ts';
import { inTurns } from './turns.ts';

export interface EdgeOptions {
  readonly source: SiteSource;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly log: Logger;
  /** What memory may hold, where it is not to be the default. */
  readonly limits?: Partial<CacheLimits>;
  readonly timeouts?: Partial<Timeouts>;
}

/** In milliseconds. */
interface Timeouts {
  /** From the first byte of a request to the end of its headers. */
  readonly headers: number;
  /** To the end of its body. */
  readonly request: number;
  /** Between requests: longer than the minute for which load balancers keep an idle connection. */
  readonly keepAlive: number;
  /** Without a byte in either direction: a client that no longer reads its answer. */
  readonly stalled: number;
  /** For the answers that are under way when the edge closes. */
  readonly drain: number;
}

const DEFAULT_TIMEOUTS: Timeouts = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  stalled: 60_000,
  drain: 5_000,
};

/** Request line and headers together, in bytes (431 beyond). */
const MAX_HEADER_BYTES = 16 * 1024;

/** A body means nothing here. One up to this size is read and dropped; beyond, the connection ends. */
const MAX_BODY_BYTES = 64 * 1024;

const MAX_CONNECTIONS = 10_000;

/** How late a timeout may be noticed. */
const CHECK_INTERVAL_MS = 1_000;

/** Failures are logged once in this time: when the store is away, every request fails. */
const FAILURE_LOG_INTERVAL_MS = 1_000;

export interface Edge {
  readonly port: number;
  /** Serves nothing old of these projects from the moment it returns. */
  invalidate(projectIds: readonly string[]): void;
  /** Answers what was asked, for a bounded time; takes no more connections. */
  close(): Promise<void>;
}

/** Serves sites by host name over HTTP. Rejects when it can't listen, with Node's error. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { source, host, port, log } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const cache = new SiteCache(source, { ...DEFAULT_LIMITS, ...options.limits });
  const files = new SiteFiles(cache);
  const closing = new AbortController();

  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, timeouts.headers),
    // Node answers a missing Host with an empty body, and only in HTTP/1.1.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
  });
  server.timeout = timeouts.stalled;
  server.maxConnections = MAX_CONNECTIONS;
  // At debug every request gets its line in the log, so none takes the short way.
  const plain = log.isLevelEnabled('debug')
    ? undefined
    : answerPlainRequests(server, plainAnswers(cache, files), timeouts, closing.signal);
  const drain = drainable(server, () => plain?.closeIdle());
  serve(server, responder(cache, files), log, closing.signal);

  server.listen(port, host);
  await once(server, 'listening');
  const watching = watchChanges(source, cache, log, closing.signal);

  return {
    port: (server.address() as AddressInfo).port,
    invalidate: (projectIds) => cache.invalidate(new Set(projectIds)),
    async close() {
      closing.abort();
      await Promise.all([drain(timeouts.drain), watching]);
    },
  };
}

function serve(server: Server, respond: Respond, log: Logger, closing: AbortSignal): void {
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
function logAnswer(log: Logger, request: IncomingMessage, response: ServerResponse): void {
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
