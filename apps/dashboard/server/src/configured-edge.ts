import { explainListenError } from '@petstore/service/listen.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import { PASSWORD_COST } from './accounts/passwords.ts';
import { addressesOf } from './addresses.ts';
import { platformCertificates } from './certificates/platform-names.ts';
import { openSealer } from './certificates/sealing.ts';
import type { Config } from './config.ts';
import { type Closing, type Edge, type EdgeOptions, startEdge } from './edge/edge-server.ts';
import { EdgeMetrics } from './edge/metrics/edge-metrics.ts';
import type { SiteSource } from './edge/sites/site-source.ts';
import { databaseObserver } from './operations/database-metrics.ts';
import { readerSource } from './site-access/reader-source.ts';
import { openDatabase } from './store/open-database.ts';
import type { Db } from './store/schema.ts';
import { sampleSealed } from './store/sealed.ts';
import { siteSource } from './store/sites.ts';

/** An edge that also serves over TLS. */
export type ConfiguredEdge = Edge & { readonly httpsPort: number };

/**
 * How long connections without a request stay when an edge is told to stop, in milliseconds: so that another one may
 * take its place under load, and no request arrives just when its connection is closed.
 */
export const GRACE_PERIOD_MS = 1_000;

/** Where an edge listens, and its operator's port. */
export interface EdgePorts {
  readonly port: number;
  readonly httpsPort: number;
  readonly operatorPort: number | undefined;
}

/** Starts the edge on the configured ports. Rejects with UserError where it cannot listen. */
export async function startConfiguredEdge(
  { edge, dnsServers, ...config }: Config,
  options: Pick<EdgeOptions, 'source' | 'access' | 'log' | 'sockets' | 'ownHosts' | 'metrics'>,
): Promise<ConfiguredEdge> {
  const { host, httpPort, httpsPort, cacheBytes, tlsCacheHosts, connectionsPerAddress } = edge;
  const limits = { contentBytes: cacheBytes, contexts: tlsCacheHosts };
  try {
    const tls = { port: httpsPort };
    const proxy = { dnsServers, networks: config.requestProxyNetworks };
    const started = await startEdge({
      ...options,
      ...{ host, port: httpPort, tls, limits, connectionsPerAddress },
      requestProxy: config.requestProxy === 'allow' ? proxy : undefined,
    });
    return { ...started, httpsPort: started.httpsPort ?? httpsPort };
  } catch (error) {
    const { port = httpPort } = error as { port?: number };
    throw cannotListen(error, edge, port);
  }
}

/** The edge's queries, for the names of the configuration. */
export function configuredSource(
  config: Config,
  deps: Pick<Parameters<typeof siteSource>[0], 'db' | 'addresses' | 'sealer' | 'now'>,
): SiteSource {
  const { platformHost, domain } = config;
  const certificates = platformCertificates(config);
  return siteSource({ ...deps, platformHost, certificates, hasOwnHttps: domain !== undefined });
}

/** Explains why the edge cannot listen on one of its ports. */
export function cannotListen(
  error: unknown,
  { host, httpsPort }: Config['edge'],
  port: number,
): Error {
  const portVariable = port === httpsPort ? 'EDGE_HTTPS_PORT' : 'EDGE_HTTP_PORT';
  return explainListenError(error as NodeJS.ErrnoException, {
    ...{ host, port, hostVariable: 'EDGE_HOST', portVariable },
  });
}

/**
 * Starts the edge with its own connection to the database, which is closed with it. Rejects with UserError where it
 * cannot listen, or the database cannot be used.
 */
export async function openEdge(
  config: Config,
  { metrics, ...options }: Pick<EdgeOptions, 'log' | 'sockets'> & { metrics?: Metrics | undefined },
): Promise<ConfiguredEdge & { readonly db: Db }> {
  const observer = metrics && databaseObserver(metrics);
  const { db, close } = await openDatabase(config.databaseUrl, config.databasePoolSize, observer);
  try {
    const { httpPort, httpsPort } = config.edge;
    const ports = { dashboard: config.port, edge: httpPort, edgeHttps: httpsPort };
    const addresses = () => addressesOf(config, ports);
    const sealer = openSealer(config, await sampleSealed(db));
    const source = configuredSource(config, { db, addresses, sealer, now: Date.now });
    const access = readerSource({ db, now: Date.now, passwordCost: PASSWORD_COST });
    const edge = await startConfiguredEdge(config, {
      ...{ ...options, source, access },
      metrics: metrics && new EdgeMetrics(metrics),
    });
    Object.assign(ports, { edge: edge.port, edgeHttps: edge.httpsPort });
    return {
      ...{ ...edge, db },
      async close(closing?: Closing) {
        await edge.close(closing);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
