import { startHttpServer } from './connections/http-server.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './connections/limits.ts';
import { fastPathResponder } from './fast-path/responses.ts';
import { responder } from './http/respond.ts';
import { wellKnown } from './http/well-known.ts';
import { type EdgeLog, failureReporter } from './log.ts';
import { watchChanges } from './sites/change-watch.ts';
import { type CacheLimits, DEFAULT_LIMITS, SiteCache } from './sites/site-cache.ts';
import { SiteFiles } from './sites/site-files.ts';
import type { SiteSource } from './sites/site-source.ts';
import { startHttpsServer } from './tls/https-server.ts';

export interface EdgeOptions {
  readonly source: SiteSource;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Descriptors of sockets that this process was given, to listen on in place of the two ports. */
  readonly sockets?: EdgeSockets | undefined;
  /** Where hosts with a certificate are served over TLS; undefined: nowhere. */
  readonly tls?: TlsOptions;
  readonly log: EdgeLog;
  /** Bounds of the caches, where they differ from the defaults. */
  readonly limits?: Partial<CacheLimits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Connections that one address may have on each port; 0: unlimited. */
  readonly connectionsPerAddress?: number;
}

/** A large office behind one address stays below it; for a proxy in front, the operator raises it. */
const CONNECTIONS_PER_ADDRESS = 1_000;

interface EdgeSockets {
  readonly http: number;
  readonly https: number;
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
  close(): Promise<void>;
}

/** Serves sites by host name over HTTP and HTTPS. Rejects with Node's error when it cannot listen. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { source, host, port, tls, log, sockets } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const cache = new SiteCache(source, limits);
  const files = new SiteFiles(cache);
  const closing = new AbortController();
  const context = {
    respond: responder(cache, files, wellKnown(source)),
    // At level debug every request is logged, and the fast path does not log.
    fastPath: log.isLevelEnabled('debug') ? undefined : fastPathResponder(cache, files),
    failures: failureReporter(log),
    log,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    connectionsPerAddress: options.connectionsPerAddress ?? CONNECTIONS_PER_ADDRESS,
    closing: closing.signal,
  };

  const http = await startHttpServer(sockets ? { fd: sockets.http } : { host, port }, context);
  const https =
    tls &&
    (await startHttpsServer(
      {
        at: sockets ? { fd: sockets.https } : { host, port: tls.port },
        ...{ source, cache, limits, maxHandshakes: tls.maxHandshakes },
      },
      context,
    ).catch(async (error) => {
      closing.abort();
      await http.drain();
      throw error;
    }));

  const invalidate = (projectIds: ReadonlySet<string> | undefined) => {
    cache.invalidate(projectIds);
    https?.invalidate(projectIds);
  };
  const polling = watchChanges(source, invalidate, log, closing.signal);

  return {
    port: http.port,
    httpsPort: https?.port,
    invalidate: (projectIds) => invalidate(new Set(projectIds)),
    async close() {
      closing.abort();
      await Promise.all([http.drain(), https?.drain(), polling]);
    },
  };
}
