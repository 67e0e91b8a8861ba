import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from '@petstore/http/node-http.ts';
import type { AccessSource } from './access/access-source.ts';
import { siteGate } from './access/gate.ts';
import {
  DEFAULT_TIMEOUTS,
  http1Options,
  limitConnections,
  limitPerAddress,
  type Timeouts,
} from './connections/limits.ts';
import {
  drainable,
  type EdgeListener,
  interceptConnections,
  type ListenAt,
  listen,
  type ServerContext,
} from './connections/listener.ts';
import { serveFastPath } from './fast-path/connections.ts';
import { fastPathResponder } from './fast-path/responses.ts';
import type { EdgeRequest } from './http/edge-request.ts';
import { serveHttp1 } from './http/http1.ts';
import { responder } from './http/respond.ts';
import type { EdgeResponse } from './http/response.ts';
import { wellKnown } from './http/well-known.ts';
import { type EdgeLog, failureReporter } from './log.ts';
import { mcpEndpoint } from './mcp/mcp-endpoint.ts';
import type { EdgeMetrics } from './metrics/edge-metrics.ts';
import { type OwnHost, ownHostsByName } from './own-hosts/own-host.ts';
import { ReaderCounts } from './readers/reader-counts.ts';
import { ReaderRequestCounter } from './readers/reader-request-counter.ts';
import { readerEndpoints } from './readers/readers-endpoint.ts';
import { type ProxyOptions, requestProxy } from './request-proxy/request-proxy.ts';
import { RequestCounts } from './sites/request-counts.ts';
import { type CacheLimits, DEFAULT_LIMITS, SiteCache } from './sites/site-cache.ts';
import { SiteFiles } from './sites/site-files.ts';
import { ALL_PROJECTS, type SiteSource } from './sites/site-source.ts';
import { timedAccess, timedSource } from './store-reads.ts';
import { startHttpsServer } from './tls/https-server.ts';

export interface EdgeOptions {
  readonly source: SiteSource;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Descriptors of sockets that this process was given, to listen on in place of the ports. */
  readonly sockets?: EdgeSockets | undefined;
  /** Where hosts with a certificate are served over TLS; undefined: nowhere. */
  readonly tls?: TlsOptions;
  readonly log: EdgeLog;
  /** Bounds of the caches, where they differ from the defaults. */
  readonly limits?: Partial<CacheLimits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Connections that one address may have on each port; 0: unlimited. */
  readonly connectionsPerAddress?: number;
  /** Served in place of sites. */
  readonly ownHosts?: readonly OwnHost[];
  /** For sites whose owner has switched it on; undefined: for none. */
  readonly requestProxy?: ProxyOptions | undefined;
  /** Counts for the operator; undefined: nobody asks for them. */
  readonly metrics?: EdgeMetrics | undefined;
  /** The clock by which readers are counted and kept from too much, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Who may read private sites; undefined: there are none. */
  readonly access?: AccessSource | undefined;
  /** Answers requests in place of the sites; undefined for those that it leaves to them. */
  readonly answerFirst?: (request: EdgeRequest) => EdgeResponse | undefined;
}

/** A large office behind one address stays below it; for a proxy in front, the operator raises it. */
const CONNECTIONS_PER_ADDRESS = 1_000;

/** Sockets to listen on, by descriptor. A server without a descriptor listens on its port. */
export interface EdgeSockets {
  readonly http?: number | undefined;
  readonly https?: number | undefined;
}

interface TlsOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Handshakes in progress; beyond that, silent and slow ones are closed. */
  readonly maxHandshakes?: number;
}

export interface Edge {
  readonly port: number;
  /** undefined: without TLS. */
  readonly httpsPort: number | undefined;
  /**
   * Drops the cached sites of these projects before it returns. Closes the TLS connections of hosts that serve no
   * more, once the store has confirmed that.
   */
  invalidate(projectIds: readonly string[]): void;
  /** Stops listening and finishes the responses in progress, in bounded time. */
  close(closing?: Closing): Promise<void>;
}

/** How the edge closes, where clients should not notice: another process takes its place. */
export interface Closing {
  /**
   * How long connections without a request stay, in milliseconds; otherwise they are closed at once, perhaps just when
   * a request is on its way. Each response on them says that it is the last one.
   */
  readonly gracePeriodMs: number;
  /** Ends the grace period. */
  readonly endGracePeriod?: AbortSignal;
}

/** Serves sites by host name over HTTP and HTTPS. Rejects with Node's error when it cannot listen. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { host, port, tls, log, sockets } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const source = timedSource(options.source, timeouts.storeRead);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const cache = new SiteCache(source, limits);
  const files = new SiteFiles(cache);
  const closing = new AbortController();
  const stopPolling = new AbortController();
  const proxy = options.requestProxy && requestProxy(cache, options.requestProxy);
  const { answerFirst } = options;
  const counts = new RequestCounts(source, log);
  const readerCounts = new ReaderCounts(source, log, options.now);
  const readers = new ReaderRequestCounter(readerCounts);
  const ownHosts = ownHostsByName(options.ownHosts ?? []);
  const respond = responder(
    cache,
    files,
    wellKnown(source),
    mcpEndpoint(cache, readerCounts),
    proxy,
    counts,
    readers,
    readerEndpoints(cache, readerCounts, options.now),
    options.access && siteGate(timedAccess(options.access, timeouts.storeRead), cache),
    ownHosts,
  );
  const context = {
    ownHosts,
    respond: answerFirst
      ? (request: EdgeRequest) => answerFirst(request) ?? respond(request)
      : respond,
    // At level debug every request is logged, and the fast path does not log.
    fastPath: log.isLevelEnabled('debug')
      ? undefined
      : fastPathResponder(cache, files, counts, readers),
    failures: failureReporter(log),
    metrics: options.metrics,
    log,
    timeouts,
    connectionsPerAddress: options.connectionsPerAddress ?? CONNECTIONS_PER_ADDRESS,
    closing: closing.signal,
  };

  // Before anything is in memory: an edge that knows no position is told to forget all.
  const position = await source.changesAfter(undefined).then(
    (first) => first.position,
    () => undefined,
  );
  const http = await startHttpServer(listenAt(sockets?.http, host, port), context);
  const https =
    tls &&
    (await startHttpsServer(
      {
        at: listenAt(sockets?.https, host, tls.port),
        ...{ source, cache, limits, maxHandshakes: tls.maxHandshakes },
      },
      context,
    ).catch(async (error) => {
      closing.abort();
      await http.drain(Promise.resolve());
      throw error;
    }));

  const invalidate = (projectIds: ReadonlySet<string> | undefined) => {
    cache.invalidate(projectIds);
    https?.invalidate(projectIds);
  };
  const polling = watchChanges(source, position, invalidate, log, stopPolling.signal);

  return {
    port: http.port,
    httpsPort: https?.port,
    invalidate: (projectIds) => invalidate(affected(projectIds)),
    async close({ gracePeriodMs, endGracePeriod } = { gracePeriodMs: 0 }) {
      closing.abort();
      const gracePeriod =
        gracePeriodMs > 0 ? timeOf(gracePeriodMs, endGracePeriod) : Promise.resolve();
      // As long as requests may come, changes are served.
      void gracePeriod.then(() => stopPolling.abort());
      await Promise.all([http.drain(gracePeriod), https?.drain(gracePeriod)]);
      stopPolling.abort();
      await polling;
      await Promise.all([counts.close(), readerCounts.close()]);
    },
  };
}

function listenAt(fd: number | undefined, host: string, port: number): ListenAt {
  return fd === undefined ? { host, port } : { fd };
}

/** The projects to invalidate; undefined: all, since sites of all projects use the installation's own certificates. */
function affected(projectIds: readonly string[]): ReadonlySet<string> | undefined {
  return projectIds.includes(ALL_PROJECTS) ? undefined : new Set(projectIds);
}

/** Resolves after that time, or when the signal aborts. It does not keep the process alive. */
async function timeOf(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined);
}

/** Serves HTTP/1 without TLS. Rejects with Node's error when it cannot listen. */
async function startHttpServer(at: ListenAt, context: ServerContext): Promise<EdgeListener> {
  const { fastPath, failures, log, timeouts, closing, metrics } = context;
  const counted = metrics?.over('http');
  const respond = counted?.counted(context.respond) ?? context.respond;
  const server = createServer(http1Options(timeouts));
  limitConnections(server, timeouts);
  serveHttp1(server, { respond, serverNameOf: () => undefined, failures, log, closing });
  const acceptForServer = interceptConnections(server, 'connection');
  const fastPathConnections =
    fastPath && serveFastPath(acceptForServer, fastPath, timeouts, closing, counted);
  const isAllowed = limitPerAddress(context.connectionsPerAddress);
  server.on('connection', (socket: Socket) => {
    metrics?.connection(socket, 'http');
    if (!isAllowed(socket)) socket.destroy();
    else if (fastPathConnections) fastPathConnections.accept(socket, undefined);
    else acceptForServer(socket);
  });
  const drain = drainable([server], 'connection', () => fastPathConnections?.closeIdle());
  return {
    port: await listen(server, at),
    drain: (gracePeriod) => drain(timeouts.drain, gracePeriod),
  };
}

/**
 * From the start of one poll to the start of the next, in milliseconds. A change just after a poll is seen by the next
 * one and served after three more reads, of the site, its manifest and a content: within a second where none of these
 * four takes longer than 187 ms.
 */
const INTERVAL_MS = 250;

/** Waits after consecutive failures, in milliseconds; the last one repeats. Up to a quarter of jitter is added. */
const RETRY_MS = [250, 500, 1_000] as const;

/**
 * Polls the store for changes since a position and invalidates them, until the signal aborts. Polls do not overlap,
 * unless one times out. The wait does not keep the process alive.
 */
async function watchChanges(
  source: SiteSource,
  known: string | undefined,
  /** Of all projects when there is no list. */
  invalidate: (projectIds: ReadonlySet<string> | undefined) => void,
  log: EdgeLog,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const begun = performance.now();
    let waitMs: number = INTERVAL_MS;
    try {
      const { position, projectIds } = await source.changesAfter(known);
      if (!projectIds) invalidate(undefined);
      else if (projectIds.length > 0) invalidate(affected(projectIds));
      known = position;
      if (failures > 0) log.info('the store reports changes again');
      failures = 0;
    } catch (error) {
      // The edge is closing, and the store may be closed already.
      if (signal.aborted) return;
      if (failures === 0) {
        log.warn(
          { err: error },
          'the store cannot be polled for changes; the edge serves what it has in memory',
        );
      }
      const retryMs = RETRY_MS[failures] ?? RETRY_MS.at(-1) ?? INTERVAL_MS;
      waitMs = retryMs * (1 + Math.random() / 4);
      failures++;
    }
    const restMs = Math.max(0, waitMs - (performance.now() - begun));
    await sleep(restMs, undefined, { ref: false, signal }).catch(() => undefined);
  }
}
