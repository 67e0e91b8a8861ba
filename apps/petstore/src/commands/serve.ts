import { setTimeout as sleep } from 'node:timers/promises';
import {
  databasePlace,
  IN_MEMORY,
  sqlitePath,
  withoutPassword,
} from '@petstore/service/database-url.ts';
import { explainListenError } from '@petstore/service/listen.ts';
import { createLog, type Log } from '@petstore/service/log.ts';
import { isPostgresUrl } from '@petstore/service/postgres-address.ts';
import { stopOnSignal, UNTIL_STDIN_ENDS } from '@petstore/service/shutdown.ts';
import type { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import { baseUrls, listeningPort } from '../addresses.ts';
import { type Config, DEFAULT_DATABASE_URL, readConfig } from '../config.ts';
import { generateKey } from '../keys/key.ts';
import { isValid } from '../keys/key-rules.ts';
import { DATABASE_VARIABLE, openStore, replicaAddresses } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { Metrics } from '../telemetry/instruments.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { type BannerFacts, banner } from './banner.ts';
import { unknownSettings } from './environment.ts';
import { MigrationNotice } from './migration-notice.ts';
import { subcommand } from './subcommand.ts';

/** How long the database may take to be closed once no request is under way, in milliseconds. */
export const CLOSE_TIMEOUT_MS = 5_000;

export function serveCommand(version: string): Command {
  return subcommand('serve')
    .description('Run the API.')
    .option('--first-key', 'when the store has no key yet, make one and show it in the banner')
    .option(
      '--json',
      'print what the banner says as one line of JSON, for programs that start this one',
    )
    .option(...UNTIL_STDIN_ENDS)
    .action(async (options: { firstKey?: boolean; json?: boolean; untilStdinEnds?: boolean }) => {
      const config = readConfig(process.env);
      // Loaded here, since the other commands start sooner and smaller without it.
      const { buildServer } = await import('../server.ts');
      const log = createLog(config.logLevel);
      const unknown = unknownSettings(process.env);
      if (unknown.length > 0) {
        log.warn(
          { names: unknown },
          'settings that petstore does not know; petstore --help has all',
        );
      }
      const metrics = new Metrics();
      metrics.gauge('petstore_build_info', 'Always 1; the labels tell what runs.', () => 1, {
        version,
        node: process.versions.node,
        database: databaseSystem(config),
      });
      const notice = new MigrationNotice(config, log);
      const store = await openStore(config.databaseUrl, {
        pageCacheBytes: config.pageCacheBytes,
        poolSize: config.databasePoolSize,
        replicaUrls: config.databaseReplicaUrls,
        maxQueuedWrites: config.maxQueuedWrites,
        onMigration: (state) => notice.update(state),
        log,
        metrics,
      }).catch(async (error) => {
        await notice.end();
        throw error;
      });
      try {
        const tracing = await tracingOf(config, version, log);
        const traced = tracing ? tracing.traced(store) : store;
        const stopping = new AbortController();
        const app = await buildServer({
          ...{ config, store: traced, log, metrics, tracing },
          stopping: stopping.signal,
        });
        await listen(app, { ...config, port: (await notice.end()) ?? config.port });
        stopOnSignal({
          close: async () => {
            stopping.abort();
            // Until load balancers have heard that it is not ready, they go on sending.
            await sleep(config.shutdownDelayMs);
            await closeInTime(app, config, log);
            // Side by side: neither needs the other, and both may take a while.
            await Promise.all([store.close(), tracing?.close()]);
          },
          timeoutMs: config.shutdownDelayMs + config.shutdownTimeoutMs + CLOSE_TIMEOUT_MS,
          log,
          untilStdinEnds: options.untilStdinEnds,
        });
        const isInMemory = sqlitePath(config.databaseUrl) === IN_MEMORY;
        // Nobody else can make a key for a store in memory.
        const key = options.firstKey || isInMemory ? await makeFirstKey(store, config) : undefined;
        const urls = baseUrls(config, listeningPort(app, config));
        const facts: BannerFacts = {
          version,
          environment: config.environment,
          baseUrl: urls[config.environment],
          data: dataPlace(config),
          firstKey: key,
          settings: settingsOf(config),
          hasKeys: (await store.keys.list()).some((key) => isValid(key, new Date())),
        };
        process.stdout.write(options.json ? `${JSON.stringify(facts)}\n` : banner(facts));
        log.info(
          { port: listeningPort(app, config), environment: config.environment },
          'listening',
        );
      } catch (error) {
        await Promise.all([notice.end(), store.close()]);
        throw error;
      }
    });
}

/** Loaded only where traces are wanted: the packages take time to load, and memory. */
async function tracingOf(config: Config, version: string, log: Log): Promise<Tracing | undefined> {
  if (!config.tracing) return undefined;
  const { startTracing } = await import('../telemetry/otlp-tracing.ts');
  return startTracing(config.tracing, { version, database: databaseSystem(config), log });
}

/** The database, as OpenTelemetry names it. */
function databaseSystem({ databaseUrl }: Config): 'sqlite' | 'postgresql' {
  return isPostgresUrl(databaseUrl) ? 'postgresql' : 'sqlite';
}

/** Lets requests under way finish, for as long as they may take, and cuts those that then remain. */
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

async function makeFirstKey(store: Store, config: Config): Promise<string | undefined> {
  const made = generateKey('first key', config.environment, new Date());
  return (await store.keys.addFirst(made)) ? made.key : undefined;
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw explainListenError(error as NodeJS.ErrnoException, {
      host,
      port,
      hostVariable: 'PETSTORE_HOST',
      portVariable: 'PETSTORE_PORT',
    });
  }
}

/**
 * The variables without which `petstore keys` would find another store or make another key.
 * undefined for a value that must not be shown.
 */
function settingsOf({ environment, databaseUrl }: Config): Record<string, string | undefined> {
  const isPublic = withoutPassword(databaseUrl) === databaseUrl;
  const file = process.env.PETSTORE_DATABASE_URL_FILE;
  return {
    ...(environment !== 'production' && { PETSTORE_ENV: environment }),
    ...(file
      ? { PETSTORE_DATABASE_URL_FILE: file }
      : databaseUrl !== DEFAULT_DATABASE_URL && {
          PETSTORE_DATABASE_URL: isPublic ? databaseUrl : undefined,
        }),
  };
}

function dataPlace({ databaseUrl, databaseReplicaUrls }: Config): string {
  const isInMemory = sqlitePath(databaseUrl) === IN_MEMORY;
  if (isInMemory) return 'in memory, gone when the process ends';
  const replicas = replicaAddresses(databaseReplicaUrls).map(({ server }) => server);
  const place = databasePlace(DATABASE_VARIABLE, databaseUrl);
  return replicas.length > 0 ? `${place}, read from ${replicas.join(' and ')}, too` : place;
}
