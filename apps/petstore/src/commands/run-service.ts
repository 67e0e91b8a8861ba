import { setTimeout as sleep } from 'node:timers/promises';
import { stopAccepting } from '@petstore/http/close-gracefully.ts';
import { explainListenError } from '@petstore/service/listen.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import { isPostgresUrl } from '@petstore/service/postgres-address.ts';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { ServerDeps } from '../server.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { StoreOptions } from '../store/store-options.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { MigrationNotice } from './migration-notice.ts';

/** How long the database may take to be closed once no request is under way, in milliseconds. */
export const CLOSE_TIMEOUT_MS = 5_000;

/** The database, as OpenTelemetry names it. */
function databaseSystem({ databaseUrl }: Config): 'sqlite' | 'postgresql' {
  return isPostgresUrl(databaseUrl) ? 'postgresql' : 'sqlite';
}

/** The metric that says which version runs. */
export function buildInfo(metrics: Metrics, config: Config, version: string): void {
  metrics.gauge(
    'petstore_build_info',
    'Always 1; the labels tell what runs.',
    () => 1,
    { version, node: process.versions.node, database: databaseSystem(config) },
    'first',
  );
}

/**
 * Opens the store of a service. While the schema is brought up to date, the service says so at its address. `port`: the
 * one to listen on, if it has been chosen already.
 */
export async function openForService(
  config: Config,
  options: StoreOptions & { readonly log: Log },
): Promise<{ store: Store; port: number }> {
  const notice = new MigrationNotice(config, options.log);
  try {
    const store = await openStore(config.databaseUrl, {
      pageCacheBytes: config.pageCacheBytes,
      poolSize: config.databasePoolSize,
      replicaUrls: config.databaseReplicaUrls,
      maxQueuedWrites: config.maxQueuedWrites,
      onMigration: (state) => notice.update(state),
      ...options,
    });
    return { store, port: (await notice.end()) ?? config.port };
  } catch (error) {
    await notice.end();
    throw error;
  }
}

interface ServiceDeps extends Pick<ServerDeps, 'shared' | 'metricsOfAll'> {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly listen: (app: FastifyInstance, config: Config) => Promise<void>;
}

interface RunningService {
  readonly app: FastifyInstance;
  /**
   * Ends the service. `isReplaced`: other processes go on at its address. So it stays ready as they are, and accepts no
   * more connections.
   */
  close(how?: { readonly isReplaced: boolean }): Promise<void>;
}

/** Serves a store until `close` is called, which closes the store, too. A failed start closes the store as well. */
export async function runService(deps: ServiceDeps): Promise<RunningService> {
  const { config, version, log, metrics, store, listen } = deps;
  let built: FastifyInstance | undefined;
  try {
    // Loaded here, since the other commands start sooner and smaller without it.
    const { buildServer } = await import('../server.ts');
    const tracing = await tracingOf(config, version, log);
    const stopping = new AbortController();
    const app = await buildServer({
      ...{ config, log, metrics, tracing, shared: deps.shared, metricsOfAll: deps.metricsOfAll },
      store: tracing ? tracing.traced(store) : store,
      stopping: stopping.signal,
    });
    built = app;
    await listen(app, config);
    return {
      app,
      async close(how) {
        if (how?.isReplaced) {
          stopAccepting(app.server);
        } else {
          stopping.abort();
          // Load balancers go on sending requests until they have noticed that the service is not ready.
          await sleep(config.shutdownDelayMs);
        }
        await closeInTime(app, config, log);
        // Both at once: neither needs the other, and both may take a while.
        await Promise.all([store.close(), tracing?.close()]);
      },
    };
  } catch (error) {
    // The app first: its timers use the store.
    await built?.close();
    await store.close();
    throw error;
  }
}

/** Loaded only where traces are wanted: the packages take time to load, and memory. */
async function tracingOf(config: Config, version: string, log: Log): Promise<Tracing | undefined> {
  if (!config.tracing) return undefined;
  const { startTracing } = await import('../telemetry/otlp-tracing.ts');
  return startTracing(config.tracing, { version, database: databaseSystem(config), log });
}

/** Lets requests under way finish within the allowed time, and then cuts off the rest. */
async function closeInTime(
  app: FastifyInstance,
  { shutdownTimeoutMs }: Config,
  log: Log,
): Promise<void> {
  const deadline = setTimeout(() => {
    log.error({ shutdownTimeoutMs }, 'requests did not finish in time; they are cut off');
    process.exitCode = 1;
    app.server.closeAllConnections();
  }, shutdownTimeoutMs);
  await app.close();
  clearTimeout(deadline);
}

/** Listens on the address that is configured. Rejects with UserError where that fails. */
export async function listenHere(app: FastifyInstance, config: Config): Promise<void> {
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    throw cannotListen(error, config);
  }
}

/** Explains why the service cannot listen on an address. */
export function cannotListen(error: unknown, { host, port }: Config): Error {
  return explainListenError(error as NodeJS.ErrnoException, {
    ...{ host, port },
    hostVariable: 'PETSTORE_HOST',
    portVariable: 'PETSTORE_PORT',
  });
}
