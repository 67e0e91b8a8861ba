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
  /** Where hosts with a certificate are served over TLS; undefined: nowhere. */
  readonly tls?: TlsOptions;
  readonly log: EdgeLog;
  /** What memory may hold, where it is not to be the default. */
  readonly limits?: Partial<CacheLimits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Connections that one address may have on each port; 0: without bound. */
  readonly connectionsPerAddress?: number;
}

/** A large office behind one address has fewer; a proxy in front may have more, and has it set. */
const CONNECTIONS_PER_ADDRESS = 1_000;

interface TlsOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Handshakes under way at once; beyond, those end that have not begun or take long. */
  readonly maxHandshakes?: number;
}

export interface Edge {
  readonly port: number;
  /** undefined: there is no TLS. */
  readonly httpsPort: number | undefined;
  /**
   * Serves nothing old of these projects from the moment it returns; the TLS connections of hosts that no
   * longer serve end as soon as the store has confirmed it.
   */
  invalidate(projectIds: readonly string[]): void;
  /** Answers what was asked, for a bounded time; takes no more connections. */
  close(): Promise<void>;
}

/** Serves sites by host name over HTTP and HTTPS. Rejects when it can't listen, with Node's error. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { source, host, port, tls, log } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const cache = new SiteCache(source, limits);
  const files = new SiteFiles(cache);
  const closing = new AbortController();
  const shared = {
    respond: responder(cache, files, wellKnown(source)),
    // At debug every request gets its line in the log, so none takes the short way.
    fastPath: log.isLevelEnabled('debug') ? undefined : fastPathResponder(cache, files),
    failures: failureReporter(log),
    log,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    connectionsPerAddress: options.connectionsPerAddress ?? CONNECTIONS_PER_ADDRESS,
    closing: closing.signal,
  };

  const plain = await startHttpServer({ host, port }, shared);
  const secure =
    tls &&
    (await startHttpsServer({ host, source, cache, limits, ...tls }, shared).catch(
      async (error) => {
        closing.abort();
        await plain.drain();
        throw error;
      },
    ));

  const invalidate = (projectIds: ReadonlySet<string> | undefined) => {
    cache.invalidate(projectIds);
    secure?.invalidate(projectIds);
  };
  const watching = watchChanges(source, invalidate, log, closing.signal);

  return {
    port: plain.port,
    httpsPort: secure?.port,
    invalidate: (projectIds) => invalidate(new Set(projectIds)),
    async close() {
      closing.abort();
      await Promise.all([plain.drain(), secure?.drain(), watching]);
    },
  };
}
