import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchChanges } from './change-watch.ts';
import { drainable } from './drain.ts';
import type { EdgeLog } from './edge-log.ts';
import { plainAnswers } from './plain-answers.ts';
import { answerPlainRequests } from './plain-connections.ts';
import { serveRequests } from './requests.ts';
import { responder } from './respond.ts';
import { type CacheLimits, DEFAULT_LIMITS, SiteCache } from './site-cache.ts';
import { SiteFiles } from './site-files.ts';
import type { SiteSource } from './site-source.ts';

export interface EdgeOptions {
  readonly source: SiteSource;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly log: EdgeLog;
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

const MAX_CONNECTIONS = 10_000;

/** How late a timeout may be noticed. */
const CHECK_INTERVAL_MS = 1_000;

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
  serveRequests(server, responder(cache, files), log, closing.signal);

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
